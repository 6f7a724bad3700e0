/**
 * Which send goes next. Sends to one person go in order: the next one waits for the answer to the previous one (at most `orderHoldMs`).
 * People go in parallel, up to `limits.calls`. A pair-rate refusal pauses the queue, a throughput refusal the channel; both hold back
 * retries and copies too. Age in the queue, not length, decides `overloaded`. [architecture §5]
 */
import { isPaused } from '../../../src/rules/channels/channel.ts';
import type { Content } from '../../../src/rules/messages/content.ts';
import type { ChannelEffect } from '../messages.ts';
import { operableSettings, findRefusal, findSendRefusal } from '../eligibility.ts';
import type { Refusal } from '../eligibility.ts';
import { limits, orderHoldMs } from '../limits.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { isFull, keepPace, paceAllowsAt, slowDownPair, wakeForPace, postpone } from './pace.ts';
import { forgetSend, moveSend, findQueue, endPostponement } from './state.ts';
import type { OpenSend, PersonQueue } from './state.ts';

/** Appends a new send to its person's queue and starts what can start. */
export function enqueue(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  state.sends.open.set(send.messageId, send);
  send.person = queueFor(state, send.recipient);
  const queue = findQueue(state.sends, send.person);
  queue.waiting.push(send);
  wakeBy(state, now + state.rules.maxQueueAgeMs);
  return startQueue(state, send.person, queue, now);
}

/** Sends that wait under the recipient's own name go first: upstream has only now told that it is another name of somebody. */
function queueFor({ channelId, names, sends }: ChannelState, recipient: string): string {
  const person = names.personOf(channelId, recipient);
  return person === recipient || sends.queues.has(recipient) ? recipient : person;
}

/** The call of `send` is over, or its answer does not matter for the order any more: the next send may go. */
export function releaseQueue(state: ChannelState, send: OpenSend, now: number): ChannelEffect[] {
  const queue = state.sends.queues.get(send.person);
  if (queue === undefined) return startWaitingForSlot(state, now);
  if (queue.inFlight === send) {
    queue.inFlight = null;
    if (queue.retryWaiting) wakeBy(state, now);
    queue.retryWaiting = false;
  }
  const effects = startQueue(state, send.person, queue, now);
  effects.push(...startWaitingForSlot(state, now));
  return effects;
}

/** A call has ended: sends that waited only for a call slot may go. */
export function startWaitingForSlot(state: ChannelState, now: number): ChannelEffect[] {
  return state.sends.waitingForSlot && !isFull(state.sends, now) ? startAll(state, now) : [];
}

/** `Retry-After` of a refused send: by then every accepted send has been called or refused. */
export function tryAgainLater({ rules }: ChannelState): { retryAfter: number } {
  return { retryAfter: Math.ceil(rules.maxQueueAgeMs / 1_000) };
}

export function pausePair(state: ChannelState, person: string, until: number): void {
  const queue = findQueue(state.sends, person);
  slowDownPair(queue);
  queue.pausedUntil = Math.max(queue.pausedUntil, until);
  // The refused send goes first. Times that were planned before stand: no send waits longer than its pace.
  queue.plannedFreeAt = Math.max(queue.plannedFreeAt, queue.pausedUntil + queue.gapMs);
}

/** Starts whatever can start in every queue, oldest queues first. */
export function startAll(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  state.sends.waitingForSlot = false;
  for (const [person, queue] of state.sends.queues) {
    effects.push(...startQueue(state, person, queue, now));
    if (state.sends.waitingForSlot) break;
    if (effects.length < limits.turn) continue;
    wakeBy(state, now + 1);
    break;
  }
  return effects;
}

/** End of a turn: deletes queues whose last postponed send has gone. */
export function dropEmptied(state: ChannelState, now: number): void {
  const sends = state.sendsAtWork;
  if (sends === null) return;
  for (const person of sends.emptied) {
    const queue = sends.queues.get(person);
    if (queue !== undefined) dropIfEmpty(state, person, queue, now);
  }
  sends.emptied = [];
}

/** A queue is kept until its pause ends, even if nothing waits in it. */
function dropIfEmpty(state: ChannelState, person: string, queue: PersonQueue, now: number): void {
  if (queue.waiting.length + queue.postponed > 0 || queue.inFlight !== null) return;
  if (queue.pausedUntil <= now) state.sends.queues.delete(person);
  else wakeBy(state, queue.pausedUntil); // deleted then
}

/** When a retry or copy may go to this person. If a send is in flight, its answer triggers another look. */
export function freeAt(state: ChannelState, person: string, now: number): number {
  const queue = state.sends.queues.get(person);
  if (queue === undefined) return channelPauseEnd(state, now);
  if (queue.inFlight !== null) queue.retryWaiting = true;
  return whenFree(state, queue, now);
}

/** Upstream has paused the number for a time that nobody knows: nothing is called until it has it back. */
export function isNumberPaused({ settings }: ChannelState): boolean {
  return settings !== null && isPaused(settings.channel);
}

/** Claims another upstream call for a send that is already in the store. */
export function callAgain(
  state: ChannelState,
  send: OpenSend,
  content: Content,
  settings: ChannelSettings,
  now: number,
): ChannelEffect {
  findQueue(state.sends, send.person).inFlight = send;
  endPostponement(state.sends, send);
  return call(state, send, content, settings, now);
}

