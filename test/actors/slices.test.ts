/** What a channel may forget at the end of a turn: a slice is dropped if a new one would be equal. [performance §2.5] */
import { describe, expect, test } from '@jest/globals';
import type { DeliveriesState } from '../../actors/channel/deliveries/state.ts';
import { newlyOpen } from '../../actors/channel/deliveries/state.ts';
import type { FactsState } from '../../actors/channel/facts/state.ts';
import type { InboundState } from '../../actors/channel/inbound/state.ts';
import { openInbound } from '../../actors/channel/inbound/state.ts';
import { findQueue } from '../../actors/channel/sends/state.ts';
import type { SendsState } from '../../actors/channel/sends/state.ts';
import { dropIdleSlices } from '../../actors/channel/turns/idle.ts';
import {
  now,
  later,
  newState,
  known,
  replay,
  pendingDelivery,
  openSend,
  pendingInbound,
  unmatched,
  addFact,
  job,
} from './support/slices.ts';

describe('the slice of sends is kept', () => {
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
    [
      'while one is open and an emptied queue was not looked at',
      (sends) => {
        sends.open.set('m-1', openSend);
        sends.emptied.push('mia');
      },
    ],
    [
      'while one is open and a call is out',
      (sends) => {
        sends.open.set('m-1', openSend);
        sends.calls = 1;
      },
    ],
  ])('%s', (_, change) => {
    const state = newState();
    change(state.sends);
    dropIdleSlices(state, now);
    expect(state.sendsAtWork).not.toBeNull();
  });

  test('but no longer than its times', () => {
    const state = newState();
    Object.assign(state.sends, {
      pausedUntil: now,
      nextCallAt: now,
      spentUntil: now,
      nextAudioVideoAt: now,
      audioVideoSpentUntil: now,
      pacedAt: now - 1_000,
    } satisfies Partial<SendsState>);
    dropIdleSlices(state, now);
    expect(state.sendsAtWork).toBeNull();
  });
});

describe('the slice of facts is kept', () => {
  test.each<[string, (facts: FactsState) => void]>([
    ['while a job is under way', ({ jobs }) => jobs.set(1, job)],
    ['while the last status of a message is known', ({ statusTimes }) => statusTimes.set('m-1', now)],
    ['while an id may be missed', ({ learnedLately }) => learnedLately.set('up-1', known)],
    [
      'while others have gathered',
      ({ gathered }) => void gathered.push({ ask: 1, facts: [], dropped: 0, at: now }),
    ],
    ['while others are held', ({ held }) => void held.push({ ask: 1, facts: [], dropped: 0, at: now })],
    ['while some are to be looked up again', ({ toRematch }) => void toRematch.push(unmatched)],
    ['while an id was learned in this turn', ({ learnedNow }) => void learnedNow.push(known)],
    ['while the next wait for a job', (facts) => (facts.gatheringBehind = 1)],
    [
      'while times are known and ids may be missed',
      (facts) => {
        facts.statusTimes.set('m-1', now);
        facts.learnedLately.set('up-1', known);
      },
    ],
    [
      'while others have gathered and some are to be looked up again',
      (facts) => {
        facts.gathered.push({ ask: 1, facts: [], dropped: 0, at: now });
        facts.toRematch.push(unmatched);
      },
    ],
    [
      'while others have gathered and an id was learned',
      (facts) => {
        facts.gathered.push({ ask: 1, facts: [], dropped: 0, at: now });
        facts.learnedNow.push(known);
      },
    ],
  ])('%s', (_, change) => {
    const state = newState();
    change(state.facts);
    dropIdleSlices(state, now);
    expect(state.factsAtWork).not.toBeNull();
  });

  test('while a fact waits for its message', () => {
    const state = newState();
    addFact(state);
    dropIdleSlices(state, now);
    expect(state.factsAtWork).not.toBeNull();
  });
});

describe('the slice of messages with files is kept', () => {
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
    dropIdleSlices(state, now);
    expect(state.inboundAtWork).not.toBeNull();
  });

  test('but no longer than the millisecond of the last message', () => {
    const state = newState();
    state.inbound.backlog.lastDueAt = now - 1;
    dropIdleSlices(state, now);
    expect(state.inboundAtWork).toBeNull();
  });
});

describe('the slice of deliveries is kept', () => {
  test.each<[string, (deliveries: DeliveriesState) => void]>([
    ['while one is pending', ({ open }) => open.set('d-1', newlyOpen(pendingDelivery, null))],
    ['while an id is left among those that are due', ({ ready }) => void ready.push('d-1')],
    ['while one is posted', (deliveries) => (deliveries.posts = 1)],
    ['while the receiver has failed', (deliveries) => (deliveries.failures = 1)],
    ['while it is known since when it fails', (deliveries) => (deliveries.failingSince = now)],
    ['while the store holds more', (deliveries) => (deliveries.storeHasMore = true)],
    ['while the store is asked', (deliveries) => (deliveries.loading = true)],
    ['while a replay is under way', (deliveries) => (deliveries.replay = { ...replay })],
    ['in the interval of an alert', (deliveries) => (deliveries.alertAt = now - 900_000 + 1)],
    [
      'while one is due',
      (deliveries) => {
        deliveries.open.set('d-1', newlyOpen(pendingDelivery, null));
        deliveries.ready.push('d-1');
      },
    ],
    [
      'while one is pending of a receiver that has failed',
      (deliveries) => {
        deliveries.open.set('d-1', newlyOpen(pendingDelivery, null));
        deliveries.failures = 1;
      },
    ],
  ])('%s', (_, change) => {
    const state = newState();
    change(state.deliveries);
    dropIdleSlices(state, now);
    expect(state.deliveriesAtWork).not.toBeNull();
  });

  test('but no longer than the interval of the last alert', () => {
    const state = newState();
    state.deliveries.alertAt = now - 900_000;
    dropIdleSlices(state, now);
    expect(state.deliveriesAtWork).toBeNull();
  });
});
