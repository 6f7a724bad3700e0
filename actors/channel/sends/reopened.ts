/** Sends as the next owner finds them in the store. */
import { findQueue, nobody } from './state.ts';
import type { OpenSend, SendRefusal, SendsState } from './state.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { waitsForOperator } from '../../../src/rules/messages/operator-fault.ts';
import type { Pace } from '../../../src/rules/channels/kind.ts';
import type { OpenedMessage } from '../../../src/storage/journal/channel-journal.ts';

/** Sends left by an earlier owner. `pairPace`: of the channel's kind; people with postponed sends have probably used it up. */
export function reopenSends(
  sends: SendsState,
  open: readonly OpenedMessage[],
  pairPace: Pace | null,
  now: number,
): void {
  for (const send of dateByOurClock(open.map(reopened), now)) {
    sends.open.set(send.messageId, send);
    if (send.stage !== 'deferred' || send.tries > 0) continue;
    const queue = findQueue(sends, send.person);
    send.postponed = true;
    const at = send.nextTryAt ?? 0;
    queue.gapMs = pairPace?.gapMs ?? 0;
    queue.pausedUntil = queue.postponed === 0 ? at : Math.min(queue.pausedUntil, at);
    queue.plannedFreeAt = Math.max(queue.plannedFreeAt, at + queue.gapMs);
    queue.postponed += 1;
  }
}

/**
 * A call behind us that is dated ahead was made by an owner whose clock was ahead, perhaps by hours: what waits since then waits as long by
 * our clock, in the same order. [faults: 554]
 */
export function dateByOurClock(sends: readonly OpenSend[], now: number): readonly OpenSend[] {
  let aheadMs = 0;
  for (const { attemptedAt } of sends) aheadMs = Math.max(aheadMs, attemptedAt - now);
  if (aheadMs === 0) return sends;
  for (const send of sends) {
    if (send.nextTryAt !== null) send.nextTryAt -= aheadMs;
    if (send.giveUpFrom !== null) send.giveUpFrom = Math.min(send.giveUpFrom, now);
    send.attemptedAt = Math.min(send.attemptedAt, now);
  }
  return sends;
}

/** `sending` in the store without a live owner: the call may or may not have happened. [architecture §5] */
export function reopened({ message, content }: OpenedMessage): OpenSend {
  const { error, errorCode, calls, tries } = message;
  return {
    messageId: message.id,
    recipient: message.recipient,
    person: message.recipient,
    content,
    stage: message.state === 'queued' && message.nextTryAt !== null ? 'deferred' : 'unconfirmed',
    asks: [],
    recordedFor: nobody,
    toldQueued: false,
    requestId: null,
    arrivedAt: message.createdAt,
    copies: message.copies,
    tries,
    attemptedAt: Math.max(message.attemptedAt, calls?.[tries]?.at ?? 0), // see `recordDeferred`
    callBefore: null,
    copyAt: lastUnknown(message),
    giveUpFrom: giveUpFrom(message),
    nextTryAt: message.nextTryAt,
    heldUntil: 0,
    recording: false,
    onRecord: true,
    postponed: false,
    confirmed: false,
    upstreamId: null,
    refusal: error === null ? lastSaid(message.calls) : { error, errorCode },
  };
}

/** Start of the last call before the latest one whose outcome is unknown. */
function lastUnknown({ calls, tries }: OutboundMessage): number | null {
  let last: number | null = null;
  for (const [n, { at, outcome }] of Object.entries(calls ?? {}))
    if (outcome === 'unknown' && Number(n) < tries) last = Math.max(at, last ?? at);
  return last;
}

/** For calls with an unknown outcome the record has only their log. */
function lastSaid(calls: OutboundMessage['calls']): SendRefusal | null {
  let last: SendRefusal | null = null;
  for (const { error, code } of Object.values(calls ?? {}))
    if (error !== null && code !== null) last = { error, errorCode: code };
  return last;
}

/** The time of the first call is known only while it is also the last. Calls that failed for the operator's fault do not count. */
function giveUpFrom({ tries, attemptedAt, createdAt, error, calls }: OutboundMessage): number | null {
  if (tries === 0 || waitsForOperator(error)) return null;
  if (tries === 1) return attemptedAt;
  const waited = Object.values(calls ?? {}).filter((call) => waitsForOperator(call.error));
  return Math.max(createdAt, ...waited.map(({ at, endedAt }) => endedAt ?? at));
}
