import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { ownerOf } from '../../../src/rules/webhooks/endpoints.ts';
import { putDeliveries, putMessages } from './channel-state.ts';
import { aDelivery, aHeldFact, aMessage, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import { pendingOf } from './views.ts';

export function describeDueWork(name: string, open: Open): void {
  describe(`${name}: work that is due`, () => {
    const store = withStore(open);

    test('a send that was postponed without a call is due when its pause is over', async () => {
      const { dueWork } = store.current.stores;
      const paused = { state: 'queued', copies: 0, tries: 0, nextTryAt: noon + 5, error: 'paused' } as const;
      const channelId = newId();
      await putMessages(store.current, aMessage(channelId, paused));
      expect(await dueWork.channelsWithDueWork(noon + 4, 100_000)).not.toContain(channelId);
      expect(await dueWork.channelsWithDueWork(noon + 5, 100_000)).toContain(channelId);
    });

    test('channels with a due delivery or an unfinished send are found, each once', async () => {
      const { dueWork } = store.current.stores;
      const at = 1_000;
      const [delivering, sending, retrying, later, done] = [newId(), newId(), newId(), newId(), newId()];
      await putDeliveries(
        store.current,
        aDelivery(delivering, { nextDueAt: at - 1 }),
        aDelivery(delivering, { nextDueAt: at }),
      );
      await putMessages(
        store.current,
        aMessage(sending, { attemptedAt: at }),
        aMessage(sending, { attemptedAt: at - 1, state: 'queued' }),
      );
      await putMessages(
        store.current,
        aMessage(retrying, { state: 'queued', attemptedAt: 1, nextTryAt: at }),
      );
      await putMessages(
        store.current,
        aMessage(later, { state: 'queued', attemptedAt: 1, nextTryAt: at + 1 }),
      );
      await putDeliveries(store.current, aDelivery(later, { nextDueAt: at + 1 }));
      await putDeliveries(store.current, aDelivery(done, { nextDueAt: 1, state: 'delivered' }));
      await putMessages(store.current, aMessage(done, { attemptedAt: 1, state: 'sent' }));
      const found = await dueWork.channelsWithDueWork(at, 100);
      expect(found.toSorted()).toEqual([delivering, sending, retrying].toSorted());
      const two = await dueWork.channelsWithDueWork(at, 2);
      expect(two).toHaveLength(2);
      expect(found).toEqual(expect.arrayContaining(two));
      expect((await dueWork.channelsWithDueWork(at + 1, 100)).toSorted()).toEqual(
        [...found, later].toSorted(),
      );
    });

    test('a fact that an owner must process is due work; one that only waits is not', async () => {
      const { stores, channelState } = store.current;
      const [due, waiting] = [newId(), newId()];
      await channelState.commit(due, 1, [{ write: 'keepWaiting', unmatched: aHeldFact({ dueAt: 500 }) }]);
      await channelState.commit(waiting, 1, [{ write: 'keepWaiting', unmatched: aHeldFact() }]);
      const found = await stores.dueWork.channelsWithDueWork(500, 1_000);
      expect([found.includes(due), found.includes(waiting)]).toEqual([true, false]);
      expect(await stores.dueWork.channelsWithDueWork(499, 1_000)).not.toContain(due);
    });

    test('the server of the store says a time, if there is one', async () => {
      const said = await store.current.stores.dueWork.serverTime();
      expect(said === null || Number.isSafeInteger(said)).toBe(true);
    });

    test('one channel with much due work does not hide the others', async () => {
      const { dueWork } = store.current.stores;
      const [busy, ...others] = Array.from({ length: 300 }, () => newId());
      const many = Array.from({ length: 500 }, () => aDelivery(busy ?? '', { nextDueAt: 0 }));
      await putDeliveries(store.current, ...many);
      for (const channelId of others)
        await putDeliveries(store.current, aDelivery(channelId, { nextDueAt: 1 }));
      expect(new Set(await dueWork.channelsWithDueWork(1, 1_000))).toEqual(new Set([busy, ...others]));
    });

    test('they are found page by page, by id, whatever of them is due, endpoints too', async () => {
      const { stores, channelState } = store.current;
      const at = 77;
      const [sending, delivering, withEndpoint, withFact] = [newId(), newId(), newId(), newId()];
      const endpoint = ownerOf(withEndpoint, newId());
      await putMessages(store.current, aMessage(sending, { attemptedAt: at }));
      for (const channelId of [delivering, withEndpoint, endpoint])
        await putDeliveries(store.current, aDelivery(channelId, { nextDueAt: at }));
      await putDeliveries(store.current, aDelivery(newId(), { nextDueAt: at + 1 }));
      const fact = aHeldFact({ dueAt: at });
      await channelState.commit(withFact, 1, [{ write: 'keepWaiting', unmatched: fact }]);
      const pages: string[][] = [];
      for (let after: string | undefined = ''; after !== undefined; after = pages.at(-1)?.at(-1)) {
        pages.push(await stores.dueWork.channelsWithDueWork(at, 2, after));
      }
      const found = pages.flat();
      expect([found, new Set(found).size]).toEqual([found.toSorted(), found.length]);
      // Other tests have left due work, too.
      const all = [sending, delivering, withEndpoint, endpoint, withFact];
      expect(found.filter((id) => all.includes(id))).toEqual(all.toSorted());
      expect(pages.slice(0, -1).every(({ length }) => length <= 2)).toBe(true);
    });

    test('finished work that is older is erased; pending or open work stays, however old', async () => {
      const { channelState, stores } = store.current;
      const channelId = newId();
      const old = { createdAt: noon - 1_000, attemptedAt: noon - 1_000 };
      const openOld = [aMessage(channelId, old), aMessage(channelId, { ...old, state: 'queued' })];
      const finished = (['sent', 'failed', 'abandoned'] as const).map((state, i) =>
        aMessage(channelId, { ...old, state, upstreamIds: [`up.${i}`] }),
      );
      const recent = aMessage(channelId, {
        createdAt: noon - 999,
        state: 'sent',
        upstreamIds: ['up.recent'],
      });
      const { createdAt } = old;
      const pendingOld = aDelivery(channelId, { createdAt });
      const doneOld = (['delivered', 'failed'] as const).map((state) =>
        aDelivery(channelId, { createdAt, state, payload: null }),
      );
      await putMessages(store.current, ...openOld, ...finished, recent);
      await putDeliveries(store.current, pendingOld, ...doneOld);
      expect(await stores.dueWork.dropFinished(noon - 999)).toBe(5);
      expect(await stores.dueWork.dropFinished(noon - 999)).toBe(0);
      const ids = [...openOld, ...finished, recent].map(({ id }) => id);
      const left = await channelState.findMessages(channelId, { ids, upstreamIds: ['up.0', 'up.1', 'up.2'] });
      expect(left.map(({ id }) => id).toSorted()).toEqual(
        [...openOld, recent].map(({ id }) => id).toSorted(),
      );
      const byUpstreamId = { ids: [], upstreamIds: ['up.recent'] };
      expect(await channelState.findMessages(channelId, byUpstreamId)).toHaveLength(1);
      expect(await channelState.pendingDeliveries(channelId, 9)).toEqual([pendingOf(pendingOld)]);
    });

    test('[faults: 452] a message that had to wait until it was called is as old as its last call; an echo is as old as its record', async () => {
      const { channelState, stores } = store.current;
      const channelId = newId();
      const old = { createdAt: noon - 1_000, state: 'sent' } as const;
      const [late, called, echo] = [
        aMessage(channelId, { ...old, attemptedAt: noon }),
        aMessage(channelId, { ...old, attemptedAt: noon - 900 }),
        aMessage(channelId, { ...old, attemptedAt: noon + 1_000_000, origin: 'echo' }),
      ];
      await putMessages(store.current, late, called, echo);
      const ids = [late, called, echo].map(({ id }) => id);
      const leftBy = async (before: number): Promise<string[]> => {
        await stores.dueWork.dropFinished(before);
        return (await channelState.findMessages(channelId, { ids, upstreamIds: [] })).map(({ id }) => id);
      };
      expect(await leftBy(noon)).toEqual([late.id]);
      expect(await leftBy(noon + 1)).toEqual([]);
    });

    test('more than one batch of finished work is erased in one call', async () => {
      const channelId = newId();
      const many = Array.from({ length: 1_201 }, () =>
        aDelivery(channelId, { createdAt: 5, state: 'delivered', payload: null }),
      );
      await putDeliveries(store.current, ...many);
      expect(await store.current.stores.dueWork.dropFinished(6)).toBe(1_201);
    });

    test('facts whose wait is over are erased, but not after a stop', async () => {
      const { channelState, stores } = store.current;
      const channelId = newId();
      await channelState.load(channelId, 1, noon, 1);
      const fact = aHeldFact({ expiresAt: noon - 1 });
      await channelState.commit(channelId, 1, [{ write: 'keepWaiting', unmatched: fact }]);
      const waiting = async () => (await channelState.load(channelId, 1, 0, 1)).unmatched;
      await stores.dueWork.dropFinished(noon, AbortSignal.abort());
      expect(await waiting()).toEqual([fact]);
      await stores.dueWork.dropFinished(noon);
      expect(await waiting()).toEqual([]);
    });

    test('a stop between two slices leaves the rest to the next call', async () => {
      const channelId = newId();
      const many = Array.from({ length: 1_201 }, () =>
        aDelivery(channelId, { createdAt: 5, state: 'delivered', payload: null }),
      );
      await putDeliveries(store.current, ...many);
      const { dueWork } = store.current.stores;
      const stopping = new AbortController();

      const erasing = dueWork.dropFinished(6, stopping.signal);
      stopping.abort();
      const erased = await erasing;

      expect(erased).toBeLessThan(1_201);
      expect(await dueWork.dropFinished(6)).toBe(1_201 - erased);
    });
  });
}

export function describeOwnership(name: string, open: Open): void {
  describe(`${name}: ownership`, () => {
    const store = withStore(open);

    test("a channel's epochs only increase, and each fences the previous one", async () => {
      const { ownership, channelState } = store.current;
      const channelId = newId();
      await putMessages(store.current, aMessage(channelId));
      const epochs: number[] = [];
      for (let i = 0; i < 5; i += 1) {
        const epoch = await ownership.mintEpoch(channelId);
        await channelState.load(channelId, epoch, noon, 1);
        epochs.push(epoch);
      }
      expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
      expect(epochs[0]).toBeGreaterThan(0);
    });
  });
}
