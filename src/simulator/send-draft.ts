import type { LinkProblem } from './links.ts';
import type { Sent } from './model.ts';

/** A well-formed send that is not accepted yet. `answer` is upstream's answer if it accepts. */
export type Draft = Pick<
  Sent,
  'kind' | 'channel' | 'recipient' | 'type' | 'text' | 'tag' | 'more' | 'quickReplies'
> & {
  readonly id: string;
  readonly isTemplate: boolean;
  readonly isTagged: boolean;
  /** The message as a page's echo shows it. */
  readonly echo: Record<string, unknown>;
  readonly link: { readonly url: string; readonly check: () => Promise<LinkProblem | null> } | null;
  readonly answer: Record<string, unknown>;
};
