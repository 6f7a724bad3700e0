/** A channel's health: its state upstream, and the times of its last events and deliveries. */
import type { Channel } from '../rules/channels/channel.ts';
import type { ChannelHealth, UpstreamState } from '../rules/channels/health.ts';
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

/** Times only move forward; undefined leaves a time unchanged. */
type Times = Partial<
  Pick<ChannelHealth, 'inboundAt' | 'statusAt' | 'deliveredAt' | 'deliveryFailedAt' | 'warnedAt'>
>;

/**
 * `failingSince`: time of the first failure after the last known success; null or undefined with a `deliveredAt`: deliveries work again.
 * `lastFailure` describes the failure at `deliveryFailedAt`.
 */
export type Activity = { channelId: string } & Times &
  Partial<{ failingSince: number | null; lastFailure: string }>;

export interface HealthStore {
  /** null if nothing was ever recorded. */
  of(channelId: string): Promise<ChannelHealth | null>;
  /** Records of these channels, unordered; channels without a record are missing. */
  ofAll(channelIds: readonly string[]): Promise<ChannelHealth[]>;
  /** Replaces the state of the previous check. */
  noteUpstream(channelId: string, state: UpstreamState, checkedAt: number): Promise<void>;
  /** A stored time never moves back, in whatever order the nodes write. `failingSince` is the first failure after the last success. */
  noteActivity(seen: readonly Activity[]): Promise<void>;
  /** Channels with failing deliveries, longest failing first. */
  failing(limit: number): Promise<ChannelHealth[]>;
  /** Channels whose token upstream refused at the last check. */
  refused(limit: number): Promise<ChannelHealth[]>;
  /** Channels with failing deliveries among these. */
  failingAmong(channelIds: readonly string[]): Promise<ChannelHealth[]>;
  /** Puts a problem on record; one that is there keeps its `since`. True if it is new. */
  noteProblem(channelId: string, problem: NewProblem, now: number): Promise<boolean>;
  /** Takes these problems off the record. The result: those that were there. */
  clearProblems(
    channelId: string,
    codes: readonly UpstreamProblemCode[] | 'all',
  ): Promise<UpstreamProblemCode[]>;
  /** Counts a call that registers the number, before it is made; null: counted, otherwise when one is allowed. It is kept over a reconnect. */
  claimRegistration(channelId: string, now: number): Promise<number | null>;
  /** Channels with a problem on record, the longest troubled first; the first `limit` after that one. */
  troubled(
    limit: number,
    after?: Pick<ChannelHealth, 'troubledSince' | 'channelId'>,
  ): Promise<ChannelHealth[]>;
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
