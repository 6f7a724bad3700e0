import type { LinkProblem } from './links.ts';
import type { Sent } from './model.ts';

/** A send that is well formed and not yet accepted. `answer` is what upstream says when it accepts. */
export type Draft = Pick<Sent, 'kind' | 'channel' | 'recipient' | 'type' | 'text' | 'tag'> & {
  readonly id: string;
  readonly isTemplate: boolean;
  readonly isTagged: boolean;
  /** The message as pages echo it. */
  readonly echo: Record<string, unknown>;
  readonly link: { readonly url: string; readonly check: () => Promise<LinkProblem | null> } | null;
  readonly answer: Record<string, unknown>;
};
