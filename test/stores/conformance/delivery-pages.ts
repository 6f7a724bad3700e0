import { describe, expect, test } from '@jest/globals';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import { madeDeliveries } from './channel-state.ts';
import { aTest, idsOf, noon, cursorAt } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { DeliveryLogQuery } from '../../../src/features/deliveries/log-pages.ts';

export function describeDeliveryPages(name: string, open: Open): void {
  describe(`${name}: pages of the delivery log`, () => {
    const store = withStore(open);

    const made = (...overs: Partial<Delivery>[]) => madeDeliveries(store.current, overs);

    /** Of one account, each on a channel of its own. */
    async function onChannels(overs: readonly Partial<Delivery>[]): Promise<Delivery[]> {
      const accountId = newId();
      const all: Delivery[] = [];
      for (const [n, over] of overs.entries())
        all.push(...(await made({ accountId, createdAt: noon + n, ...over })));
      return all;
    }

    const list = (
      { channelId, accountId }: Pick<Delivery, 'channelId' | 'accountId'>,
      over: Partial<DeliveryLogQuery> = {},
    ) =>
      store.current.stores.deliveryLog.list({
        accountId,
        channelId,
        since: 0,
        until: null,
        event: null,
        state: null,
        lookAt: 1_000,
        page: { limit: 100, cursor: null, isBack: false },
        ...over,
      });

    /** Reads all of it in this direction, in pages of two. */
    async function turned(any: Delivery, isBack: boolean): Promise<string[]> {
      const seen: string[] = [];
      let cursor: DeliveryLogQuery['page']['cursor'] = null;
      do {
        const page = await list(any, { page: { limit: 2, cursor, isBack } });
        seen.push(...idsOf(page.items));
        cursor = page.nextCursor;
      } while (cursor !== null);
      return seen;
    }

    test('both directions return the same, also with several of the same millisecond', async () => {
      const all = await made({ createdAt: noon }, { createdAt: noon }, { createdAt: noon }, {}, {});
      const oldestFirst = idsOf(all.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)));
      expect(await turned(all[0]!, true)).toEqual(oldestFirst);
      expect(await turned(all[0]!, false)).toEqual(oldestFirst.toReversed());
    });

    test('of an account, over all of its channels and no others, in both directions', async () => {
      const all = await onChannels(
        [0, 1, 2, 3, 4].map((n) => ({ state: n % 2 === 0 ? ('failed' as const) : ('pending' as const) })),
      );
      await made({}, {});
      const ofAccount = { channelId: null };
      const found = async (over: Partial<DeliveryLogQuery>) =>
        idsOf((await list(all[0]!, { ...ofAccount, ...over })).items);
      const ids = idsOf(all);
      expect(await found({})).toEqual(ids.toReversed());
      expect(await found({ state: 'failed' })).toEqual([ids[4], ids[2], ids[0]]);
      expect(await found({ state: 'failed', since: noon + 1, until: noon + 4 })).toEqual([ids[2]]);
      const page = { limit: 2, cursor: cursorAt(all[1]), isBack: true };
      expect(await found({ page })).toEqual([ids[2], ids[3]]);
      expect(await found({ page: { ...page, isBack: false } })).toEqual([ids[0]]);
    });

    test('a page reads as many deliveries as it shows, and one more: however many the account has', async () => {
      const all = await onChannels(Array.from({ length: 40 }, () => ({})));
      const { items, nextCursor } = await list(all[0]!, {
        channelId: null,
        lookAt: 3,
        page: { limit: 3, cursor: null, isBack: false },
      });
      expect([idsOf(items), nextCursor]).toEqual([idsOf(all.slice(-3).toReversed()), cursorAt(all.at(-3))]);
    });

    test('kept deliveries of an account, oldest first, after a place', async () => {
      const kept = { state: 'failed', keptSince: noon + 7, keptBytes: 1 } as const;
      const all = await onChannels([kept, {}, kept, kept]);
      const accountId = all[0]!.accountId;
      await made(kept);
      const after = (place: PagePosition, limit: number) =>
        store.current.stores.deliveryLog.keptAfter(accountId, place, limit);
      const [first, , second, third] = all;
      const found = await after({ createdAt: -1, id: '' }, 2);
      expect(found).toEqual(
        [first!, second!].map(({ id, channelId, createdAt, event }) => ({
          id,
          channelId,
          endpointId: null,
          createdAt,
          event,
          keptSince: noon + 7,
        })),
      );
      expect(idsOf(await after(cursorAt(second)!, 9))).toEqual([third!.id]);
    });

    test('from a time on and before a time, after a place in either direction', async () => {
      const all = await made({}, {}, {}, {}, {});
      const [first] = all;
      const found = async (over: Partial<DeliveryLogQuery>) => idsOf((await list(first!, over)).items);
      const ids = idsOf(all);
      expect(await found({ since: noon + 1, until: noon + 4 })).toEqual(ids.slice(1, 4).toReversed());
      const page = { limit: 9, cursor: cursorAt(all[2]), isBack: false };
      expect(await found({ since: noon + 1, until: noon + 4, page })).toEqual([ids[1]]);
      expect(await found({ since: noon + 1, until: noon + 4, page: { ...page, isBack: true } })).toEqual([
        ids[3],
      ]);
    });

    test('filters by event and by state; the search is bounded, and the cursor says where to continue', async () => {
      const all = await made({ event: 'message.read' }, { state: 'failed' }, {}, {});
      const rare = { event: 'message.read', lookAt: 2 } as const;
      const first = await list(all[0]!, rare);
      expect([first.items, first.nextCursor]).toEqual([[], cursorAt(all[2])]);
      const second = await list(all[0]!, {
        ...rare,
        page: { limit: 9, cursor: first.nextCursor, isBack: false },
      });
      expect([idsOf(second.items), second.nextCursor]).toEqual([[all[0]?.id], null]);
      expect(idsOf((await list(all[0]!, { state: 'failed' })).items)).toEqual([all[1]?.id]);
      expect(
        idsOf(
          (await list(all[0]!, { state: 'failed', page: { limit: 9, cursor: null, isBack: true } })).items,
        ),
      ).toEqual([all[1]?.id]);
    });

    test('one complete delivery, pending too, in its account and channel only', async () => {
      const [one] = await made({});
      const { deliveryLog } = store.current.stores;
      const { id, accountId, channelId, payload } = one!;
      const found = await deliveryLog.whole({ id, accountId, channelId });
      const { payload: waits, ...logged } = found!;
      expect(Buffer.from(waits ?? [])).toEqual(Buffer.from(payload ?? []));
      expect(logged).toEqual(await deliveryLog.find({ id, accountId, channelId }));
      expect(await deliveryLog.whole({ id, accountId: newId(), channelId })).toBeNull();
      expect(await deliveryLog.whole({ id, accountId, channelId: newId() })).toBeNull();
    });

    test('a webhook test is in the log unchanged, is never posted again, and is erased when it is old', async () => {
      const { channelState, stores } = store.current;
      const tried = aTest(newId());
      const { id, accountId, channelId } = tried;
      await stores.deliveryLog.addTest(tried);
      const shown = { ...tried, nextDueAt: expect.anything() };
      expect(await stores.deliveryLog.find({ id, accountId, channelId })).toEqual(shown);
      expect((await list({ channelId, accountId }, { event: 'webhook.test' })).items).toEqual([shown]);
      expect(await channelState.pendingDeliveries(channelId, 9)).toEqual([]);
      expect((await channelState.load(channelId, 1, noon, 9)).deliveries).toEqual([]);
      await stores.dueWork.dropFinished(noon + 1);
      expect(await stores.deliveryLog.find({ id, accountId, channelId })).toBeNull();
    });
  });
}
