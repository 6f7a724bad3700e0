/** How a channel fares: what upstream says of it, and when it was last heard. */
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelHealth, UpstreamState } from '../../domain/channels/health.ts';
import type { ChannelProfile } from '../../domain/channels/profile.ts';

/** `profile`: who the channel is by now; null: upstream was not asked, or its kind's never changes. */
export interface Probed {
  state: UpstreamState;
  profile: ChannelProfile | null;
}

export interface HealthUpstream {
  /**
   * Asks for the webhook subscription with the channel's token, and for the profile where it changes: quality, dual use. A refused
   * token is an answer; throws Fault `upstream_failed` when upstream says nothing usable. [upstream §2.2, §2.4]
   */
  probe(channel: Channel): Promise<Probed>;
}

/** Times that only move forward; undefined: nothing new. */
type Times = Partial<
  Pick<ChannelHealth, 'inboundAt' | 'statusAt' | 'deliveredAt' | 'deliveryFailedAt' | 'warnedAt'>
>;

/**
 * `failingSince`: the first failure after the last success that was seen; null or undefined, and `deliveredAt` there: it works again.
 * `lastFailure` is that of `deliveryFailedAt`.
 */
export type Activity = { channelId: string } & Times &
  Partial<{ failingSince: number | null; lastFailure: string }>;

export interface HealthStore {
  /** null: nothing was ever noted. */
  of(channelId: string): Promise<ChannelHealth | null>;
  /** Those of which something was noted, in no order. */
  ofAll(channelIds: readonly string[]): Promise<ChannelHealth[]>;
  /** What upstream said last takes the place of what it said before. */
  noteUpstream(channelId: string, state: UpstreamState, checkedAt: number): Promise<void>;
  /** A time never moves back, whichever node is late. A channel fails since its first failure after its last success. */
  noteActivity(seen: readonly Activity[]): Promise<void>;
  /** Channels that fail, those that have for longest first. */
  failing(limit: number): Promise<ChannelHealth[]>;
  /** Channels whose token upstream takes no more, as it was last asked. */
  refused(limit: number): Promise<ChannelHealth[]>;
  /** Of these. */
  failingAmong(channelIds: readonly string[]): Promise<ChannelHealth[]>;
}

/** Asks upstream how a channel fares, for all who ask at a time. */
export interface ChannelProber {
  /** Keeps the answer, a changed profile too. null: upstream said nothing usable, or too many ask at once. */
  probe(channel: Channel, requestId?: string): Promise<UpstreamState | null>;
  /** As `probe`, unless upstream was asked a moment ago. */
  askWhenOld(channel: Channel, requestId?: string): Promise<void>;
}
