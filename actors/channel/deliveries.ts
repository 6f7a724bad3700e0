/**
 * Pending webhooks: which goes next, when it is tried again, when it is given up. The ladder itself is arithmetic of
 * `domain/webhooks`; URL, secret and events are read at each attempt. [spec: Delivery and retry of webhooks]
 */
import { mailAfter, nextAttempt } from '../../src/domain/webhooks/index.ts';
import type { ChannelEffect } from './effects.ts';
import { isEnabled } from './events.ts';
import type { ChannelNews } from './messages.ts';
import type { DeliveryAttempt, MailLine, PendingDelivery, Write } from './ports.ts';
import type { ChannelState, OpenDelivery } from './state.ts';
import { bounds, wakeBy } from './state.ts';

type Added = Extract<ChannelNews, { type: 'deliveries-added' }>['added'];
type DeliveryResult = Extract<ChannelNews, { type: 'delivery-result' }>;

/** What was just written starts at once; beyond the bound the store alone remembers it. */
export function addDeliveries(state: ChannelState, added: Added, now: number): ChannelEffect[] {
  for (const { delivery, payload } of added) {
    if (state.deliveries.size >= bounds.deliveries) {
      state.more = true;
      continue;
    }
    state.deliveries.set(delivery.id, { delivery, payload, posting: false });
    state.ready.push(delivery.id);
  }
  return startPosts(state, now);
}

export function onDeliveriesLoaded(
  state: ChannelState,
  { deliveries, more }: Extract<ChannelNews, { type: 'deliveries-loaded' }>,
  now: number,
): ChannelEffect[] {
  state.loadingDeliveries = false;
  state.more = more;
  for (const delivery of deliveries) {
    if (state.deliveries.has(delivery.id)) continue;
    state.deliveries.set(delivery.id, { delivery, payload: null, posting: false });
    makeReady(state, delivery, now);
  }
  return startPosts(state, now);
}

/** Alarm: what has become due is ready. */
export function wakeDeliveries(state: ChannelState, now: number): ChannelEffect[] {
  const ready = new Set(state.ready);
  for (const { delivery, posting } of state.deliveries.values()) {
    if (!posting && !ready.has(delivery.id)) makeReady(state, delivery, now);
  }
  return startPosts(state, now);
}

export function startPosts(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  const most = state.failures >= bounds.failing ? bounds.probes : bounds.posts;
  while (state.posts < most && state.ready.length > 0 && !state.draining && state.settings !== null) {
    const id = state.ready.shift();
    const open = id === undefined ? undefined : state.deliveries.get(id);
    if (open === undefined || open.posting) continue;
    effects.push(
      isEnabled(state.settings, open.delivery.event)
        ? post(state, open, state.settings)
        : cancel(state, open, now),
    );
  }
  if (
    state.more &&
    !state.loadingDeliveries &&
    !state.draining &&
    state.deliveries.size <= bounds.deliveries / 2
  ) {
    state.loadingDeliveries = true;
    effects.push({ effect: 'load-deliveries', limit: bounds.deliveries });
  }
  return effects;
}

export function onDeliveryResult(state: ChannelState, news: DeliveryResult, now: number): ChannelEffect[] {
  state.posts -= 1;
  const open = state.deliveries.get(news.deliveryId);
  if (open === undefined) return startPosts(state, now);
  const { delivery } = open;
  const attempts = delivery.attempts + 1;
  const firstTriedAt = delivery.firstTriedAt ?? news.startedAt;
  const attempt = outcomeOf(state, news, attempts, firstTriedAt, now);
  const writes: Write[] = [{ write: 'recordAttempt', deliveryId: delivery.id, attempt }];
  if (attempt.state === 'pending') {
    open.posting = false;
    open.payload = null;
    open.delivery = { ...delivery, attempts, firstTriedAt, nextDueAt: attempt.nextDueAt };
    wakeBy(state, attempt.nextDueAt);
  } else {
    state.deliveries.delete(delivery.id);
  }
  state.failures = news.result.ok ? 0 : state.failures + 1;
  const mail = news.result.ok ? null : mailOf(state, attempt, delivery, now);
  if (mail !== null) writes.push({ write: 'addMail', mail });
  return [
    { effect: 'record', writes, events: [], settings: null, reply: null },
    attemptLine(state, delivery, attempt, now),
    ...startPosts(state, now),
  ];
}

