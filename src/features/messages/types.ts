/** Sends, message lists and timelines. */
import type { Direction, ListedMessage, ListedStatus } from './listed.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { MessageRecord } from './timeline-rules.ts';
import type { GivenExtras } from './extras.ts';
import type { SendReply } from '../../rules/messages/send-reply.ts';
import type { ShownDelivery } from '../deliveries/index.ts';

/** Common fields of all sends; each send adds its own in `sends.ts`. */
export interface SendCommand {
  channelId: string;
  recipient: string;
  idempotencyKey: string | null;
  /** Id of the client's request; sent to upstream and in the resulting webhooks. */
  requestId?: string;
  /** Absent or null: none. */
  extras?: GivenExtras | null;
}

/** Filter of a message list; null: no restriction. Times in ms, `until` excluded. */
export interface MessageFilter {
  /** A phone number in any notation, or a person's id. */
  person: string | null;
  channelId: string | null;
  direction: Direction | null;
  status: ListedStatus | null;
  since: number | null;
  until: number | null;
}

export type SendAnswer = SendReply & { messageId: string };

/** A message and the deliveries of its events, oldest first. */
export interface MessageTimeline {
  message: MessageRecord;
  deliveries: ShownDelivery[];
}

export type MessageOnChannel = ListedMessage & { channelType: ChannelType };
