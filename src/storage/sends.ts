/** What became of a send whose owner vanished. */
import type { OutboundMessage } from '../rules/messages/message.ts';

/** Stored state of a send whose owner disappeared before it answered. */
export type SettledSend = Pick<OutboundMessage, 'state' | 'error' | 'errorCode'>;

export interface SendStore {
  /**
   * Inserts the message, under an epoch below every owner's, unless the channel's owner has inserted the id: the first insert wins.
   * Returns the stored state, durably. A marker (state `abandoned`) means that nothing was sent under this id and never will be; a
   * `queued` message is sent by the channel's next owner, after the messages that owners recorded before. Idempotent.
   * [architecture §5]
   */
  insertUnlessTaken(message: OutboundMessage): Promise<SettledSend>;
}