export function onDeliveryClaimLost(state: ChannelState, deliveryId: string, now: number): ChannelEffect[] {
  state.posts -= 1;
  state.deliveries.delete(deliveryId);
  return startPosts(state, now);
}

export function onDeliveryPostponed(state: ChannelState, deliveryId: string, now: number): ChannelEffect[] {
  state.posts -= 1;
  const open = state.deliveries.get(deliveryId);
  if (open !== undefined) {
    open.posting = false;
    open.delivery = { ...open.delivery, nextDueAt: now + bounds.postponeMs };
    wakeBy(state, open.delivery.nextDueAt);
  }
  return [];
}

function makeReady(state: ChannelState, delivery: PendingDelivery, now: number): void {
  if (delivery.nextDueAt <= now) state.ready.push(delivery.id);
  else wakeBy(state, delivery.nextDueAt);
}

function post(
  state: ChannelState,
  open: OpenDelivery,
  settings: NonNullable<ChannelState['settings']>,
): ChannelEffect {
  open.posting = true;
  state.posts += 1;
  const { id, attempts } = open.delivery;
  return { effect: 'post-webhook', deliveryId: id, attempts, payload: open.payload, settings };
}

/** The channel no longer asks for this event: not delivered, and on record as that. [faults §6.2, §6.7] */
function cancel(state: ChannelState, { delivery }: OpenDelivery, now: number): ChannelEffect {
  state.deliveries.delete(delivery.id);
  const attempt: DeliveryAttempt = {
    state: 'failed',
    attempts: delivery.attempts,
    firstTriedAt: delivery.firstTriedAt ?? now,
    nextDueAt: now,
    lastResult: 'canceled: event or webhook_url no longer configured',
  };
  const writes: Write[] = [{ write: 'recordAttempt', deliveryId: delivery.id, attempt }];
  return { effect: 'record', writes, events: [], settings: null, reply: null };
}

function outcomeOf(
  state: ChannelState,
  { result }: DeliveryResult,
  attempts: number,
  firstTriedAt: number,
  now: number,
): DeliveryAttempt {
  const lastResult = result.ok ? String(result.status) : (result.status?.toString() ?? result.reason);
  if (result.ok) return { state: 'delivered', attempts, firstTriedAt, nextDueAt: now, lastResult };
  const { webhookDelaysMs: delaysMs, webhookDeadlineMs: deadlineMs } = state.rules;
  const next = nextAttempt({ attempts, firstTriedAt, now }, { delaysMs, deadlineMs });
  if (next === 'give-up') return { state: 'failed', attempts, firstTriedAt, nextDueAt: now, lastResult };
  return { state: 'pending', attempts, firstTriedAt, nextDueAt: next.dueAt, lastResult };
}

/** [spec: warning e-mail after the 3rd failed attempt, alert when all retries are exhausted] One of a kind per hour. */
function mailOf(
  state: ChannelState,
  attempt: DeliveryAttempt,
  delivery: PendingDelivery,
  now: number,
): MailLine | null {
  const kind = mailAfter(attempt.attempts, attempt.state === 'failed');
  const { settings, channelId } = state;
  if (kind === null || settings === null) return null;
  const warning = kind === 'webhook-warning';
  return {
    id: `${kind}:${channelId}:${Math.floor(now / 3_600_000)}`,
    accountId: settings.channel.accountId,
    kind,
    subject: warning ? 'Your webhook endpoint is failing' : 'Webhook deliveries were given up',
    line:
      `${new Date(now).toISOString()} channel ${channelId} event ${delivery.event} message ${delivery.messageId}: ` +
      `attempt ${attempt.attempts} failed (${attempt.lastResult})${warning ? '' : '; no more attempts'}`,
    sendAfter: now,
    createdAt: now,
  };
}

function attemptLine(
  state: ChannelState,
  delivery: PendingDelivery,
  attempt: DeliveryAttempt,
  now: number,
): ChannelEffect {
  return {
    effect: 'log',
    event: 'delivery.attempted',
    fields: {
      channel: state.channelId,
      delivery: delivery.id,
      message: delivery.messageId,
      type: delivery.event,
      attempt: attempt.attempts,
      result: attempt.lastResult,
      state: attempt.state,
      retryInMs: attempt.state === 'pending' ? attempt.nextDueAt - now : null,
    },
  };
}
