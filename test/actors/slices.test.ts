/** What a channel may forget between turns, when its node may let it go, and what operators see of it. [performance §2.5; architecture §4] */
import { describe, expect, test } from '@jest/globals';
import type { DeliveriesState } from '../../actors/channel/deliveries/state.ts';
import { newlyOpen } from '../../actors/channel/deliveries/state.ts';
import type { FactsState } from '../../actors/channel/facts/state.ts';
import { unmatchedFrom } from '../../actors/channel/facts/unmatched.ts';
import type { InboundState } from '../../actors/channel/inbound/state.ts';
import { openInbound } from '../../actors/channel/inbound/pending.ts';
import { limits } from '../../actors/channel/limits.ts';
import { findQueue, reopened } from '../../actors/channel/sends/state.ts';
import type { SendsState } from '../../actors/channel/sends/state.ts';
import type { ChannelState } from '../../actors/channel/state.ts';
import { countFigures, isIdle, isQuiet, rest } from '../../actors/channel/turns/at-rest.ts';
import { inboundOf, newYear } from '../domain/samples.ts';
import { receiptOf } from './support/facts.ts';
import { Turns, openMessage } from './support/turns.ts';

const now = newYear;
const later = now + 1;

function newState(): ChannelState {
  return new Turns().state;
}

const known = { upstreamId: 'up-1', recipient: 'mia', arrivedAt: now, sinceJob: 1 };
const order = { id: 'replay-1', since: 0, until: now, events: null };
const replay = {
  stage: 'posting',
  order,
  after: { createdAt: -1, id: '' },
  untried: new Set<string>(),
} as const;
const pendingDelivery = {
  id: 'd-1',
  event: 'message.received',
  messageId: 'm-1',
  requestId: null,
  attempts: 0,
  claims: 0,
  firstTriedAt: null,
  nextDueAt: now,
  attemptLog: null,
  createdAt: now,
  bytes: 100,
} as const;
const openSend = reopened(openMessage());
const fact = inboundOf({ upstreamId: 'in-1' });
const pendingInbound = { id: 'in-1', fact, expiresAt: now, dueAt: now, tries: 0 };

const unmatched = unmatchedFrom(newState(), receiptOf(), now);

function addFact({ facts }: ChannelState): void {
  facts.unmatched.set(unmatched.id, unmatched);
}

const job = {
  asks: [],
  facts: [],
  rematched: [],
  confirms: [],
  learned: [],
  waiting: [],
  received: [],
  reserved: [],
  since: 0,
};

describe('sends are remembered', () => {
  test.each<[string, (sends: SendsState) => void]>([
    ['while one is open', ({ open }) => open.set('m-1', openSend)],
    ['while a person’s queue has something to do', (sends) => void findQueue(sends, 'mia')],
    ['while the pace of a pair is not forgotten', ({ pairs }) => pairs.set('mia', later)],
    ['while a call is out', (sends) => (sends.calls = 1)],
    ['while an emptied queue was not looked at', ({ emptied }) => void emptied.push('mia')],
    ['until a pause of upstream is over', (sends) => (sends.pausedUntil = later)],
    ['until the pace allows the next call', (sends) => (sends.nextCallAt = later)],
    ['until the pace has all its burst again', (sends) => (sends.spentUntil = later)],
    ['until the pace allows the next audio or video', (sends) => (sends.nextAudioVideoAt = later)],
    ['until that pace has all its burst again', (sends) => (sends.audioVideoSpentUntil = later)],
    ['while calls follow each other by a gap', (sends) => (sends.gapMs = 12.5)],
    ['a moment after one was held back by the pace', (sends) => (sends.pacedAt = now)],
    ['while one waits for a place', (sends) => (sends.waitingForSlot = true)],
    ['while the owner was told that the token is of no use', (sends) => (sends.mailedToken = 'token')],
    ['while the store is read again', (sends) => (sends.endedDuringReload = new Set())],
  ])('%s', (_, change) => {
    const state = newState();
    change(state.sends);
    rest(state, now);
    expect(state.sendsAtWork).not.toBeNull();
  });

  test('no longer than their times', () => {
    const state = newState();
    Object.assign(state.sends, {
      pausedUntil: now,
      nextCallAt: now,
      spentUntil: now,
      nextAudioVideoAt: now,
      audioVideoSpentUntil: now,
      pacedAt: now - 1_000,
    } satisfies Partial<SendsState>);
    rest(state, now);
    expect(state.sendsAtWork).toBeNull();
  });
});

