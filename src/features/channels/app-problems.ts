/** Problems of the whole app at upstream, as this node last learned them. */
import type { UpstreamProblem } from '../../rules/channels/upstream-problems.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';

export class KnownAppProblems {
  #known: ReadonlyMap<ChannelType, readonly UpstreamProblem[]> = new Map();

  /** From memory. They are the same for every channel of a type, and are not stored with the channels. */
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
