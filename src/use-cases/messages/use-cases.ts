/** Sends, and what upstream tells. */
import type { Caller } from '../caller.ts';
import type { SendReply } from '../../../actors/channel/messages.ts';

export interface SendTextCommand {
  channelId: string;
  recipient: string;
  text: string;
  idempotencyKey: string | null;
}

export type SendAnswer = SendReply & { messageId: string };

export interface MessageUseCases {
  sendText(caller: Caller, command: SendTextCommand): Promise<SendAnswer>;
  /** A POST of upstream whose signature was checked. Returns when everything in it is durable. */
  receiveUpstreamPost(body: Uint8Array): Promise<void>;
}
