import type { ChannelFact, ConversationReceipt, Receipt } from '../../../src/rules/messages/facts.ts';
import type { ChannelMessage } from '../../../actors/channel/messages.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import { newYear } from '../../rules/samples.ts';

export function receiptOf(fields: Partial<Receipt> = {}): Receipt {
  return {
    kind: 'receipt',
    channelType: 'chatapp',
    identity: 'x',
    status: 'delivered',
    upstreamId: 'up-1',
    tag: null,
    recipient: 'mia',
    at: newYear,
    errors: [],
    ...fields,
  };
}

/** A receipt of everything up to `at`. */
export function readOf(
  channelType: ChannelType,
  fields: Partial<ConversationReceipt> = {},
): ConversationReceipt {
  return {
    kind: 'conversation-receipt',
    channelType,
    identity: 'x',
    status: 'read',
    recipient: 'mia',
    upTo: fields.at ?? newYear,
    upToUpstreamId: null,
    at: newYear,
    ...fields,
  };
}

/** Facts turn by turn: given to the channel, looked up without a match, and committed. */
export const facts = (...taken: ChannelFact[]): ChannelMessage => ({ type: 'take-facts', facts: taken });
export const resolved = (job: number): ChannelMessage => ({
  type: 'facts-resolved',
  job,
  known: [],
  conversations: [[]],
  delivered: [],
});
export const committed = (job: number): ChannelMessage => ({
  type: 'facts-ended',
  job,
  outcome: 'committed',
  again: [],
});
