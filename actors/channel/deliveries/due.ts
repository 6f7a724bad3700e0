/**
 * Deliveries become ready: those that are new to this owner (just written, or read from the store) and, by the alarm, those that are due;
 * those past their deadline fail. [spec: Delivery and retry of webhooks]
 */
import type { ChannelEffect, EffectResult } from '../messages.ts';
import { limits, findLimit } from '../limits.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { takesNothing } from '../eligibility.ts';
import { giveUp } from './attempts.ts';
import { startPosts } from './post.ts';
import { closeGap, isBehindStored } from './order.ts';
import type { OpenDelivery } from './state.ts';
import { moveDelivery, newlyOpen } from './state.ts';
import type { PendingDelivery } from '../../../src/storage/journal/channel-journal.ts';

export function wakeDeliveries(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  for (const open of state.deliveries.open.values()) {
    if (open.stage !== 'posting' && open.stage !== 'recording') effects.push(...lookAt(state, open, now));
    if (effects.length < limits.turn) continue;
    wakeBy(state, now + 1);
    break;
  }
  effects.push(...startPosts(state, now));
  return effects;
}

function makeReady(state: ChannelState, open: OpenDelivery, now: number): void {
  const { nextDueAt } = open.delivery;
  if (nextDueAt > now && isOfSchedule(state, nextDueAt, now) && !takesNothing(state)) {
    wakeBy(state, nextDueAt);
    return;
  }
  moveDelivery(open, 'ready');
  state.deliveries.ready.push(open.delivery.id);
  wakeBy(state, failsAfter(state, open) + 1);
}

/** A retry that is further away was dated by an owner whose clock was ahead, perhaps by hours: it is due. [faults: 535] */
function isOfSchedule({ rules }: ChannelState, dueAt: number, now: number): boolean {
  return dueAt - now <= Math.max(limits.retryPauseMs, ...rules.webhookRetryDelaysMs);
}

/** [spec: hard deadline] Also for a delivery that only waits behind other deliveries of a failing endpoint. */
function lookAt(state: ChannelState, open: OpenDelivery, now: number): ChannelEffect[] {
  if (now > failsAfter(state, open)) return giveUp(state, open, 'deadline passed', now);
  if (open.stage === 'pending') makeReady(state, open, now);
  else wakeBy(state, failsAfter(state, open) + 1);
  return [];
}

function failsAfter({ rules }: ChannelState, { delivery: { firstTriedAt } }: OpenDelivery): number {
  return firstTriedAt === null ? Infinity : firstTriedAt + rules.webhookDeadlineMs;
}

type AddedDeliveries = Omit<Extract<EffectResult, { type: 'deliveries-added' }>, 'type'>;

/** New deliveries start at once; beyond the bound only the store holds them. */
export function addDeliveries(
  state: ChannelState,
  { added, arrivedAt }: AddedDeliveries,
  now: number,
): ChannelEffect[] {
  if (isBehindStored(state)) state.deliveries.storeHasMore = true;
  else
    for (const { delivery, payload } of added)
      remember(state, newlyOpen(delivery, payload, { arrivedAt }), now);
  return startPosts(state, now);
}

export function onDeliveriesLoaded(
  state: ChannelState,
  loaded: Extract<EffectResult, { type: 'deliveries-loaded' }>,
  now: number,
): ChannelEffect[] {
  state.deliveries.loading = false;
  closeGap(state.deliveries);
  return takeLoaded(state, loaded, now);
}

/** Remembers deliveries that were read from the store, and posts what can be posted. */
export function takeLoaded(
  state: ChannelState,
  {
    deliveries,
    storeHasMoreDeliveries,
  }: { deliveries: readonly PendingDelivery[]; storeHasMoreDeliveries: boolean },
  now: number,
): ChannelEffect[] {
  state.deliveries.storeHasMore ||= storeHasMoreDeliveries;
  for (const delivery of deliveries) remember(state, newlyOpen(delivery, null), now);
  return startPosts(state, now);
}

/** Beyond the bound only the store holds the delivery. */
export function remember(state: ChannelState, open: OpenDelivery, now: number): void {
  if (state.deliveries.open.has(open.delivery.id)) return;
  if (state.deliveries.open.size >= findLimit('deliveries', state.nodeFull)) {
    state.deliveries.storeHasMore = true;
    return;
  }
  state.deliveries.open.set(open.delivery.id, open);
  makeReady(state, open, now);
}
