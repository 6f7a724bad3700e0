/** How a webhook attempt, or the end without an attempt, is recorded. [spec: Delivery and retry of webhooks] */
import { canceledResult, withAttempt } from '../../../src/rules/webhooks/delivery.ts';
import type { LoggedAttempt } from '../../../src/rules/webhooks/delivery.ts';
import { webhookTrouble } from '../../../src/rules/mails/webhooks.ts';
import { readOwner } from '../../../src/rules/webhooks/endpoints.ts';
import { mailAfter, nextAttempt, triedForMs } from '../../../src/rules/webhooks/retry.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelEffect, TurnWrite, EffectResult } from '../messages.ts';
import type { DeliveryAttempt, MailLine } from '../../../src/storage/journal/writes.ts';
import { storedResult, unreadable } from '../../../src/rules/outside.ts';
import type { PendingDelivery } from '../../../src/storage/journal/channel-journal.ts';
import type { ChannelState } from '../state.ts';
import { isEnabled } from '../eligibility.ts';
import { limits } from '../limits.ts';
import type { OpenDelivery } from './state.ts';
import { moveDelivery } from './state.ts';
import { hourMs } from '../../../src/kernel/clock.ts';

/** The outcome of an attempt that was made. */
export type AnsweredPost = Extract<EffectResult, { type: 'post-ended'; outcome: 'answered' }>;

/** An attempt has ended: delivered, tried again later, or given up with an alert. */
export function recordResult(
  state: ChannelState,
  open: OpenDelivery,
  answered: AnsweredPost,
  now: number,
): ChannelEffect[] {
  const { delivery } = open;
  const attempt = judgeAttempt(state, open, answered, now);
  const isReadable = answered.result.ok || answered.result.reason !== unreadable;
  const { attempts, firstTriedAt, nextDueAt, attemptLog } = attempt;
  const mail = answered.result.ok || open.isByHand ? null : chooseMail(state, attempt, delivery, now);
  open.payload = null;
  open.isByHand = false;
  open.lost = 0;
  // A delivered one is forgotten when its outcome is stored.
  if (attempt.state !== 'delivered')
    open.delivery = { ...delivery, attempts, claims: 0, firstTriedAt, nextDueAt, attemptLog };
  const cause = answered.result.ok ? undefined : answered.result.cause;
  return [
    recordAttempt(state, open, attempt, mail, isReadable),
    attemptLine(state, delivery, attempt, now, cause),
  ];
}

/** Ends the delivery without another attempt: its deadline has passed during the wait, or it was quarantined. */
export function giveUp(
  state: ChannelState,
  open: OpenDelivery,
  why: string,
  now: number,
  mayBeKept = true,
): ChannelEffect[] {
  const { delivery } = open;
  const attempt = endWithoutTry(delivery, why, now);
  const mail = chooseMail(state, attempt, delivery, now);
  return [recordAttempt(state, open, attempt, mail, mayBeKept), attemptLine(state, delivery, attempt, now)];
}

/** The channel does not ask for this event any more: recorded as not delivered. [faults §6.2, §6.7] */
export function cancel(state: ChannelState, open: OpenDelivery, now: number): ChannelEffect {
  return recordAttempt(state, open, endWithoutTry(open.delivery, canceledResult, now), null);
}

function endWithoutTry(
  { attempts, firstTriedAt, attemptLog }: PendingDelivery,
  lastResult: string,
  now: number,
): DeliveryAttempt {
  const first = firstTriedAt ?? now;
  return { state: 'failed', attempts, firstTriedAt: first, nextDueAt: now, lastResult, attemptLog };
}

/** `mayBeKept`: false for payloads that can't be decrypted or that end their node, because another try would fail again. */
function recordAttempt(
  state: ChannelState,
  open: OpenDelivery,
  made: DeliveryAttempt,
  mail: MailLine | null,
  mayBeKept = true,
): ChannelEffect {
  const { id: deliveryId, bytes } = open.delivery;
  moveDelivery(open, 'recording');
  const isKept = made.state === 'failed' && mayBeKept && mayKeep(state, open.delivery);
  if (isKept) state.kept = { ...state.kept, decided: state.kept.decided + bytes };
  const attempt = isKept ? { ...made, kept: { keptSince: made.nextDueAt, keptBytes: bytes } } : made;
  const writes: TurnWrite[] = [{ write: 'recordAttempt', deliveryId, attempt }];
  if (mail !== null) writes.push({ write: 'addMail', mail });
  const ended = made.state !== 'pending';
  const report: EffectResult = { type: 'attempt-recorded', deliveryId, ended, kept: isKept ? bytes : 0 };
  return commitUntilStored(writes, { report });
}

