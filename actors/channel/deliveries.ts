/**
 * Pending webhooks: which goes next, when it is tried again, when it is given up. The ladder itself is arithmetic of
 * `domain/webhooks`; URL, secret and events are read at each attempt. [spec: Delivery and retry of webhooks]
 */
import { deliveryIdOf } from '../../src/domain/events/built.ts';
import { partBefore } from '../../src/domain/events/received.ts';
import { cancel, expire, recordResult } from './attempts.ts';
import type { ChannelEffect } from './effects.ts';
import { isEnabled } from './events.ts';
import type { EffectResult } from './messages.ts';
import type { PendingDelivery } from './ports.ts';
import type { ChannelState, OpenDelivery } from './state.ts';
import { limits, wakeBy } from './state.ts';

type Added = Extract<EffectResult, { type: 'deliveries-added' }>['added'];
type DeliveryResult = Extract<EffectResult, { type: 'delivery-result' }>;

/** What was just written starts at once; beyond the bound the store alone remembers it. */
export function addDeliveries(state: ChannelState, added: Added, now: number): ChannelEffect[] {
  for (const { delivery, payload } of added) remember(state, { delivery, payload, stage: 'pending' }, now);
  return startPosts(state, now);
}

export function onDeliveriesLoaded(
  state: ChannelState,
  loaded: Extract<EffectResult, { type: 'deliveries-loaded' }>,
  now: number,
): ChannelEffect[] {
  state.loadingDeliveries = false;
  return takeLoaded(state, loaded, now);
}

export function takeLoaded(
  state: ChannelState,
  {
    deliveries,
    storeHasMoreDeliveries,
  }: { deliveries: readonly PendingDelivery[]; storeHasMoreDeliveries: boolean },
  now: number,
): ChannelEffect[] {
  state.storeHasMoreDeliveries ||= storeHasMoreDeliveries;
  for (const delivery of deliveries) remember(state, { delivery, payload: null, stage: 'pending' }, now);
  return startPosts(state, now);
}

/** Alarm: what has become due is ready, what is past its deadline has failed. */
export function wakeDeliveries(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (const open of state.deliveries.values()) {
    if (open.stage === 'pending' || open.stage === 'ready') effects.push(...lookAt(state, open, now));
    if (effects.length < limits.turn) continue;
    wakeBy(state, now + 1);
    break;
  }
  effects.push(...startPosts(state, now));
  return effects;
}

export function startPosts(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  const most = state.failures >= limits.failing ? limits.probes : limits.posts;
  const behind: string[] = [];
  while (state.posts < most && state.ready.length > 0 && !state.draining && state.settings !== null) {
    const id = state.ready.shift();
    const open = id === undefined ? undefined : state.deliveries.get(id);
    if (open === undefined || open.stage !== 'ready') continue;
    if (isBehind(state, open)) {
      behind.push(open.delivery.id);
      continue;
    }
    effects.push(
      isEnabled(state.settings, open.delivery.event) ? post(state, open, state.settings) : cancel(open, now),
    );
  }
  state.ready.unshift(...behind);
  if (mayLoadMore(state)) {
    state.loadingDeliveries = true;
    state.storeHasMoreDeliveries = false; // what is found missing from now on is not in this load
    effects.push({ effect: 'load-deliveries', limit: limits.deliveries });
  }
  return effects;
}

/**
 * [spec: message.received data, rule 2] The parts of one message go out in upstream's order: the next one once the first attempt
 * of the one before has ended. Retries are independent: a part that has failed once holds nobody back.
 */
function isBehind(state: ChannelState, { delivery }: OpenDelivery): boolean {
  const before = delivery.attempts === 0 ? partBefore(delivery.messageId) : null;
  if (before === null) return false;
  const ahead = state.deliveries.get(deliveryIdOf(state.channelId, before, delivery.event));
  return ahead !== undefined && ahead.delivery.attempts === 0 && ahead.stage !== 'recording';
}

function mayLoadMore({
  storeHasMoreDeliveries,
  loadingDeliveries,
  draining,
  deliveries,
}: ChannelState): boolean {
  return (
    storeHasMoreDeliveries && !loadingDeliveries && !draining && deliveries.size <= limits.deliveries / 2
  );
}

export function onDeliveryResult(state: ChannelState, news: DeliveryResult, now: number): ChannelEffect[] {
  state.posts -= 1;
  const open = state.deliveries.get(news.deliveryId);
  if (open === undefined) return startPosts(state, now);
  state.failures = news.result.ok ? 0 : state.failures + 1;
  return [...recordResult(state, open, news, now), ...startPosts(state, now)];
}

/** Only now may the next attempt be claimed, or the delivery be forgotten: a look at the store would find it as it was. */
export function onAttemptRecorded(
  state: ChannelState,
  { deliveryId, ended }: Extract<EffectResult, { type: 'attempt-recorded' }>,
  now: number,
): ChannelEffect[] {
  const open = state.deliveries.get(deliveryId);
  if (open?.stage !== 'recording') return [];
  if (ended) {
    state.deliveries.delete(deliveryId);
    return startPosts(state, now);
  }
  open.stage = 'pending';
  wakeBy(state, open.delivery.nextDueAt);
  return [];
}

export function onDeliveryClaimLost(state: ChannelState, deliveryId: string, now: number): ChannelEffect[] {
  state.posts -= 1;
  state.deliveries.delete(deliveryId);
  state.storeHasMoreDeliveries = true; // ended by another owner, or tried by one: then the store knows how often
  return startPosts(state, now);
}

export function onDeliveryPostponed(state: ChannelState, deliveryId: string, now: number): ChannelEffect[] {
  state.posts -= 1;
  const open = state.deliveries.get(deliveryId);
  if (open !== undefined) {
    open.stage = 'pending';
    open.delivery = { ...open.delivery, nextDueAt: now + limits.postponeMs };
    wakeBy(state, open.delivery.nextDueAt);
  }
  return startPosts(state, now);
}

/** Beyond the bound the store alone remembers it. */
function remember(state: ChannelState, open: OpenDelivery, now: number): void {
  if (state.deliveries.has(open.delivery.id)) return;
  if (state.deliveries.size >= limits.deliveries) {
    state.storeHasMoreDeliveries = true;
    return;
  }
  state.deliveries.set(open.delivery.id, open);
  makeReady(state, open, now);
}

function makeReady(state: ChannelState, open: OpenDelivery, now: number): void {
  if (open.delivery.nextDueAt > now) {
    wakeBy(state, open.delivery.nextDueAt);
    return;
  }
  open.stage = 'ready';
  state.ready.push(open.delivery.id);
  wakeBy(state, failsAfter(state, open) + 1);
}

/** [spec: hard deadline] Also for one that only waits for its turn behind a failing endpoint's other deliveries. */
function lookAt(state: ChannelState, open: OpenDelivery, now: number): ChannelEffect[] {
  if (now > failsAfter(state, open)) return expire(state, open, now);
  if (open.stage === 'pending') makeReady(state, open, now);
  else wakeBy(state, failsAfter(state, open) + 1);
  return [];
}

function failsAfter({ rules }: ChannelState, { delivery: { firstTriedAt } }: OpenDelivery): number {
  return firstTriedAt === null ? Infinity : firstTriedAt + rules.webhookDeadlineMs;
}

function post(
  state: ChannelState,
  open: OpenDelivery,
  settings: NonNullable<ChannelState['settings']>,
): ChannelEffect {
  open.stage = 'posting';
  state.posts += 1;
  const { id, attempts } = open.delivery;
  return { effect: 'post-webhook', deliveryId: id, attempts, payload: open.payload, settings };
}
