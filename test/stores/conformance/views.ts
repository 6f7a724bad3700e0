/** The part of stored values that a channel's owner reads. */
import type { KnownMessage, PendingDelivery } from '../../../src/storage/journal/channel-journal.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';

export function knownOf(m: OutboundMessage): KnownMessage {
  const { id, origin, recipient, state, rank, deliveryFailed, attemptedAt, statusAt, upstreamIds } = m;
  return { id, origin, recipient, state, rank, deliveryFailed, attemptedAt, statusAt, upstreamIds };
}

export function pendingOf(d: Delivery): PendingDelivery {
  const {
    id,
    event,
    messageId,
    requestId,
    attempts,
    claims,
    firstTriedAt,
    nextDueAt,
    attemptLog,
    createdAt,
    person,
    sequence,
  } = d;
  const scheduled = { attempts, claims, firstTriedAt, nextDueAt, attemptLog, createdAt, person, sequence };
  return { id, event, messageId, requestId, ...scheduled, bytes: d.payload?.length ?? 0 };
}
