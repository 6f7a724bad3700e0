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
