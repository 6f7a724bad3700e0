/** Deliveries that are new to this owner: just written, or read from the store. */
import type { ChannelEffect, EffectResult } from '../messages.ts';
import { findLimit } from '../limits.ts';
import type { PendingDelivery } from '../ports/store.ts';
import type { ChannelState } from '../state.ts';
import { makeReady } from './due.ts';
import { startPosts } from './post.ts';
import { newlyOpen } from './state.ts';
import type { OpenDelivery } from './state.ts';

type AddedDeliveries = Omit<Extract<EffectResult, { type: 'deliveries-added' }>, 'type'>;

/** New deliveries start at once; beyond the bound only the store holds them. */
export function addDeliveries(
  state: ChannelState,
  { added, heardAt }: AddedDeliveries,
  now: number,
): ChannelEffect[] {
  for (const { delivery, payload } of added) remember(state, newlyOpen(delivery, payload, { heardAt }), now);
  return startPosts(state, now);
}

export function onDeliveriesLoaded(
  state: ChannelState,
  loaded: Extract<EffectResult, { type: 'deliveries-loaded' }>,
  now: number,
): ChannelEffect[] {
  state.deliveries.loading = false;
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
