/** What each engine implements itself of sent messages. */
import type { OutboundMessage } from '../rules/messages/message.ts';

/** Stored state of a send whose owner disappeared before it answered. */
export type SettledSend = Pick<OutboundMessage, 'state' | 'error' | 'errorCode'>;

/** A message that upstream knows by an id of its own. */
export interface KnownUpstream {
  channelId: string;
  messageId: string;
}

export interface SendStore {
  /** The message with this id of upstream on one of these channels, a few hundred at most; null: there is none. */
  byUpstreamId(channelIds: readonly string[], upstreamId: string): Promise<KnownUpstream | null>;
  /**
   * Inserts the message, under an epoch below every owner's, unless the channel's owner has inserted the id: the first insert wins.
   * Returns the stored state, durably. A marker (state `abandoned`) means that nothing was sent under this id and never will be; a
   * `queued` message is sent by the channel's next owner, after the messages that owners recorded before. Idempotent.
   * [architecture §5]
   */
  insertUnlessTaken(message: OutboundMessage): Promise<SettledSend>;
}
