/**
 * Given-up deliveries whose payload is kept are tried again: one on request, or all that a replay selects. The replay's record and the
 * states of the deliveries are its progress, so the next owner of the channel can continue. It proceeds in small batches, in the order of
 * the events, and never fills more than half of what the channel may remember, so that new events find room.
 * [operator-interface §3: Additive paths]
 */
import type { Turn } from '../../runtime/actor.ts';
import type { ChannelEffect, EffectResult } from '../messages.ts';
import { findLimit, limits } from '../limits.ts';
import type { KeptDelivery } from '../../../src/storage/journal/channel-journal.ts';
import type { ChannelState } from '../state.ts';
import { remember } from './due.ts';
import { isOrdered, noteGap } from './order.ts';
import { startPosts } from './post.ts';
import { moveReplay, newlyOpen } from './state.ts';
import type { ReplayState } from './state.ts';

const nothing: readonly never[] = [];
const beginning = { createdAt: -1, id: '' };

/** Sent when a replay is requested, and repeatedly while the store holds an open one. */
export function onReplay(state: ChannelState): ChannelEffect[] {
  if (state.draining || state.settings === null) return [];
  state.deliveries.replay ??= {
    stage: 'posting',
    order: null,
    after: beginning,
    behind: null,
    untried: new Set(),
  };
  return [];
}

/** End of every turn: continues the replay if there is room. */
export function goOnReplaying(state: ChannelState): readonly ChannelEffect[] {
  const { deliveriesAtWork } = state;
  if (deliveriesAtWork?.replay?.stage !== 'posting' || state.draining) return nothing;
  const { replay, open } = deliveriesAtWork;
  if (replay.behind !== null && open.has(replay.behind)) return nothing;
  for (const id of replay.untried) if (open.get(id)?.delivery.attempts !== 0) replay.untried.delete(id);
  const room = Math.floor(findLimit('deliveries', state.nodeFull) / 2) - open.size;
  if (replay.untried.size > limits.replayed / 2 || room <= 0) return nothing;
  replay.behind = null;
  moveReplay(replay, 'reading');
  return [readOn(replay, Math.min(room, limits.replayed / 2))];
}

function readOn({ order, after }: ReplayState, limit: number): ChannelEffect {
  return { effect: 'read-replay', order, after, limit };
}

export function onReplayRead(
  state: ChannelState,
  { order, kept }: Extract<EffectResult, { type: 'replay-read' }>,
  now: number,
): ChannelEffect[] {
  const { replay, open } = state.deliveries;
  if (replay === null) return [];
  if (order === null || state.draining) {
    state.deliveries.replay = null;
    return [];
  }
  if (kept.length === 0) {
    Object.assign(replay, { order: null, after: beginning });
    return [readOn(replay, limits.replayed / 2)]; // reads the next replay
  }
  replay.order = order;
  const beforeRecording = kept.findIndex(({ id }) => open.has(id));
  const next = beforeRecording === -1 ? kept : kept.slice(0, beforeRecording);
  const last = next.at(-1);
  if (last === undefined) {
    replay.behind = kept[0]?.id ?? null;
    moveReplay(replay, 'posting'); // continues when that outcome is stored; until then the store would return the same delivery
    return [];
  }
  replay.after = { createdAt: last.createdAt, id: last.id };
  moveReplay(replay, 'reviving');
  return [{ effect: 'revive', kept: next, at: now, ask: null }];
}

/** One kept delivery, on request. */
export function retryKept(state: ChannelState, kept: KeptDelivery, { now, ask }: Turn): ChannelEffect[] {
  if (ask === null) return [];
  if (!state.deliveries.open.has(kept.id)) return [{ effect: 'revive', kept: [kept], at: now, ask }];
  return [alreadyUnderWay(ask)];
}

function alreadyUnderWay(ask: number): ChannelEffect {
  const why = 'The delivery is already being retried, or its content has been erased meanwhile';
  return { effect: 'refuse', asks: [ask], code: 'conflict', details: { why } };
}

export function onDeliveriesRevived(
  state: ChannelState,
  { revived, isUncertain, ask }: Extract<EffectResult, { type: 'deliveries-revived' }>,
  now: number,
): ChannelEffect[] {
  const { deliveries } = state;
  // What a client asked for says neither its person nor its place: where these count, it is read from the store.
  const isOfNoPlace = ask !== null && isOrdered(state);
  for (const delivery of revived) {
    state.keepFrom(state.kept.base - delivery.bytes);
    if (isOfNoPlace) noteGap(state);
    else remember(state, newlyOpen(delivery, null), now);
  }
  if (isUncertain) deliveries.storeHasMore = true;
  const answered = ask === null ? [] : answerTo(ask, revived.length > 0, isUncertain);
  const { replay } = deliveries;
  if (ask === null && replay?.stage === 'reviving') {
    for (const { id } of revived) replay.untried.add(id);
    if (isUncertain) replay.after = beginning; // finds again what is still kept
    moveReplay(replay, 'posting');
  }
  return [...answered, ...startPosts(state, now)];
}

function answerTo(ask: number, isRevived: boolean, isUncertain: boolean): ChannelEffect[] {
  if (isRevived) return [{ effect: 'reply', asks: [ask], reply: { status: 'retrying' } }];
  return isUncertain
    ? [{ effect: 'refuse', asks: [ask], code: 'overloaded', details: {} }]
    : [alreadyUnderWay(ask)];
}
