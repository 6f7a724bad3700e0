import type { EventType } from '../events/table.ts';
import type { SealedBytes } from '../../kernel/sealed.ts';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/**
 * Delivery of one event to `webhook_url`. The id is derived from channel, upstream id, kind and part, so that a redelivered
 * upstream event finds the existing delivery; it is also the `X-Webhook-Id`. Times in ms. [architecture §6]
 */
export interface Delivery {
  id: string;
  channelId: string;
  accountId: string;
  event: EventType;
  /** Message the event is about, for the delivery log. */
  messageId: string;
  /** Sender or recipient of that message. null: stored by an earlier version. */
  person: string | null;
  /** Type of the message (`text`, `image`, …) for received messages and echoes. null: a status. */
  messageType: string | null;
  /** Upstream's id of the message, for answers to it. null: a status, or stored by an earlier version. */
  upstreamId: string | null;
  /** Id of the request or POST that caused it, the `X-Request-Id` of every attempt. null: none, or stored by an earlier version. */
  requestId: string | null;
  state: (typeof deliveryStates)[number];
  /** The exact bytes of every attempt; erased with the outcome, unless a given-up payload is kept. [spec: Payload storage] */
  payload: SealedBytes | null;
  /** Attempts that ended. */
  attempts: number;
  /** Claims of the next attempt by owners that recorded no outcome of it. [faults: 151] */
  claims: number;
  /** Start of the first attempt, from which the 20 minutes run. null before it. */
  firstTriedAt: number | null;
  nextDueAt: number;
  /** HTTP status of the last attempt, or the reason if there was none. */
  lastResult: string | null;
  /** See `withAttempt`; null before the first attempt. */
  attemptLog: string | null;
  /** Time of giving up, if the payload is kept for a retry; null: not kept. [operator-interface §4: content of given-up events] */
  keptSince: number | null;
  /** Size of the kept payload. */
  keptBytes: number | null;
  /** Place among the deliveries of the channel; null: its deliveries were in no order. */
  sequence: number | null;
  epoch: number;
  createdAt: number;
}

/** The result of a delivery that its receiver no longer asked for: it has failed, and nobody is mailed. */
export const canceledResult = 'canceled: event or webhook_url no longer configured';

/** Whether a failed delivery counts as given up: nothing has failed of one that was canceled, but one that is kept can be replayed. */
export const countsAsGivenUp = (lastResult: string | null, isKept: boolean): boolean =>
  isKept || lastResult !== canceledResult;

/**
 * The attempt log in a delivery's record: one short text, so that it is written together with the outcome. An entry
 * is `start duration status word`, with `-` for a missing value; entries are separated by `;`. A `+` before the first says that older
 * entries were dropped; earlier versions read it as the sign of a number.
 */
export interface LoggedAttempt {
  /** Start, ms. */
  at: number;
  durationMs: number;
  /** HTTP status of the answer; null: no answer. */
  status: number | null;
  /** Reason of the failure in a word or two; null: delivered. */
  failure: string | null;
}

/** Eight scheduled attempts and a manual one; the oldest entry is dropped beyond it. */
export const maxLoggedAttempts = 9;

const droppedMark = '+';

/** The log with one more attempt. */
export function withAttempt(log: string | null, attempt: LoggedAttempt): string {
  const { at, durationMs, status, failure } = attempt;
  const entry = `${at} ${durationMs} ${status ?? '-'} ${failure ?? '-'}`;
  if (log === null) return entry;
  const entries = [...log.split(';'), entry];
  if (entries.length <= maxLoggedAttempts) return entries.join(';');
  return droppedMark + entries.slice(-maxLoggedAttempts).join(';');
}

/** Whether attempts before the first entry are no longer in the log. */
export function hasDroppedAttempts(log: string | null): boolean {
  return log?.startsWith(droppedMark) === true;
}

/** Oldest first. */
export function parseAttempts(log: string | null): LoggedAttempt[] {
  return log === null ? [] : log.split(';').map(parseAttempt);
}

function parseAttempt(entry: string): LoggedAttempt {
  const [at, durationMs, status = '-', ...failure] = entry.split(' ');
  const why = failure.join(' ');
  return {
    at: Number(at),
    durationMs: Number(durationMs),
    status: status === '-' ? null : Number(status),
    failure: why === '-' ? null : why,
  };
}