describe('facts are remembered', () => {
  test.each<[string, (facts: FactsState) => void]>([
    ['while a job is under way', ({ jobs }) => jobs.set(1, job)],
    ['while the last status of a message is known', ({ statusTimes }) => statusTimes.set('m-1', now)],
    ['while an id may be missed', ({ knownUpstreamIds }) => knownUpstreamIds.set('up-1', known)],
    [
      'while others have gathered',
      ({ gathered }) => void gathered.push({ ask: 1, facts: [], dropped: 0, at: now }),
    ],
    ['while some are to be looked up again', ({ toRematch }) => void toRematch.push(unmatched)],
    ['while an id was learned in this turn', ({ toMatch }) => void toMatch.push(known)],
    ['while the next wait for a job', (facts) => (facts.gatheringBehind = 1)],
  ])('%s', (_, change) => {
    const state = newState();
    change(state.facts);
    rest(state, now);
    expect(state.factsAtWork).not.toBeNull();
  });

  test('while one waits for its message', () => {
    const state = newState();
    addFact(state);
    rest(state, now);
    expect(state.factsAtWork).not.toBeNull();
  });
});

describe('messages with files are remembered', () => {
  test.each<[string, (inbound: InboundState) => void]>([
    ['while one is open', ({ open }) => open.set('in-1', openInbound(pendingInbound, now, 'open'))],
    ['while the store holds more', ({ backlog }) => (backlog.storeHasMore = true)],
    ['while the store is asked', ({ backlog }) => (backlog.loading = true)],
    [
      'while a file is on its way',
      ({ fetches }) => void fetches.push({ inboundId: 'in-1', part: 0, isRetry: false, startedAt: now }),
    ],
    ['while what comes next could get the place of the last', ({ backlog }) => (backlog.lastDueAt = now)],
  ])('%s', (_, change) => {
    const state = newState();
    change(state.inbound);
    rest(state, now);
    expect(state.inboundAtWork).not.toBeNull();
  });

  test('no longer than the millisecond of the last', () => {
    const state = newState();
    state.inbound.backlog.lastDueAt = now - 1;
    rest(state, now);
    expect(state.inboundAtWork).toBeNull();
  });
});

describe('deliveries are remembered', () => {
  test.each<[string, (deliveries: DeliveriesState) => void]>([
    ['while one is pending', ({ open }) => open.set('d-1', newlyOpen(pendingDelivery, null))],
    ['while one is due', ({ ready }) => void ready.push('d-1')],
    ['while one is posted', (deliveries) => (deliveries.posts = 1)],
    ['while the receiver has failed', (deliveries) => (deliveries.failures = 1)],
    ['while it is known since when it fails', (deliveries) => (deliveries.failingSince = now)],
    ['while the store holds more', (deliveries) => (deliveries.storeHasMore = true)],
    ['while the store is asked', (deliveries) => (deliveries.loading = true)],
    ['while a replay is under way', (deliveries) => (deliveries.replay = { ...replay })],
  ])('%s', (_, change) => {
    const state = newState();
    change(state.deliveries);
    rest(state, now);
    expect(state.deliveriesAtWork).not.toBeNull();
  });
});

describe('a node lets go of a channel', () => {
  test('that has its slices and nothing in them', () => {
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
  ])('not while %s; what is in flight ends first where its owner ends', (_, isQuietNow, change) => {
    const state = newState();
    change(state);
    expect([isIdle(state, now), isQuiet(state)]).toEqual([false, isQuietNow]);
  });

  test('a POST that is out ends first where its owner ends', () => {
    const state = newState();
    state.deliveries.posts = 1;
    expect(isQuiet(state)).toBe(false);
  });
});

describe('operators see of a channel', () => {
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

  test('nothing where it is at rest, with its slices and without', () => {
    const [bare, sliced] = [newState(), newState()];
    expect([
      sliced.sends.calls,
      sliced.facts.jobs.size,
      sliced.inbound.open.size,
      sliced.deliveries.posts,
    ]).toEqual([0, 0, 0, 0]);
    expect([countFigures(bare, now), countFigures(sliced, now)]).toEqual([nothing, nothing]);
  });

  test('how much it has in hand, and how old the oldest of it is', () => {
    const state = newState();
    const { sends, inbound, deliveries } = state;
    const inHand = [
      { messageId: 'm-1', stage: 'waiting', arrivedAt: now - 3_000 },
      { messageId: 'm-2', stage: 'calling', arrivedAt: now - 5_000 },
      { messageId: 'm-3', stage: 'waiting', arrivedAt: now - 1_000 },
    ] as const;
    for (const send of inHand) sends.open.set(send.messageId, { ...openSend, ...send });
    sends.pausedUntil = later;
    for (const [n, heardAt] of [now - 2_000, now - 7_000, now].entries())
      deliveries.open.set(`d-${n}`, newlyOpen({ ...pendingDelivery, id: `d-${n}` }, null, { heardAt }));
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

  test('no pause that is over, and no receiver that fails now and then', () => {
    const state = newState();
    state.sends.pausedUntil = now;
    state.deliveries.failures = limits.failing - 1;
    expect(countFigures(state, now)).toEqual(nothing);
  });
});