function startQueue(state: ChannelState, person: string, queue: PersonQueue, now: number): ChannelEffect[] {
  const effects = queue.waiting.length === 0 ? [] : startWaiting(state, queue, now);
  dropIfEmpty(state, person, queue, now);
  return effects;
}

function startWaiting(state: ChannelState, queue: PersonQueue, now: number): ChannelEffect[] {
  // [faults: 52] The licence may have lapsed during the wait.
  const settings = operableSettings(state, now);
  if (settings === null) return rejectAll(state, queue, findRefusal(state, now));
  const effects: ChannelEffect[] = [];
  for (let send = queue.waiting[0]; send !== undefined; send = queue.waiting[0]) {
    const until = pauseEnd(state, queue, now);
    if (until > now || queue.postponed > 0) {
      effects.push(...postponeWaiting(state, queue, settings, Math.max(until, now), now));
      break;
    }
    const freeFrom = whenFree(state, queue, now);
    if (freeFrom > now) {
      wakeBy(state, freeFrom);
      break;
    }
    const { content } = send;
    if (content === null || waitsForItsTurn(state, content, now)) break;
    queue.waiting.shift();
    const refusal = findSendRefusal(state, content, now);
    if (refusal !== null) {
      effects.push(...rejectSend(state, send, refusal));
      continue;
    }
    queue.inFlight = send;
    effects.push(call(state, send, content, settings, now));
  }
  return effects;
}

/** The send waits for a free call slot or for the pace; the alarm or the next free slot triggers another look. */
function waitsForItsTurn(state: ChannelState, content: Content, now: number): boolean {
  const { sends } = state;
  const freeFrom = paceAllowsAt(sends, content);
  const noFreeCall = sends.calls >= limits.calls;
  if (!noFreeCall && freeFrom <= now) return false;
  // A send with audio or video blocks only its own person.
  if (isFull(sends, now)) sends.waitingForSlot = true;
  if (freeFrom > now) wakeForPace(state, freeFrom, now);
  if (!noFreeCall) sends.pacedAt = now;
  return true;
}

/** Upstream demands a pause, or earlier sends to this person are postponed. */
function postponeWaiting(
  state: ChannelState,
  queue: PersonQueue,
  settings: ChannelSettings,
  until: number,
  now: number,
): ChannelEffect[] {
  const effects = queue.waiting.splice(0, limits.turn).flatMap((send) => {
    const refusal = findSendRefusal(state, send.content, now);
    if (refusal !== null) return rejectSend(state, send, refusal);
    return postpone(state.sends, send, { settings, until, isNumberPaused: isNumberPaused(state) }, now);
  });
  if (queue.waiting.length > 0) wakeBy(state, now + 1);
  return effects;
}

function rejectAll(state: ChannelState, queue: PersonQueue, refusal: Refusal | null): ChannelEffect[] {
  const rejected = queue.waiting;
  queue.waiting = [];
  return rejected.flatMap((send) => rejectSend(state, send, refusal));
}

/** Forgets a send of which nothing is stored or sent, and refuses its asks. */
export function rejectSend(
  state: ChannelState,
  { messageId, asks }: OpenSend,
  refusal: Refusal | null,
): ChannelEffect[] {
  forgetSend(state, messageId);
  return refusal === null || asks.length === 0 ? [] : [{ effect: 'refuse', asks, ...refusal }];
}

function whenFree(state: ChannelState, queue: PersonQueue, now: number): number {
  const behind = queue.inFlight === null ? 0 : queue.inFlight.attemptedAt + orderHoldMs(state.rules);
  return Math.max(behind, pauseEnd(state, queue, now));
}

function pauseEnd(state: ChannelState, queue: PersonQueue, now: number): number {
  return Math.max(queue.pausedUntil, channelPauseEnd(state, now));
}

/** A channel whose number is paused is looked at again and again; new settings, which tell the end, trigger a look too. */
function channelPauseEnd(state: ChannelState, now: number): number {
  const { pausedUntil } = state.sends;
  return isNumberPaused(state) ? Math.max(pausedUntil, now + limits.numberPausedLookMs) : pausedUntil;
}

function call(
  state: ChannelState,
  send: OpenSend,
  content: Content,
  settings: ChannelSettings,
  now: number,
): ChannelEffect {
  const first = send.stage === 'waiting';
  if (send.stage === 'unconfirmed') send.copyAt = send.attemptedAt;
  moveSend(send, 'claiming');
  send.giveUpFrom ??= first ? send.arrivedAt : now;
  send.callBefore = send.tries === 0 ? null : { n: send.tries, at: send.attemptedAt };
  send.attemptedAt = now;
  send.nextTryAt = null;
  send.copies += 1;
  send.tries += 1;
  state.sends.calls += 1;
  keepPace(state.sends, { channel: settings.channel, person: send.person, content }, now);
  // The call may run until a second copy would be due: a late answer is worth more than a second copy.
  const timeoutMs = state.rules.sendResendAfterMs;
  return { effect: 'claim-and-call', send: { ...send }, content, first, settings, timeoutMs };
}

/** Refuses the sends that were never claimed. */
export function rejectWaiting(state: ChannelState): ChannelEffect[] {
  const waiting = [...state.sends.open.values()].filter(({ stage }) => stage === 'waiting');
  for (const queue of state.sends.queues.values()) queue.waiting = [];
  return waiting.flatMap((send) => rejectSend(state, send, { code: 'unavailable', details: {} }));
}
