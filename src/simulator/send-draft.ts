import type { LinkProblem } from './links.ts';
import type { Channel, Kind } from './model.ts';

/** A send that is well formed and not yet accepted. `answer` is what upstream says when it accepts. */
export type Draft = {
  readonly kind: Kind;
  readonly channel: Channel;
  readonly recipient: string;
  readonly type: string;
  readonly text: string | null;
  readonly tag: string | null;
  readonly id: string;
  readonly isTemplate: boolean;
  readonly isTagged: boolean;
  /** The message as pages echo it. */
  readonly echo: Record<string, unknown>;
  readonly link: { readonly url: string; readonly check: () => Promise<LinkProblem | null> } | null;
  readonly answer: Record<string, unknown>;
};
