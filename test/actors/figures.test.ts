/** When a node may evict a channel, and the figures of a channel for operators. [architecture §4] */
import { describe, expect, test } from '@jest/globals';
import { newlyOpen } from '../../actors/channel/deliveries/state.ts';
import { openInbound } from '../../actors/channel/inbound/state.ts';
import { limits, ofNode } from '../../actors/channel/limits.ts';
import type { ChannelState } from '../../actors/channel/state.ts';
import { countFigures, isIdle, isQuiet } from '../../actors/channel/turns/idle.ts';
import { NodeTotals, measureSizes } from '../../actors/channel/turns/node-totals.ts';
import {
  now,
  later,
  newState,
  replay,
  pendingDelivery,
  openSend,
  pendingInbound,
  addFact,
  job,
} from './support/slices.ts';

describe('a node may evict a channel', () => {
  test('whose slices are empty', () => {
    const state = newState();
    expect([state.sends.calls, state.facts.nextJob, state.inbound.fetches, state.deliveries.posts]).toEqual([
      0,
      1,
      [],
      0,
    ]);
    expect([isIdle(state, now), isQuiet(state)]).toEqual([true, true]);
  });

  test.each<[string, boolean, (state: ChannelState) => void]>([
    ['a send is open', true, ({ sends }) => sends.open.set('m-1', openSend)],
    ['a call is out', false, ({ sends }) => (sends.calls = 1)],
    ['upstream’s pause is not over', true, ({ sends }) => (sends.pausedUntil = later)],
    ['facts are being written', false, ({ facts }) => facts.jobs.set(1, job)],
    ['facts wait for their message', true, addFact],
    [
      'a message waits for its files',
      true,
      ({ inbound }) => inbound.open.set('in-1', openInbound(pendingInbound, now, 'open')),
    ],
    ['the store holds more messages', true, ({ inbound }) => (inbound.backlog.storeHasMore = true)],
    ['the store is asked for them', true, ({ inbound }) => (inbound.backlog.loading = true)],
    [
      'a webhook is pending',
      true,
      ({ deliveries }) => deliveries.open.set('d-1', newlyOpen(pendingDelivery, null)),
    ],
    ['the store holds more webhooks', true, ({ deliveries }) => (deliveries.storeHasMore = true)],
    ['a replay is under way', true, ({ deliveries }) => (deliveries.replay = { ...replay })],
  ])('but not while %s; a drain waits only for what is in flight', (_, isQuietNow, change) => {
    const state = newState();
    change(state);
    expect([isIdle(state, now), isQuiet(state)]).toEqual([false, isQuietNow]);
  });

  test.each([
    ['a call and a POST are out', 1, 1, 0],
    ['a call is out and facts are being written', 1, 0, 1],
  ])('a drain waits for all of it while %s', (_, calls, posts, jobs) => {
    const state = newState();
    state.sends.calls = calls;
    state.deliveries.posts = posts;
    for (let n = 0; n < jobs; n += 1) state.facts.jobs.set(n, job);
    expect(isQuiet(state)).toBe(false);
  });

  test('a drain waits for a POST in flight', () => {
    const state = newState();
    state.deliveries.posts = 1;
    expect(isQuiet(state)).toBe(false);
  });
});

describe('operators see', () => {
  const nothing = {
    sends_open: 0,
    sends_waiting: 0,
    sends_oldest_open_seconds: 0,
    channels_paused: 0,
    deliveries_pending: 0,
    deliveries_oldest_pending_seconds: 0,
    deliveries_kept_bytes: 0,
    receivers_failing: 0,
    facts_waiting: 0,
    inbound_waiting: 0,
  };

  test('zeros for a channel at rest, with or without slices', () => {
    const [bare, sliced] = [newState(), newState()];
    expect([
      sliced.sends.calls,
      sliced.facts.jobs.size,
      sliced.inbound.open.size,
      sliced.deliveries.posts,
    ]).toEqual([0, 0, 0, 0]);
    expect([countFigures(bare, now), countFigures(sliced, now)]).toEqual([nothing, nothing]);
  });

  test('the work in progress, and the age of the oldest send and delivery', () => {
    const state = newState();
    const { sends, inbound, deliveries } = state;
    const inHand = [
      { messageId: 'm-1', stage: 'waiting', arrivedAt: now - 3_000 },
      { messageId: 'm-2', stage: 'calling', arrivedAt: now - 5_000 },
      { messageId: 'm-3', stage: 'waiting', arrivedAt: now - 1_000 },
    ] as const;
    for (const send of inHand) sends.open.set(send.messageId, { ...openSend, ...send });
    sends.pausedUntil = later;
    for (const [n, arrivedAt] of [now - 2_000, now - 7_000, now].entries())
      deliveries.open.set(`d-${n}`, newlyOpen({ ...pendingDelivery, id: `d-${n}` }, null, { arrivedAt }));
    deliveries.failures = limits.failing;
    state.kept = { base: 100, decided: 23, recorded: 7 };
    addFact(state);
    inbound.open.set('in-1', openInbound(pendingInbound, now, 'open'));
    expect(countFigures(state, now)).toEqual({
      sends_open: 3,
      sends_waiting: 2,
      sends_oldest_open_seconds: 5,
      channels_paused: 1,
      deliveries_pending: 3,
      deliveries_oldest_pending_seconds: 7,
      deliveries_kept_bytes: 123,
      receivers_failing: 1,
      facts_waiting: 1,
      inbound_waiting: 1,
    });
  });

  test('the totals that the node counts', () => {
    const state = newState();
    const none = { sends: 0, deliveries: 0, unmatched: 0, inbound: 0 };
    expect(measureSizes(state)).toEqual(none);
    state.inbound.open.set('in-1', openInbound(pendingInbound, now, 'open'));
    addFact(state);
    expect(measureSizes(state)).toEqual({ ...none, unmatched: 1, inbound: 1 });
    const totals = new NodeTotals({ inbound: 1 });
    totals.change(none, measureSizes(state));
    expect([totals.total('inbound'), totals.full]).toEqual([
      1,
      { sends: false, deliveries: false, unmatched: false, inbound: true },
    ]);
    totals.change(measureSizes(state), none);
    expect([totals.total('inbound'), totals.full.inbound]).toEqual([0, false]);
  });

  test.each(['sends', 'deliveries', 'unmatched', 'inbound'] as const)(
    'that the node is full of %s at the bound and not before',
    (kind) => {
      const totals = new NodeTotals();
      const none = { sends: 0, deliveries: 0, unmatched: 0, inbound: 0 };
      const isFull = { sends: false, deliveries: false, unmatched: false, inbound: false };
      totals.change(none, { ...none, [kind]: ofNode[kind].max - 1 });
      expect(totals.full).toEqual(isFull);
      totals.change(none, { ...none, [kind]: 1 });
      expect(totals.full).toEqual({ ...isFull, [kind]: true });
    },
  );

  test('no pause that is over, and no receiver with fewer failures than the bound', () => {
    const state = newState();
    state.sends.pausedUntil = now;
    state.deliveries.failures = limits.failing - 1;
    expect(countFigures(state, now)).toEqual(nothing);
  });
});
