/** The call that reads a channel's state at upstream. */
import type { Channel } from '../rules/channels/channel.ts';
import type { UpstreamState } from '../rules/channels/health.ts';
import type { NewProblem, UpstreamProblemCode } from '../rules/channels/upstream-problems.ts';
import type { ChannelProfile } from '../rules/channels/profile.ts';

/** `profile` null: upstream was not asked for it, or profiles of this kind never change. */
export interface Probed {
  state: UpstreamState;
  profile: ChannelProfile | null;
  /** Upstream said whether the channel has echoes, or its kind always has them. */
  saysEchoes: boolean;
  /** What upstream shows that is wrong with the channel. */
  problems: readonly NewProblem[];
  /** The codes that it was asked about: of those, the ones that are not among `problems` are over. */
  lookedFor: readonly UpstreamProblemCode[];
}

export interface HealthUpstream {
  /**
   * Reads the webhook subscription with the channel's token, and the profile if it can change (quality, dual use). A refused
   * token is a result; throws Fault `upstream_failed` if upstream gives no usable answer. [upstream §2.2, §2.4]
   */
  probe(channel: Channel): Promise<Probed>;
}
