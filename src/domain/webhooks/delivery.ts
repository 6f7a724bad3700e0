import type { EventType } from '../events/table.ts';
import type { SealedBytes } from '../accounts/sealed.ts';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/**
 * One event on its way to `webhook_url`. The id is made from channel, upstream id, kind and part, so that a redelivered
 * upstream event finds its delivery already there; it is also the `X-Webhook-Id`. Times in ms. [architecture §6]
 */
export interface Delivery {
  id: string;
  channelId: string;
  accountId: string;
  event: EventType;
  /** Message the event is about, for the delivery log. */
  messageId: string;
  /** Whom that message is from or for. null: stored before this was kept. */
  person: string | null;
  /** What it is (`text`, `image`, …), of the event that brings it: what people write, echoes. null: a status. */
  messageType: string | null;
  /** Of the request or POST that led to it: the `X-Request-Id` of every attempt. null: no request led to it, or it was stored before ids were kept. */
  requestId: string | null;
  state: (typeof deliveryStates)[number];
  /** The exact bytes of every attempt; erased with the outcome, unless what was given up is kept. [spec: Payload storage] */
  payload: SealedBytes | null;
  /** Attempts that ended. */
  attempts: number;
  /** Owners that have claimed the next attempt and recorded none of its outcomes. [faults: 151] */
  claims: number;
  /** Start of the first attempt: the 20 minutes run from here. null before it. */
  firstTriedAt: number | null;
  nextDueAt: number;
  /** HTTP status of the last attempt, or why there was none. */
  lastResult: string | null;
  /** Its attempts, as `attempt-log.ts` writes them; null before the first. */
  attemptLog: string | null;
  /** Given up then, and its payload is kept for another try; null: nothing is kept. [operator-interface §4: content of given-up events] */
  keptSince: number | null;
  /** Length of what is kept. */
  keptBytes: number | null;
  epoch: number;
  createdAt: number;
}
