/** The call that reads the profile of a person who writes to a channel. */
import type { Channel } from '../rules/channels/channel.ts';

/** A person's profile fields, under upstream's names. [spec: Sender profile] */
export type SenderProfile = Readonly<Record<string, string | number | boolean | null>>;

export interface ProfileUpstream {
  /**
   * Makes one call. null: upstream shows nothing of this person (no consent, no such person, no permission for any field). Throws Fault
   * `upstream_failed` if upstream refuses for another reason or gives no usable answer. [upstream §7]
   */
  readProfile(channel: Channel, userId: string): Promise<SenderProfile | null>;
}

/** A cached profile; null: upstream shows none. */
export interface KnownProfile {
  profile: SenderProfile | null;
}

/** Cache key of a profile. A scoped id means a different person on each channel. */
export interface ProfileSubject {
  accountId: string;
  channelId: string;
  /** Part of the key, because upstream may show more after a reconnect. */
  connectedAt: number | null;
  userId: string;
}

/** Profile cache shared by all nodes. Never rejects: while it is out of reach, every look-up misses and nothing is stored. */
export interface SharedProfiles {
  /** undefined: not cached, or expired. */
  recall(subject: ProfileSubject): Promise<KnownProfile | undefined>;
  remember(subject: ProfileSubject, known: KnownProfile, ttlMs: number): Promise<void>;
}
