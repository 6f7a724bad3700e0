/** Stored deliveries, and answers of a receiver. */
import type { ChannelMessage } from '../../../actors/channel/messages.ts';
import type { WebhookResult } from '../../../src/rules/outside.ts';
import type { PendingDelivery } from '../../../src/storage/journal/channel-journal.ts';
import { newYear } from '../../rules/samples.ts';

export const up: WebhookResult = { ok: true, status: 204 };
export const down: WebhookResult = { ok: false, status: 503, reason: 'status' };

export function pendingOf(fields: Partial<PendingDelivery> = {}): PendingDelivery {
  return {
    id: 'd-1',
    event: 'message.received',
    messageId: 'm-1',
    requestId: null,
    attempts: 1,
    claims: 0,
    firstTriedAt: newYear - 60_000,
    nextDueAt: newYear,
    attemptLog: null,
    createdAt: newYear - 60_000,
    bytes: 100,
    ...fields,
  };
}

export const answer = (result: WebhookResult, deliveryId = 'd-1', startedAt = newYear): ChannelMessage => ({
  type: 'post-ended',
  deliveryId,
  outcome: 'answered',
  startedAt,
  result,
});
