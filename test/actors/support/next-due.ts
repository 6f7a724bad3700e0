/** The next due time in a channel's state, computed from the whole state: `wakeAt` must never be later. */
import type { OpenDelivery } from '../../../actors/channel/deliveries/state.ts';
import type { OpenSend } from '../../../actors/channel/sends/state.ts';
import { paceAllowsAt } from '../../../actors/channel/sends/pace.ts';
import type { ChannelState } from '../../../actors/channel/state.ts';
import { readTier } from '../../../actors/channel/inbound/files.ts';
import { limits, orderHoldMs } from '../../../actors/channel/limits.ts';
import type { PendingDelivery } from '../../../src/storage/journal/channel-journal.ts';
import { isOperable } from '../../../src/rules/licences/operability.ts';

interface Due {
  at: number;
  why: string;
}

export function nextDueAt(state: ChannelState, now: number): Due | null {
  let soonest: Due | null = null;
  const see = (at: number, why: string): void => {
    if (at < (soonest?.at ?? Infinity)) soonest = { at, why };
  };
  for (const send of state.sends.open.values()) seeSend(state, send, now, see);
  seeLines(state, see);
  for (const { fact, expiresAt, dueAt } of state.facts.unmatched.values())
    see(dueAt === null ? expiresAt : dueAt + limits.echoWaitMs, `held ${fact.kind}`);
  seeInbound(state, see);
  for (const open of state.deliveries.open.values()) seeDelivery(state, open, see);
  return soonest;
}

type See = (at: number, why: string) => void;

function seeSend(state: ChannelState, send: OpenSend, now: number, see: See): void {
  const { rules } = state;
  const { stage, messageId, asks, attemptedAt } = send;
  if (stage === 'waiting') see(send.arrivedAt + rules.maxQueueAgeMs, `${messageId} too old`);
  if (stage === 'calling' && asks.length > 0) see(attemptedAt + rules.sendQueuedAfterMs, `${messageId} slow`);
  if (stage === 'withdrawing' && asks.length > 0) see(attemptedAt + rules.maxQueueAgeMs, `${messageId} void`);
  if ((stage !== 'deferred' && stage !== 'unconfirmed') || send.recording) return;
  const giveUpFrom = send.content === null ? send.arrivedAt : send.giveUpFrom;
  const held = send.heldUntil;
  if (giveUpFrom !== null) see(Math.max(held, giveUpFrom + rules.sendGiveUpAfterMs), `${messageId} given up`);
  if (state.draining || send.content === null) return;
  if (send.copies > 0 && !mayAct(state, now)) return;
  if (stage === 'unconfirmed' && send.copies > 1) return;
  const due = stage === 'deferred' ? (send.nextTryAt ?? 0) : attemptedAt + rules.sendResendAfterMs;
  const full = state.sends.calls >= limits.calls ? now + limits.retryPauseMs : 0;
  const polled = Math.max(full, paceAllowsAt(state.sends, send.content));
  see(Math.max(held, due, freeAt(state, send.recipient), polled), `${messageId} called again`);
}

/** The head of a queue is called as soon as its queue and a call are free. */
function seeLines(state: ChannelState, see: See): void {
  if (state.draining || state.sends.calls >= limits.calls) return;
  for (const [recipient, line] of state.sends.queues)
    if (line.waiting[0]?.content)
      see(
        Math.max(freeAt(state, recipient), paceAllowsAt(state.sends, line.waiting[0].content)),
        `line ${recipient}`,
      );
}

/** A complete message makes its events at once, or overtakes; a file that waits is due at its time, or needs a slot. */
function seeInbound(state: ChannelState, see: See): void {
  if (state.settings === null || state.draining) return;
  const held = new Map<string, number>();
  const isWithheld = readTier(state.settings) === 'starter';
  for (const { stage, pending, files, holdsUntil } of state.inbound.open.values()) {
    const { from } = pending.fact;
    if (stage === 'open' && (isWithheld || files.every((file) => file.stage === 'ended'))) {
      see(held.get(from) ?? 0, `inbound ${pending.id}`);
      continue;
    }
    if (stage === 'open')
      for (const file of files)
        if (file.stage === 'waiting')
          see(Math.max(file.nextTryAt, placeAt(state, file.tries > 0)), `file of ${pending.id}`);
    held.set(from, Math.max(held.get(from) ?? 0, holdsUntil));
  }
}

/** First attempts and retries have slots of their own; slow first attempts free theirs. */
function placeAt({ inbound }: ChannelState, isRetry: boolean): number {
  const alike = inbound.fetches.filter((fetch) => fetch.isRetry === isRetry);
  if (alike.length < limits.fetches) return 0;
  if (isRetry || alike.length >= limits.fetches + limits.slowFetches) return Infinity;
  const fourthNewest = alike.map(({ startedAt }) => startedAt).toSorted((a, b) => b - a)[limits.fetches - 1];
  return (fourthNewest ?? 0) + limits.slowFetchMs;
}

function seeDelivery(state: ChannelState, { delivery, stage }: OpenDelivery, see: See): void {
  if (stage === 'pending') see(delivery.nextDueAt, `delivery ${delivery.event}`);
  if (stage !== 'ready') return;
  if (delivery.firstTriedAt !== null)
    see(delivery.firstTriedAt + state.rules.webhookDeadlineMs + 1, `deadline ${delivery.event}`);
  if (isBehindItsPerson(state, delivery)) return; // the outcome of that one sets the alarm
  if (isBehindAnother(state, delivery.messageId)) return; // the end of that one's first attempt sets the alarm
  if (state.deliveries.posts < limits.posts && !state.draining && state.settings !== null)
    see(0, `ready ${delivery.event}`);
}

/** Whether the delivery is a later part of a message whose previous part has not had its first attempt yet. */
function isBehindAnother(state: ChannelState, messageId: string): boolean {
  const [base = '', part = '1'] = messageId.split('.');
  if (part === '1') return false;
  const before = part === '2' ? base : `${base}.${Number(part) - 1}`;
  const isAhead = ({ delivery, stage }: OpenDelivery): boolean =>
    delivery.messageId === before && delivery.attempts === 0 && stage !== 'recording';
  return [...state.deliveries.open.values()].some(isAhead);
}

/** Of an ordered channel: whether an earlier event of the person has not ended, or may be in the store alone. */
function isBehindItsPerson(
  { settings, deliveries }: ChannelState,
  { id, person, sequence }: PendingDelivery,
): boolean {
  if (settings?.channel.ordered !== true) return false;
  if (deliveries.gap !== 'none') return true;
  if (person == null) return false;
  return [...deliveries.open.values()].some(
    ({ delivery, stage }) =>
      delivery.person === person &&
      delivery.id !== id &&
      ((delivery.sequence ?? 0) < (sequence ?? 0) || !['pending', 'ready'].includes(stage)),
  );
}

function freeAt(state: ChannelState, recipient: string): number {
  const line = state.sends.queues.get(recipient);
  const behind = line?.inFlight ? line.inFlight.attemptedAt + orderHoldMs(state.rules) : 0;
  return Math.max(behind, line?.pausedUntil ?? 0, state.sends.pausedUntil);
}

function mayAct({ settings, rules }: ChannelState, now: number): boolean {
  return (
    settings !== null && settings.channel.isActive && isOperable(settings.subscription, now, rules.graceMs)
  );
}
