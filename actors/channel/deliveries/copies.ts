/**
 * The deliveries of an endpoint, which its channel's owner stores and then tells. What was told is only a cache of the store: a lost tell
 * costs a sweep. [spec: Additions, Endpoints]
 */
import type { StoredCopies } from '../../../src/storage/journal/channel-journal.ts';
import { limits } from '../limits.ts';
import type { ChannelEffect } from '../messages.ts';
import type { ChannelState } from '../state.ts';
import { addDeliveries } from './due.ts';
import { isOrdered, noteGap } from './order.ts';
import { startPosts } from './post.ts';

/** `stored` null: a sweep has found due work, of which a tell may have been lost. */
export function onCopies(state: ChannelState, stored: StoredCopies | null, now: number): ChannelEffect[] {
  if (stored === null) {
    if (now < state.deliveries.lookedAt + limits.copiesLookMs) return [];
    state.deliveries.lookedAt = now;
    noteGap(state);
    state.deliveries.storeHasMore = true;
    return startPosts(state, now);
  }
  const { added, arrivedAt } = stored;
  if (isOrdered(state)) noteTold(state, stored);
  // Each is claimed before its first attempt: the owner that stored it is another one.
  const unclaimed = added.map((delivery) => ({ delivery, payload: null }));
  return addDeliveries(state, { added: unclaimed, arrivedAt }, now);
}

/** If another one came before, the store has it: nothing overtakes it. */
function noteTold(state: ChannelState, { added, follows }: StoredCopies): void {
  const { deliveries } = state;
  if (follows === null || follows !== deliveries.lastTold) noteGap(state);
  deliveries.lastTold = added.at(-1)?.sequence ?? null;
}