function judgeAttempt(
  state: ChannelState,
  { delivery, isByHand }: OpenDelivery,
  answered: AnsweredPost,
  now: number,
): DeliveryAttempt {
  const { result, startedAt } = answered;
  const made = {
    attempts: delivery.attempts + 1,
    firstTriedAt: delivery.firstTriedAt ?? startedAt,
    lastResult: storedResult(result),
    attemptLog: withAttempt(delivery.attemptLog, makeEntry(answered, now)),
  };
  // New members come before the spread. [performance §4]
  if (result.ok) return { state: 'delivered', nextDueAt: now, ...made };
  if (isByHand) {
    return { ...made, state: 'pending', attempts: delivery.attempts, nextDueAt: delivery.nextDueAt };
  }
  const next = nextAttempt({ ...made, now }, scheduleIn(state));
  if (next === 'give-up') return { ...made, state: 'failed', nextDueAt: now };
  return { ...made, state: 'pending', nextDueAt: next.dueAt };
}

function scheduleIn({ rules }: ChannelState) {
  return { delaysMs: rules.webhookRetryDelaysMs, deadlineMs: rules.webhookDeadlineMs };
}

function makeEntry({ result, startedAt }: AnsweredPost, now: number): LoggedAttempt {
  const failure = result.ok ? null : result.reason;
  return { at: startedAt, durationMs: Math.max(0, now - startedAt), status: result.status, failure };
}

/** [spec: Warning e-mail, Alert e-mail] Both are sent at once: a warning at most once an hour, an alert at most once in an interval. */
function chooseMail(
  state: ChannelState,
  attempt: DeliveryAttempt,
  delivery: PendingDelivery,
  now: number,
): MailLine | null {
  const kind = mailAfter(attempt.attempts, attempt.state === 'failed');
  const { settings, channelId, rules } = state;
  // Who does not ask for the event any more is not told that it failed.
  if (kind === null || settings === null || !isEnabled(settings, delivery.event)) return null;
  const { channel } = settings;
  const { endpointId } = readOwner(channelId);
  const receiver = { endpointId, hasOwnHeaders: settings.headers != null };
  const { event, messageId } = delivery;
  const { attempts, lastResult, firstTriedAt } = attempt;
  const since = Math.min(firstTriedAt, state.deliveries.failingSince ?? firstTriedAt);
  const tried = triedForMs(scheduleIn(state));
  const trouble = { event, messageId, attempts, lastResult, since, triedForMs: tried };
  return {
    ...(kind === 'webhook-warning' ? warningMail(channelId, now) : alertMail(state, now)),
    accountId: channel.accountId,
    kind,
    ...webhookTrouble(kind, { channel, ...receiver, ...trouble, at: now, baseUrl: rules.baseUrl }),
    createdAt: now,
  };
}

type MailTime = Pick<MailLine, 'id' | 'sendAfter'>;

function warningMail(channelId: string, now: number): MailTime {
  return { id: `webhook-warning:${channelId}:${Math.floor(now / warningMs)}`, sendAfter: now };
}

const warningMs = hourMs;

/**
 * The first alert is sent at once, with what else is given up in that second; what is given up later is gathered for the rest of the
 * interval. The last moment before a mail is sent takes no line, because one that is stored late would be added to a mail that has left.
 */
function alertMail({ channelId, deliveries, rules }: ChannelState, now: number): MailTime {
  const sendAfter = alertTime(deliveries.alertAt, rules.digestIntervalMs, now);
  deliveries.alertAt = sendAfter;
  return { id: `webhook-alert:${channelId}:${sendAfter}`, sendAfter };
}

function alertTime(last: number | null, intervalMs: number, now: number): number {
  const briefMs = Math.min(alertMs, intervalMs);
  const soon = now + Math.max(1, 2 * briefMs);
  if (last === null || now >= last + intervalMs) return soon;
  if (last > soon + intervalMs) return soon; // the clock was set back
  return now < last - briefMs ? last : last + intervalMs;
}

const alertMs = 1_000;

function attemptLine(
  state: ChannelState,
  delivery: PendingDelivery,
  attempt: DeliveryAttempt,
  now: number,
  cause?: string,
): ChannelEffect {
  return {
    effect: 'log',
    event: 'delivery.attempted',
    fields: {
      channel: state.channelId,
      delivery: delivery.id,
      message: delivery.messageId,
      request_id: delivery.requestId,
      type: delivery.event,
      attempt: attempt.attempts,
      result: attempt.lastResult,
      ...(cause === undefined ? {} : { cause }),
      state: attempt.state,
      retryInMs: attempt.state === 'pending' ? attempt.nextDueAt - now : null,
    },
  };
}

/**
 * The payload of a given-up delivery is kept for another try if the channel asks for that, up to a bound. Only the owner adds to the kept
 * bytes, so its count is never too low; deletions by others show when the settings are read again.
 * [operator-interface §4: content of given-up events]
 */
function mayKeep({ settings, kept }: ChannelState, { bytes }: PendingDelivery): boolean {
  if (settings === null || settings.channel.failedRetentionDays === 0 || !settings.channel.isActive)
    return false;
  return kept.base + kept.decided + bytes <= limits.keptBytes;
}
