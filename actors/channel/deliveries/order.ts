/**
 * Ordered delivery: of the events of one person one is under way at a time, and the next waits until the outcome of the one before is
 * stored: delivered, given up or past its deadline. What is remembered is then always the beginning of what is pending, so that nothing
 * overtakes an event that only the store has. [spec: Ordered delivery]
 */
import type { ChannelState } from '../state.ts';
import type { DeliveriesState, OpenDelivery } from './state.ts';

export function isOrdered({ settings }: ChannelState): boolean {
  return settings?.channel.ordered === true;
}

/** The open delivery of each person that is under way, or else the first one; null: the channel's deliveries are in no order. */
export function headsOf(state: ChannelState): ReadonlySet<OpenDelivery> | null {
  if (!isOrdered(state)) return null;
  const { channelId, names } = state;
  const heads = new Map<string, OpenDelivery>();
  for (const open of state.deliveries.open.values()) {
    if (open.delivery.person == null) continue;
    const person = names.personOf(channelId, open.delivery.person);
    const head = heads.get(person);
    if (head === undefined || isBefore(open, head)) heads.set(person, open);
  }
  return new Set(heads.values());
}

/** One from before the channel was ordered has no place, and comes first if it is remembered. */
function isBefore(one: OpenDelivery, other: OpenDelivery): boolean {
  if (isUnderWay(one) || isUnderWay(other)) return isUnderWay(one);
  const [{ delivery: a }, { delivery: b }] = [one, other];
  const [place, otherPlace] = [a.sequence ?? 0, b.sequence ?? 0];
  return place === otherPlace ? a.createdAt < b.createdAt : place < otherPlace;
}

function isUnderWay({ stage }: OpenDelivery): boolean {
  return stage !== 'pending' && stage !== 'ready';
}

export function mustWait(heads: ReadonlySet<OpenDelivery> | null, open: OpenDelivery): boolean {
  return heads !== null && open.delivery.person != null && !heads.has(open);
}

/** Whether a new delivery is left to the store, because earlier ones are only there. */
export function isBehindStored(state: ChannelState): boolean {
  const { storeHasMore, loading, gap } = state.deliveries;
  return isOrdered(state) && (storeHasMore || loading || gap !== 'none');
}

/** The store may hold a pending delivery before one that is remembered: nothing is posted until all is read anew, in order. */
export function noteGap(state: ChannelState): void {
  if (isOrdered(state)) state.deliveries.gap = 'seen';
}

/** What was read in order takes the place of what was remembered. Of a gap that was seen while the store was read another read follows. */
export function closeGap(deliveries: DeliveriesState): void {
  if (deliveries.gap !== 'reading') return;
  deliveries.gap = 'none';
  for (const [id, { stage }] of deliveries.open)
    if (stage === 'pending' || stage === 'ready') deliveries.open.delete(id);
  deliveries.ready.length = 0;
}
