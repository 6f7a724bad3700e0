/**
 * One attempt now, on request, whatever the schedule. It bypasses the queue of a failing receiver, so that two requested attempts do not
 * wait for each other, and it does not count as an attempt of the schedule: frequent requests must not make a delivery be given up early.
 */
import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect, ChannelMessage } from '../messages.ts';
import { isEnabled } from '../eligibility.ts';
import { limits } from '../limits.ts';
import type { PendingDelivery } from '../../../src/storage/journal/channel-journal.ts';
import type { ChannelState } from '../state.ts';
import { headsOf, isOrdered, mustWait } from './order.ts';
import { post, startPosts } from './post.ts';
import { retryKept } from './replay.ts';
import type { OpenDelivery } from './state.ts';
import { moveDelivery, newlyOpen } from './state.ts';

/** The request does not contain the payload's length; the next load of the settings corrects the count of kept bytes. */
const typicalBytes = 4_096;

type RetryDelivery = Extract<ChannelMessage, { type: 'retry-delivery' }>;

export function onRetryDelivery(state: ChannelState, asked: RetryDelivery, turn: Turn): ChannelEffect[] {
  const { delivery, keptSince } = asked;
  const { now, ask } = turn;
  if (ask === null) return [];
  if (state.draining) return [{ effect: 'refuse', asks: [ask], code: 'overloaded', details: {} }];
  if (state.settings === null || !isEnabled(state.settings, delivery.event)) return [notAskedFor(ask)];
  const counted: PendingDelivery = { ...delivery, bytes: typicalBytes };
  if (keptSince !== undefined) return retryKept(state, { ...counted, keptSince }, turn);
  const open = findOpen(state, counted);
  if (open === null) return [{ effect: 'refuse', asks: [ask], code: 'overloaded', details: {} }];
  return [...tryNow(state, open, now), { effect: 'reply', asks: [ask], reply: { status: 'retrying' } }];
}

export function notAskedFor(ask: number): ChannelEffect {
  const why = 'The channel no longer asks for this event: nothing to retry';
  return { effect: 'refuse', asks: [ask], code: 'conflict', details: { why } };
}

/**
 * Adds a delivery that is not remembered: the caller has read it from the store. If that read is outdated, its count of attempts differs
 * and the claim does not apply.
 */
function findOpen(state: ChannelState, delivery: PendingDelivery): OpenDelivery | null {
  const { deliveries } = state;
  const known = deliveries.open.get(delivery.id);
  if (known !== undefined) return known;
  // Of an ordered channel earlier ones are remembered instead.
  if (isOrdered(state)) return null;
  if (deliveries.open.size >= 2 * limits.deliveries) return null;
  const open = newlyOpen(delivery, null);
  deliveries.open.set(delivery.id, open);
  return open;
}

/** A delivery that is being posted or recorded already has its attempt; a suspect waits for its own. */
function tryNow(state: ChannelState, open: OpenDelivery, now: number): ChannelEffect[] {
  const { settings, deliveries } = state;
  if (settings === null || (open.stage !== 'pending' && open.stage !== 'ready')) return [];
  // A first attempt is the schedule's, and so is the order of parts.
  open.isByHand = open.delivery.attempts > 0;
  if (open.isByHand && deliveries.posts < limits.posts && !mustWait(headsOf(state), open))
    return [post(state, open, settings)];
  if (open.stage === 'pending') moveDelivery(open, 'ready');
  deliveries.ready.unshift(open.delivery.id);
  return startPosts(state, now);
}
