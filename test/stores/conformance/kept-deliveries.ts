import { describe, expect, test } from '@jest/globals';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import type { Write } from '../../../src/storage/journal/writes.ts';
import { FencedError } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { applied, put, putDeliveries, refused } from './channel-state.ts';
import { aDelivery, idsOf, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenStore } from './store.ts';
import { pendingOf } from './views.ts';

const beginning = { createdAt: -1, id: '' };

/** Deliveries that failed `n` ms after noon each, and are kept. */
async function keepEach(store: OpenStore, ...deliveries: Delivery[]): Promise<void> {
  for (const delivery of deliveries) await putDeliveries(store, delivery);
  for (const [n, { channelId, id: deliveryId, createdAt, payload }] of deliveries.entries()) {
    const made = { state: 'failed', attempts: 1, firstTriedAt: createdAt, nextDueAt: noon + n } as const;
    const attempt = {
      ...made,
      lastResult: '503',
      attemptLog: null,
      kept: { keptSince: noon + n, keptBytes: payload?.length ?? 0 },
    };
    await put(store, channelId, { write: 'recordAttempt', deliveryId, attempt });
  }
}

export function describeKeptDeliveries(name: string, open: Open): void {
  describe(`${name}: kept deliveries`, () => {
    const store = withStore(open);

    const logged = async ({ accountId, channelId, id }: Delivery) =>
      store.current.stores.deliveryLog.find({ accountId, channelId, id });

    test('the log shows since when a failed delivery is kept', async () => {
      const delivery = aDelivery(newId());
      await keepEach(store.current, delivery);
      expect(await logged(delivery)).toMatchObject({ state: 'failed', lastResult: '503', keptSince: noon });
    });

    test('channels that keep deliveries are listed once each, in pages', async () => {
      const ids = [newId(), newId(), newId()].toSorted();
      const of = ids.flatMap((id) => [aDelivery(id), aDelivery(id)]);
      const none = aDelivery(newId(), { state: 'delivered', payload: null });
      await keepEach(store.current, ...of);
      await putDeliveries(store.current, none);
      const found: string[] = [];
      for (let after = ''; ;) {
        const page = await store.current.stores.keptDeliveries.channels(after, 2);
        found.push(...page);
        after = page.at(-1) ?? '';
        if (page.length < 2) break;
      }
      expect(found.filter((id) => ids.includes(id))).toEqual(ids);
      expect([new Set(found).size, found.includes(none.channelId)]).toEqual([found.length, false]);
    });

    test('kept deliveries are read in the order of their creation, by time of failure and by event', async () => {
      const channelId = newId();
      const made = [5, 3, 3, 9].map((createdAt) => aDelivery(channelId, { createdAt }));
      const read = aDelivery(channelId, { createdAt: 4, event: 'message.read' });
      await keepEach(store.current, ...made, read, aDelivery(newId()));
      const all = [...made, read].toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
      const asked = { since: 0, until: noon + 99, events: null, after: beginning, limit: 9 };
      const found = (over = {}) =>
        store.current.channelState.keptDeliveries(channelId, { ...asked, ...over });
      const everything = await found();
      expect(idsOf(everything)).toEqual(idsOf(all));
      expect(everything[0]).toMatchObject({ attempts: 1, bytes: all[0]?.payload?.length });
      expect(idsOf(await found({ limit: 2 }))).toEqual(idsOf(all.slice(0, 2)));
      expect(idsOf(await found({ after: everything[1], limit: 2 }))).toEqual(idsOf(all.slice(2, 4)));
      const some = { since: noon + 1, until: noon + 2 };
      expect(idsOf(await found(some)).toSorted()).toEqual(idsOf(made.slice(1, 3)).toSorted());
      expect(idsOf(await found({ events: ['message.read', 'message.sent'] }))).toEqual([read.id]);
      const { keptDeliveries } = store.current.stores;
      expect(await keptDeliveries.count(channelId, { ...some, events: null })).toBe(2);
      expect(await keptDeliveries.count(channelId, { ...asked, events: ['message.read'] })).toBe(1);
      expect(await keptDeliveries.count(newId(), asked)).toBe(0);
    });

    test('a revived delivery is pending without attempts, once for each time it was kept', async () => {
      const { channelState } = store.current;
      const delivery = aDelivery(newId());
      const { channelId, id: deliveryId } = delivery;
      await keepEach(store.current, delivery);
      const revive = (keptSince: number, channel = channelId) =>
        channelState.commit(channel, 3, [{ write: 'reviveDelivery', deliveryId, keptSince, at: noon + 50 }]);
      expect(await revive(noon + 1)).toEqual([refused]);
      expect(await revive(noon, newId())).toEqual([refused]);
      const both = await Promise.all([revive(noon), revive(noon)]);
      expect(both.flat().filter((each) => each.applied)).toHaveLength(1);
      expect(await channelState.pendingDeliveries(channelId, 9)).toEqual([
        { ...pendingOf(delivery), nextDueAt: noon + 50 },
      ]);
      expect(await channelState.deliveryPayload(channelId, deliveryId)).not.toBeNull();
      expect(await channelState.keptBytes(channelId)).toBe(0);
      expect((await logged(delivery))?.keptSince).toBeNull();
      // The previous owner reports an outcome of the earlier attempts late.
      const late = { state: 'failed', attempts: 8, firstTriedAt: noon, nextDueAt: noon } as const;
      const attempt = { ...late, lastResult: '503', attemptLog: null };
      await put(store.current, channelId, { write: 'recordAttempt', deliveryId, attempt });
      await put(store.current, channelId, {
        write: 'recordAttempt',
        deliveryId,
        attempt: { ...attempt, kept: { keptSince: noon, keptBytes: 1 } },
      });
      expect((await logged(delivery))?.state).toBe('pending');
    });

    test('a revival under a lower epoch than the stored one is fenced', async () => {
      const { channelState } = store.current;
      const delivery = aDelivery(newId());
      const { channelId, id: deliveryId } = delivery;
      await channelState.commit(channelId, 5, [{ write: 'insertDelivery', delivery }]);
      const made = { attempts: 1, firstTriedAt: noon, nextDueAt: noon, lastResult: '503', attemptLog: null };
      await put(store.current, channelId, {
        write: 'recordAttempt',
        deliveryId,
        attempt: { ...made, state: 'failed', kept: { keptSince: noon, keptBytes: 1 } },
      });
      const revive: Write = { write: 'reviveDelivery', deliveryId, keptSince: noon, at: noon };
      await expect(channelState.commit(channelId, 4, [revive])).rejects.toThrow(FencedError);
      expect(await channelState.commit(channelId, 5, [revive])).toEqual([applied]);
    });

    test('payloads of deliveries that a channel gave up by a time are erased; their log entries stay', async () => {
      const { channelState, stores } = store.current;
      const channelId = newId();
      const all = Array.from({ length: 3 }, () => aDelivery(channelId));
      const other = aDelivery(newId());
      await keepEach(store.current, ...all, other);
      expect(await stores.keptDeliveries.sweep(channelId, noon + 1, AbortSignal.abort())).toBe(0);
      expect(await stores.keptDeliveries.erase(channelId, noon + 1)).toBe(2);
      expect(await stores.keptDeliveries.erase(channelId, noon + 1)).toBe(0);
      expect(await channelState.keptBytes(channelId)).toBe(all[2]?.payload?.length);
      const since = await Promise.all([...all, other].map(async (each) => (await logged(each))?.keptSince));
      expect(since).toEqual([null, null, noon + 2, noon + 3]);
    });

    test.each(['erase', 'sweep'] as const)('more than one batch is erased in one call: %s', async (how) => {
      const channelId = newId();
      const kept = { state: 'failed', keptSince: noon, keptBytes: 1 } as const;
      await putDeliveries(store.current, ...Array.from({ length: 1_201 }, () => aDelivery(channelId, kept)));
      expect(await store.current.stores.keptDeliveries[how](channelId, noon)).toBe(1_201);
      expect(await store.current.channelState.keptBytes(channelId)).toBe(0);
    });

    test('the sweep of finished work skips kept deliveries, however old, until their payloads are erased', async () => {
      const { dueWork, keptDeliveries } = store.current.stores;
      const channelId = newId();
      const kept = Array.from({ length: 250 }, () => aDelivery(channelId, { createdAt: 3 }));
      const done = aDelivery(channelId, { createdAt: 4, state: 'failed', payload: null });
      await keepEach(store.current, ...kept);
      await putDeliveries(store.current, done);
      expect(await dueWork.dropFinished(5)).toBe(1);
      expect(await logged(kept[0]!)).not.toBeNull();
      await keptDeliveries.erase(channelId, noon + 1_000);
      expect(await dueWork.dropFinished(5)).toBe(250);
    });
  });
}
