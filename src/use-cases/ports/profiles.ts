/** Who the people are that write to a channel. */
import type { Channel } from '../../domain/channels/channel.ts';

/** What upstream shows of a person, under upstream's names. [spec: Sender profile] */
export type SenderProfile = Readonly<Record<string, string | number | boolean | null>>;

export interface ProfileUpstream {
  /**
   * One call. null: upstream shows nothing of this person (no consent, no such person, no permission for any field). Throws Fault
   * `upstream_failed` when it refuses for another reason or gives no usable answer. [upstream §7]
   */
  readProfile(channel: Channel, userId: string): Promise<SenderProfile | null>;
}

/** What is remembered of a person. null: upstream shows none. */
export interface KnownProfile {
  profile: SenderProfile | null;
}

/** Who a remembered profile is of: a scoped id means another person on another channel. */
export interface ProfileSubject {
  accountId: string;
  channelId: string;
  /** Connected anew, the channel may be shown more. */
  connectedAt: number | null;
  userId: string;
}

/** What all nodes remember together. Never rejects: out of reach, it knows nothing and keeps nothing. */
export interface SharedProfiles {
  /** undefined: not known, or no longer fresh. */
  recall(subject: ProfileSubject): Promise<KnownProfile | undefined>;
  remember(subject: ProfileSubject, known: KnownProfile, ttlMs: number): Promise<void>;
}
