/** Problems of the whole app at upstream, as this node last learned them. */
import type { UpstreamProblem } from '../../rules/channels/upstream-problems.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { AppProblems } from '../../upstream/health-calls.ts';

export class KnownAppProblems implements AppProblems {
  #known: ReadonlyMap<ChannelType, readonly UpstreamProblem[]> = new Map();

  of(channelType: ChannelType): readonly UpstreamProblem[] {
    return this.#known.get(channelType) ?? [];
  }

  /** Number of types with a problem. */
  get size(): number {
    return this.#known.size;
  }

  /** Replaces what was known of every type. */
  replace(known: ReadonlyMap<ChannelType, readonly UpstreamProblem[]>): void {
    this.#known = known;
  }
}
