/** The messages that went out on a channel, for who asks what became of one. */
import type { MessageRecord } from '../../domain/messages/timeline.ts';

export interface MessageLogStore {
  find(message: { accountId: string; channelId: string; id: string }): Promise<MessageRecord | null>;
  /** Whoever's it is: for operators. */
  byId(id: string): Promise<MessageRecord | null>;
}
