/** Who the people are that write to a channel. */
import type { Channel } from '../../domain/channels/channel.ts';

/** What upstream shows of a person, under upstream's names. [spec: Sender profile] */
export type SenderProfile = Readonly<Record<string, string | number | boolean | null>>;

export interface ProfileUpstream {
  /**
   * One call. null: upstream shows nothing of this person (no consent, no such person, no permission for any field). Throws Fault
   * `upstream_failed` when it refuses for another reason or gives no usable answer. [upstream §7]
   */
  profileOf(channel: Channel, userId: string): Promise<SenderProfile | null>;
}
