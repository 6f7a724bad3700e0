/** [faults: 411, 412, 424] What lists of an account with many channels ask the store. */
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { aReservation, aSubscription, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export function describeChannelWords(name: string, open: Open): void {
  describe(`${name}: channels of an account with many`, () => {
    const store = withStore(open);

    /** A connected channel of a licence of its own. */
    async function connected(accountId: string, createdAt = noon): Promise<{ id: string; licence: string }> {
      const { channels, subscriptions } = store.current.stores;
      const licence = aSubscription(accountId, { id: newId(), expiresAt: noon + createdAt, createdAt });
      await subscriptions.insert(licence);
      const reservation = aReservation({ accountId, subscriptionId: licence.id, createdAt });
      await channels.reserve(reservation, noon);
      const { codeHash: hash, channelId: id } = reservation;
      await channels.exchange({ hash, accountId }, noon, () => ({}));
      return { id, licence: licence.id };
    }

    test('a word begins with a prefix, of this account alone; a word that is added twice is there once', async () => {
      const { channelWords } = store.current.stores;
      const [one, other] = [newId(), newId()];
      const words = ['shop b', 'shop a', 'élan'].map((word) => ({ accountId: one, word, channelId: word }));
      await channelWords.add([...words, { accountId: other, word: 'shop c', channelId: 'shop c' }]);
      await channelWords.add(words);
      expect(await channelWords.beginning(one, 'shop', 10)).toEqual(['shop a', 'shop b']);
      expect(await channelWords.beginning(one, 'shop', 1)).toEqual(['shop a']);
      expect(await channelWords.beginning(one, 'él', 10)).toEqual(['élan']);
      expect(await channelWords.beginning(one, 'sho.*', 10)).toEqual([]);
    });

    test('the store remembers that all channels have been indexed', async () => {
      const { channelWords } = store.current.stores;
      await channelWords.noteComplete();
      await channelWords.noteComplete();
      expect(await channelWords.isComplete()).toBe(true);
      expect(await channelWords.beginning('', '', 10)).toEqual(['']);
    });

    test('the oldest channel of a kind is the oldest active one, or the oldest inactive one', async () => {
      const { channels } = store.current.stores;
      const accountId = newId();
      const first = await connected(accountId);
      const second = await connected(accountId, noon + 1);
      const oldest = async (isActive: boolean) =>
        (await channels.firstOfKind(accountId, { channelType: 'chatapp', isActive }))?.id;
      expect([await oldest(true), await oldest(false)]).toEqual([first.id, undefined]);
      await channels.deactivate(first.id, accountId);
      expect([await oldest(true), await oldest(false)]).toEqual([second.id, first.id]);
    });

    test('channels are found by their licences, of this account alone', async () => {
      const { channels } = store.current.stores;
      const [accountId, other] = [newId(), newId()];
      const [first, second] = [await connected(accountId), await connected(accountId, noon + 1)];
      const foreign = await connected(other);
      const on = async (...licences: string[]) =>
        (await channels.onLicences(accountId, licences)).map(({ id }) => id);
      expect(await on(first.licence, foreign.licence, newId())).toEqual([first.id]);
      const held = ({ id, licence }: typeof first, createdAt: number) => {
        return { id, channelType: 'chatapp', subscriptionId: licence, connectedAt: noon, createdAt };
      };
      expect(await channels.slotsOf(accountId, [second.licence, foreign.licence])).toEqual([
        held(second, noon + 1),
      ]);
      const { items } = await channels.heldSlots(accountId, { limit: null, cursor: null });
      expect(items).toEqual([held(first, noon), held(second, noon + 1)]);
      const one = await channels.heldSlots(accountId, { limit: 1, cursor: null });
      expect([one.items, await channels.ids(accountId, 1)]).toEqual([[held(first, noon)], [first.id]]);
      expect((await on(second.licence, first.licence)).toSorted()).toEqual([first.id, second.id].toSorted());
    });

    test('of 300 channels, those without a licence are found, if they are active and of this account', async () => {
      const { channels } = store.current.stores;
      const accountId = newId();
      const all: Awaited<ReturnType<typeof connected>>[] = [];
      for (let n = 0; n < 300; n += 50) {
        const some = Array.from({ length: 50 }, (_, at) => connected(accountId, noon + n + at));
        all.push(...(await Promise.all(some)));
      }
      const [early, late, removed] = [all[7]!.id, all[299]!.id, all[150]!.id];
      for (const id of [late, early, removed]) await channels.bind(id, null);
      await channels.deactivate(removed, accountId);
      await channels.bind((await connected(newId())).id, null);
      expect(await channels.withoutLicence(accountId, 10)).toEqual([early, late]);
      expect(await channels.withoutLicence(accountId, 1)).toEqual([early]);
      await channels.bind(late, all[299]!.licence);
      expect(await channels.withoutLicence(accountId, 10)).toEqual([early]);
    });

    test('licences are found by their status, the latest end first', async () => {
      const { subscriptions } = store.current.stores;
      const accountId = newId();
      const ends = [noon + 1, null, noon + 2].map((expiresAt) =>
        aSubscription(accountId, { id: newId(), expiresAt }),
      );
      for (const licence of [...ends, aSubscription(newId(), { id: newId() })])
        await subscriptions.insert(licence);
      for (const { id } of ends) await subscriptions.update(id, { status: 'canceled' });
      await subscriptions.insert(aSubscription(accountId, { id: newId(), expiresAt: noon + 3 }));
      const canceled = await subscriptions.withStatus(accountId, 'canceled', 10);
      expect(canceled.map(({ expiresAt }) => expiresAt)).toEqual([noon + 2, noon + 1, null]);
      expect(await subscriptions.withStatus(accountId, 'canceled', 1)).toEqual([canceled[0]]);
      expect(await subscriptions.withStatus(accountId, 'expired', 10)).toEqual([]);
    });

    test('licences are read page by page, newest first, and by their end', async () => {
      const { subscriptions } = store.current.stores;
      const accountId = newId();
      const made = [3, 1, 2].map((n) =>
        aSubscription(accountId, { id: newId(), expiresAt: noon + n, createdAt: noon - n }),
      );
      for (const licence of made) await subscriptions.insert(licence);
      await subscriptions.insert(aSubscription(accountId, { id: newId(), expiresAt: null, createdAt: noon }));
      const page = await subscriptions.page(accountId, { limit: 2, cursor: null });
      expect(page.items.map(({ createdAt }) => createdAt - noon)).toEqual([0, -1]);
      const { items } = await subscriptions.page(accountId, { limit: 2, cursor: page.nextCursor });
      expect(items.map(({ createdAt }) => createdAt - noon)).toEqual([-2, -3]);
      const ends = await subscriptions.endingOf(accountId, noon + 2, 10);
      expect(ends.map(({ expiresAt }) => (expiresAt ?? 0) - noon)).toEqual([1, 2]);
      await subscriptions.update(ends[0]?.id ?? '', { status: 'expired' });
      expect(await subscriptions.endingOf(accountId, noon + 2, 10)).toEqual([ends[1]]);
    });
  });
}
