/** The call that reads a channel's state at upstream. */
import type { Channel } from '../rules/channels/channel.ts';
import type { UpstreamState } from '../rules/channels/health.ts';
import type {
  NewProblem,
  UpstreamProblem,
  UpstreamProblemCode,
} from '../rules/channels/upstream-problems.ts';
import type { ChannelType } from '../rules/vocabulary.ts';
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

export type ProbeAnswer = UpstreamState & Pick<Probed, 'saysEchoes'>;

/** Checks a channel's health upstream; concurrent callers share one check. */
export interface ChannelProber {
  /** Stores the result, with a changed profile. null: upstream gave no usable answer, or too many checks run. */
  probe(channel: Channel, requestId?: string): Promise<UpstreamState | null>;
  /** As `probe`, but never shares a check that began before this call. */
  probeAnew(channel: Channel, requestId?: string): Promise<ProbeAnswer | null>;
  /** As `probe`, unless the last check is recent. */
  askWhenOld(channel: Channel, requestId?: string): Promise<void>;
}

/** Problems of the whole app at upstream, the same for every channel of a type. They are not stored with the channels. */
export interface AppProblems {
  /** From memory. */
  of(channelType: ChannelType): readonly UpstreamProblem[];
}
