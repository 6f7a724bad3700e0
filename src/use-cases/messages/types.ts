/** Sends, and what upstream tells. */
import type { Direction, ListedMessage, ListedStatus } from '../../domain/messages/listed.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import type { MessageRecord } from '../../domain/messages/timeline.ts';
import type { ShownDelivery } from '../deliveries/types.ts';
import type { SendReply } from '../../domain/messages/send-reply.ts';

/** What the sends have in common; what one has beside it stands with its use-case. */
export interface SendCommand {
  channelId: string;
  recipient: string;
  idempotencyKey: string | null;
  /** Of the request that asks for it; goes to upstream and into the webhooks that follow. */
  requestId?: string;
}

/** Which messages a list has; null: any. Times in ms, `until` not included. */
export interface MessageFilter {
  /** A number however it is written, or a person's id. */
  person: string | null;
  channelId: string | null;
  direction: Direction | null;
  status: ListedStatus | null;
  since: number | null;
  until: number | null;
}

export type SendAnswer = SendReply & { messageId: string };

/** A message and the webhooks that tell of it, the oldest first. */
export interface MessageTimeline {
  message: MessageRecord;
  deliveries: ShownDelivery[];
}

export type MessageOnChannel = ListedMessage & { channelType: ChannelType };
