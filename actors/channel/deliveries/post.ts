/**
 * Which delivery is posted next, and how its attempt ended. The retry schedule is computed in `rules/webhooks`; URL, secret and events are
 * read at each attempt. [spec: Delivery and retry of webhooks]
 */
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import { partBefore } from '../../../src/rules/events/received.ts';
import type { ChannelEffect, EffectResult } from '../messages.ts';
import { isEnabled, takesNothing } from '../eligibility.ts';
import { limits, findLimit } from '../limits.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { cancel, recordResult } from './attempts.ts';
import type { AnsweredPost } from './attempts.ts';
import { headsOf, isOrdered, mustWait, noteGap } from './order.ts';
import type { OpenDelivery } from './state.ts';
import { moveDelivery } from './state.ts';

/**
 * Posts ready deliveries while slots are free, cancels those whose event is not enabled any more, and reads more from the store if
 * there is room.
 */
export function startPosts(state: ChannelState, now: number): ChannelEffect[] {
  const effects = postReady(state, now);
  if (mayLoadMore(state)) {
    state.deliveries.loading = true;
    state.deliveries.storeHasMore = false; // set again by whatever the load can miss from now on
    if (state.deliveries.gap === 'seen') state.deliveries.gap = 'reading';
    const limit = findLimit('deliveries', state.nodeFull);
    effects.push({ effect: 'load-deliveries', limit, inOrder: isOrdered(state) });
  }
  return effects;
}

function postReady(state: ChannelState, now: number): ChannelEffect[] {
  const effects: ChannelEffect[] = [];
  const { settings, draining, deliveries } = state;
  const { ready } = deliveries;
  if (ready.length === 0 || settings === null || draining || deliveries.gap !== 'none') return effects;
  const heads = headsOf(state);
  const behind: string[] = [];
  let seen = 0;
  for (; seen < ready.length && deliveries.posts < limits.posts; seen += 1) {
    const open = deliveries.open.get(ready[seen] ?? '');
    if (open?.stage !== 'ready') continue;
    if (!isEnabled(settings, open.delivery.event)) effects.push(cancel(state, open, now));
    else if (mustWait(heads, open) || isBehind(state, open)) behind.push(open.delivery.id);
    else {
      // One that was requested, and waited until it was due, is the schedule's.
      if (open.delivery.nextDueAt <= now) open.isByHand = false;
      effects.push(post(state, open, settings));
    }
  }
  // At once: thousands may wait, and each `shift` would move all of them. [faults: I9]
  if (seen > 0) ready.splice(0, seen, ...behind);
  return effects;
}

/**
 * [spec: message.received data, rule 2] The parts of one message are posted in upstream's order: the next part once the first attempt of
 * the previous part has ended. Retries are independent: a part that has failed once blocks no other part.
 */
function isBehind(state: ChannelState, open: OpenDelivery): boolean {
  const { delivery } = open;
  if (delivery.attempts > 0) return false;
  if (open.ahead === undefined) {
    const before = partBefore(delivery.messageId);
    if (before === null) return false;
    // Kept, because each POST that ends asks it of every part that waits: a hash each is 20 ms for 2,000. [faults: I9]
    open.ahead = makeDeliveryId(state.channelId, before, delivery.event);
  }
  const ahead = state.deliveries.open.get(open.ahead);
  return ahead !== undefined && ahead.delivery.attempts === 0 && ahead.stage !== 'recording';
}

function mayLoadMore({ deliveries, draining, nodeFull }: ChannelState): boolean {
  const { storeHasMore, loading, open, gap } = deliveries;
  if (loading || draining) return false;
  return gap === 'seen' || (storeHasMore && open.size <= findLimit('deliveries', nodeFull) / 2);
}

export function post(state: ChannelState, open: OpenDelivery, settings: ChannelSettings): ChannelEffect {
  return open.lost > 0 ? suspect(open, settings) : postNow(state, open, settings);
}

export function postNow(state: ChannelState, open: OpenDelivery, settings: ChannelSettings): ChannelEffect {
  moveDelivery(open, 'posting');
  state.deliveries.posts += 1;
  const { id, event, attempts, requestId, claims } = open.delivery;
  const isFailing = state.deliveries.failures >= limits.failing;
  return {
    effect: 'post-webhook',
    deliveryId: id,
    event,
    requestId,
    attempts,
    lost: open.lost,
    claims,
    since: open.since,
    payload: open.payload,
    settings,
    isFailing,
  };
}

/** `suspects.ts` handles what follows. */
function suspect(open: OpenDelivery, { channel }: ChannelSettings): ChannelEffect {
  const { delivery, lost: tries } = open;
  moveDelivery(open, 'suspect');
  if (tries < limits.deliveryCrashes) return { effect: 'await-turn', deliveryId: delivery.id };
  return { effect: 'quarantine-delivery', channel, delivery, tries };
}

export function onPostEnded(
  state: ChannelState,
  ended: Extract<EffectResult, { type: 'post-ended' }>,
  now: number,
): ChannelEffect[] {
  state.deliveries.posts -= 1;
  const open = state.deliveries.open.get(ended.deliveryId);
  return [...afterPost(state, open, ended, now), ...startPosts(state, now)];
}

function afterPost(
  state: ChannelState,
  open: OpenDelivery | undefined,
  ended: Extract<EffectResult, { type: 'post-ended' }>,
  now: number,
): ChannelEffect[] {
  switch (ended.outcome) {
    case 'answered':
      if (open === undefined) return [];
      noteReceiver(state, ended);
      return recordResult(state, open, ended, now);
    case 'lost':
      state.deliveries.open.delete(ended.deliveryId);
      noteGap(state);
      state.deliveries.storeHasMore = true; // another owner has ended or tried it: the store has its count of attempts
      return [];
    case 'postponed':
      if (open !== undefined) postpone(state, open, now + limits.retryPauseMs);
      return [];
    default:
      return ended satisfies never;
  }
}

function noteReceiver({ deliveries }: ChannelState, { result, startedAt }: AnsweredPost): void {
  deliveries.failures = result.ok ? 0 : deliveries.failures + 1;
  deliveries.failingSince = result.ok ? null : (deliveries.failingSince ?? startedAt);
}

/** No attempt was made. If a client asked for it, the schedule stays as it was: the client can ask again. */
function postpone(state: ChannelState, open: OpenDelivery, soonest: number): void {
  const nextDueAt = open.isByHand ? Math.max(soonest, open.delivery.nextDueAt) : soonest;
  open.isByHand = false;
  moveDelivery(open, 'pending');
  open.delivery = { ...open.delivery, nextDueAt };
  wakeBy(state, nextDueAt);
}

/** Only now may the next attempt be claimed or the delivery be forgotten: until then a read of the store would return the old state. */
export function onAttemptRecorded(
  state: ChannelState,
  { deliveryId, ended, kept }: Extract<EffectResult, { type: 'attempt-recorded' }>,
  now: number,
): ChannelEffect[] {
  if (kept > 0) state.kept = { ...state.kept, recorded: state.kept.recorded + kept };
  const open = state.deliveries.open.get(deliveryId);
  if (open?.stage !== 'recording') return [];
  if (ended) {
    state.deliveries.open.delete(deliveryId);
    return startPosts(state, now);
  }
  moveDelivery(open, 'pending');
  wakeBy(state, takesNothing(state) ? now : open.delivery.nextDueAt);
  // Its turn may be that of an earlier event of its person, which a replay has brought back meanwhile.
  return isOrdered(state) ? startPosts(state, now) : [];
}
