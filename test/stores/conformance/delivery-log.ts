import { describe, expect, test } from '@jest/globals';
import { ownerOf } from '../../../src/rules/webhooks/endpoints.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { madeDeliveries, put, putDeliveries } from './channel-state.ts';
import { aDelivery, idsOf, loggedOf, noon, cursorAt } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { DeliveryLogQuery } from '../../../src/features/deliveries/log-pages.ts';

export function describeDeliveryLog(name: string, open: Open): void {
  describe(`${name}: delivery log`, () => {
    const store = withStore(open);

    const made = (...overs: Partial<Delivery>[]) => madeDeliveries(store.current, overs);

    const list = ({ channelId, accountId }: Delivery, over: Partial<DeliveryLogQuery> = {}) =>
      store.current.stores.deliveryLog.list({
        accountId,
        channelId,
        since: 0,
        event: null,
        state: null,
        page: { limit: 100, cursor: null },
        ...over,
      });

    test('of an endpoint are those of its owner; the account has all, the channel its own alone', async () => {
      const { deliveryLog } = store.current.stores;
      const [own, foreign] = [aDelivery(newId()), aDelivery(newId())];
      const { accountId, channelId } = own;
      const endpointId = newId();
      const copy = aDelivery(ownerOf(channelId, endpointId), { accountId, createdAt: own.createdAt + 1 });
      await putDeliveries(store.current, own);
      await putDeliveries(store.current, foreign);
      await put(store.current, channelId, { write: 'insertCopy', delivery: copy });
      const listed = async (over: Partial<DeliveryLogQuery>) => idsOf((await list(own, over)).items);
      expect(await listed({})).toEqual([own.id]);
      expect(await listed({ endpointId })).toEqual([copy.id]);
      expect(await listed({ channelId: null })).toEqual([copy.id, own.id]);
      const found = await deliveryLog.find({ id: copy.id, channelId, accountId });
      expect(found).toMatchObject({ channelId, endpointId });
      expect(await deliveryLog.whole({ id: copy.id, channelId, accountId })).toMatchObject({ endpointId });
      expect(await deliveryLog.find({ id: copy.id, channelId: newId(), accountId })).toBeNull();
      expect(await deliveryLog.find({ id: copy.id, channelId, accountId: newId() })).toBeNull();
    });

    test('shows deliveries and their outcomes, newest first, without content', async () => {
      const all = await made({}, {}, {});
      const [first, second, third] = [all[0]!, all[1]!, all[2]!];
      const log = `${noon + 5} 12 204 -`;
      const attempt = { attempts: 1, firstTriedAt: noon + 5, nextDueAt: noon + 9, attemptLog: log };
      await put(
        store.current,
        first.channelId,
        {
          write: 'recordAttempt',
          deliveryId: first.id,
          attempt: { ...attempt, state: 'delivered', lastResult: '204' },
        },
        {
          write: 'recordAttempt',
          deliveryId: second.id,
          attempt: { ...attempt, state: 'pending', lastResult: '503' },
        },
      );
      const { items, nextCursor } = await list(first);
      expect(items[0]).toEqual(loggedOf(third));
      expect(items[1]).toEqual({ ...loggedOf(second), ...attempt, lastResult: '503' });
      expect(items[2]).toMatchObject({
        ...loggedOf(first),
        ...attempt,
        state: 'delivered',
        lastResult: '204',
        nextDueAt: expect.anything(),
      });
      expect(nextCursor).toBeNull();
    });

    test('in pages, also with several of the same millisecond', async () => {
      const all = await made({ createdAt: noon }, { createdAt: noon }, { createdAt: noon }, {}, {});
      const any = all[0]!;
      const seen: string[] = [];
      let cursor: DeliveryLogQuery['page']['cursor'] = null;
      for (let pages = 0; pages < 3; pages += 1) {
        const page = await list(any, { page: { limit: 2, cursor } });
        seen.push(...idsOf(page.items));
        cursor = page.nextCursor;
        expect(cursor).toEqual(pages < 2 ? cursorAt(page.items.at(-1)) : null);
      }
      const newestFirst = all.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      expect(seen).toEqual(idsOf(newestFirst));
    });

    test('filters by event, by state and by both', async () => {
      const all = await made(
        { state: 'failed', event: 'message.read' },
        { state: 'delivered', event: 'message.read' },
        { state: 'failed' },
        { event: 'message.read' },
      );
      const [first, second, third, fourth] = [all[0]!, all[1]!, all[2]!, all[3]!];
      const shown = async (over: Partial<DeliveryLogQuery>) => idsOf((await list(first, over)).items);
      expect(await shown({ event: 'message.read' })).toEqual(idsOf([fourth, second, first]));
      expect(await shown({ state: 'failed' })).toEqual(idsOf([third, first]));
      expect(await shown({ state: 'pending' })).toEqual(idsOf([fourth]));
      expect(await shown({ state: 'delivered', event: 'message.read' })).toEqual(idsOf([second]));
      expect(await shown({ state: 'failed', event: 'message.echo' })).toEqual([]);
    });

    test('filters and pages work together', async () => {
      const all = await made({ state: 'failed' }, {}, { state: 'failed' }, {}, { state: 'failed' });
      const any = all[0]!;
      const first = await list(any, { state: 'failed', page: { limit: 2, cursor: null } });
      expect(idsOf(first.items)).toEqual([all[4]?.id, all[2]?.id]);
      const second = await list(any, { state: 'failed', page: { limit: 2, cursor: first.nextCursor } });
      expect([idsOf(second.items), second.nextCursor]).toEqual([[all[0]?.id], null]);
    });

    test('a rare match is searched for in bounded parts; the cursor says where to continue', async () => {
      const [channelId, accountId] = [newId(), newId()];
      const rare = aDelivery(channelId, { accountId, event: 'message.echo', createdAt: noon - 1 });
      const others = Array.from({ length: 5_001 }, (_, n) =>
        aDelivery(channelId, { accountId, createdAt: noon + n, payload: null, state: 'delivered' }),
      );
      await putDeliveries(store.current, rare, ...others);
      const first = await list(rare, { event: 'message.echo' });
      expect([first.items, first.nextCursor]).toEqual([[], cursorAt(others[1])]);
      const page = { limit: 100, cursor: first.nextCursor };
      const second = await list(rare, { event: 'message.echo', page });
      expect([idsOf(second.items), second.nextCursor]).toEqual([[rare.id], null]);
    });

    test('deliveries after a place, oldest first, including pending ones', async () => {
      const all = await made(
        { createdAt: noon },
        { createdAt: noon },
        { state: 'delivered', payload: null },
        {},
      );
      const oldestFirst = all.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
      const { accountId, channelId } = all[0]!;
      const after = (place: DeliveryLogQuery['page']['cursor'], over = {}) =>
        store.current.stores.deliveryLog.after({
          accountId,
          channelId,
          place: place ?? { createdAt: 0, id: '' },
          limit: 2,
          ...over,
        });
      const first = await after({ createdAt: noon, id: '' });
      expect(
        first.map(({ payload, ...logged }) => [logged, payload === null ? null : Buffer.from(payload)]),
      ).toEqual(oldestFirst.slice(0, 2).map((each) => [loggedOf(each), Buffer.from(each.payload ?? '')]));
      const second = await after(cursorAt(first.at(-1)));
      expect(second.map(({ id, payload }) => [id, payload === null])).toEqual(
        oldestFirst.slice(2).map(({ id, payload }) => [id, payload === null]),
      );
      expect(await after(cursorAt(second.at(-1)))).toEqual([]);
      expect(await after({ createdAt: 0, id: '' }, { accountId: newId() })).toEqual([]);
      expect(await after({ createdAt: 0, id: '' }, { channelId: newId() })).toEqual([]);
    });

    test('the times of a channel are read newest first, and counted in a span, up to a limit', async () => {
      const all = await made({}, { createdAt: noon + 5 }, { createdAt: noon + 9, state: 'failed' });
      const { channelId } = all[0]!;
      await made({ createdAt: noon + 5 });
      const { deliveryLog } = store.current.stores;
      const times = (since: number, limit: number) => deliveryLog.timesSince({ channelId, since, limit });
      expect(await times(noon, 9)).toEqual([noon + 9, noon + 5, noon]);
      expect(await times(noon + 1, 9)).toEqual([noon + 9, noon + 5]);
      expect(await times(noon, 2)).toEqual([noon + 9, noon + 5]);
      const count = (from: number, below: number, limit: number) =>
        deliveryLog.countBetween({ channelId, from, below, limit });
      expect(await count(noon, noon + 9, 9)).toBe(2);
      expect(await count(noon, noon + 10, 2)).toBe(2);
      expect(await count(noon + 10, noon + 20, 9)).toBe(0);
    });

    test('pending deliveries of given channels are counted, up to a limit', async () => {
      const [first] = await made({}, {}, { state: 'delivered', payload: null }, { state: 'failed' });
      const [other] = await made({}, {}, {});
      const channelIds = [first!.channelId, other!.channelId];
      const { deliveryLog } = store.current.stores;
      expect(await deliveryLog.countPending({ channelIds, limit: 10 })).toBe(5);
      expect(await deliveryLog.countPending({ channelIds, limit: 3 })).toBe(3);
      expect(await deliveryLog.countPending({ channelIds: [first!.channelId], limit: 10 })).toBe(2);
      expect(await deliveryLog.countPending({ channelIds: [newId()], limit: 10 })).toBe(0);
      expect(await deliveryLog.countPending({ channelIds: [], limit: 10 })).toBe(0);
    });

    test('nothing older than the retention, of another channel, or of another account', async () => {
      const all = await made({}, {}, {});
      const [first, second, third] = [all[0]!, all[1]!, all[2]!];
      expect(idsOf((await list(first, { since: noon + 1 })).items)).toEqual(idsOf([third, second]));
      expect((await list(first, { channelId: newId() })).items).toEqual([]);
      expect((await list(first, { accountId: newId() })).items).toEqual([]);
    });

    test('given ids, the oldest first, in their account and channel only', async () => {
      const all = await made({}, {}, {});
      const [first, second, third] = [all[0]!, all[1]!, all[2]!];
      const { deliveryLog } = store.current.stores;
      const { channelId, accountId } = first;
      const ids = [third.id, newId(), first.id];
      const found = await deliveryLog.among({ channelId, accountId, ids });
      expect(found).toEqual([loggedOf(first), loggedOf(third)]);
      expect(await deliveryLog.among({ channelId: null, accountId, ids })).toEqual(found);
      expect(await deliveryLog.among({ channelId, accountId: newId(), ids: [second.id] })).toEqual([]);
      expect(await deliveryLog.among({ channelId: null, accountId: newId(), ids: [second.id] })).toEqual([]);
      expect(await deliveryLog.among({ channelId: newId(), accountId, ids: [second.id] })).toEqual([]);
    });

    test('one id, in its account and channel only', async () => {
      const all = await made({});
      const one = all[0]!;
      const { deliveryLog } = store.current.stores;
      const { id, channelId, accountId } = one;
      expect(await deliveryLog.find({ id, channelId, accountId })).toEqual(loggedOf(one));
      expect(await deliveryLog.find({ id, channelId, accountId: newId() })).toBeNull();
      expect(await deliveryLog.find({ id, channelId: newId(), accountId })).toBeNull();
      expect(await deliveryLog.find({ id: newId(), channelId, accountId })).toBeNull();
    });
  });
}
