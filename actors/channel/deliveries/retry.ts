/**
 * Somebody asks for one attempt now, whatever the schedule says. It passes the queue of a failing receiver, so that two retries
 * do not wait for one another, and takes none of the schedule's attempts: asking often must not give a delivery up early.
 */
import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect, ChannelMessage } from '../messages.ts';
import { isEnabled } from '../eligibility.ts';
import { limits } from '../limits.ts';
import type { PendingDelivery } from '../ports/store.ts';
import type { ChannelState } from '../state.ts';
import { post, startPosts } from './post.ts';
import { retryKept } from './replay.ts';
import type { OpenDelivery } from './state.ts';
import { moveDelivery, newlyOpen } from './state.ts';

/** The log does not say how long a payload is; the next look at the store counts what is kept of it. */
const typicalBytes = 4_096;

type RetryDelivery = Extract<ChannelMessage, { type: 'retry-delivery' }>;

export function onRetryDelivery(state: ChannelState, asked: RetryDelivery, turn: Turn): ChannelEffect[] {
  const { delivery, keptSince } = asked;
  const { now, ask } = turn;
  if (ask === null) return [];
  if (state.draining) return [{ effect: 'refuse', asks: [ask], code: 'overloaded', details: {} }];
  if (state.settings === null || !isEnabled(state.settings, delivery.event)) {
    const why = 'The channel no longer asks for this event: nothing to retry';
    return [{ effect: 'refuse', asks: [ask], code: 'conflict', details: { why } }];
  }
  const counted: PendingDelivery = { ...delivery, bytes: typicalBytes };
  if (keptSince !== undefined) return retryKept(state, { ...counted, keptSince }, turn);
  const open = findOpen(state, counted);
  if (open === null) return [{ effect: 'refuse', asks: [ask], code: 'overloaded', details: {} }];
  return [...tryNow(state, open, now), { effect: 'reply', asks: [ask], reply: { status: 'retrying' } }];
}

/** Memory may not hold it: the caller has read it from the store. A claim that meets another count of attempts does not apply. */
function findOpen({ deliveries }: ChannelState, delivery: PendingDelivery): OpenDelivery | null {
  const known = deliveries.open.get(delivery.id);
  if (known !== undefined) return known;
  if (deliveries.open.size >= 2 * limits.deliveries) return null;
  const open = newlyOpen(delivery, null);
  deliveries.open.set(delivery.id, open);
  return open;
}

/** A delivery that is being posted or recorded already has its attempt; a suspect waits for its own. */
function tryNow(state: ChannelState, open: OpenDelivery, now: number): ChannelEffect[] {
  const { settings, deliveries } = state;
  if (settings === null || (open.stage !== 'pending' && open.stage !== 'ready')) return [];
  // Of one that was tried no part before it is waited for.
  if (open.delivery.attempts > 0 && deliveries.posts < limits.posts) {
    open.isByHand = true;
    return [post(state, open, settings)];
  }
  if (open.stage === 'pending') moveDelivery(open, 'ready');
  deliveries.ready.unshift(open.delivery.id);
  return startPosts(state, now);
}
