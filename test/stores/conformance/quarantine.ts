import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { noon, sealedText } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { QuarantinedItem } from '../../../src/features/quarantine/entity.ts';

function anItem(over: Partial<QuarantinedItem> = {}): QuarantinedItem {
  return {
    id: newId(),
    reason: 'malformed',
    channelType: 'chatapp',
    channelId: newId(),
    accountId: newId(),
    identity: '422300000000002',
    kind: 'messages',
    shape: '{id: string, type: "text"}',
    times: 1,
    lastSeenAt: noon,
    createdAt: noon,
    sealed: null,
    ...over,
  };
}

export function describeQuarantine(name: string, open: Open): void {
  describe(`${name}: quarantine [faults: 46]`, () => {
    const store = withStore(open);
    const everything = { limit: null, cursor: null };
    const listed = async () => (await store.current.stores.quarantine.list(everything)).items;
    beforeEach(async () => {
      await store.current.stores.quarantine.trim(0, noon + 1_000_000);
    });

    test('an item is read back unchanged, also one without a known channel', async () => {
      const known = anItem({ createdAt: noon + 1 });
      const nobodys = anItem({
        reason: 'unknown',
        channelType: null,
        channelId: null,
        accountId: null,
        identity: null,
      });
      await store.current.stores.quarantine.add([nobodys, known]);
      expect(await listed()).toEqual([known, nobodys]);
    });

    test('a repeated item is counted: first seen stays, last seen only increases', async () => {
      const item = anItem({ times: 2 });
      await store.current.stores.quarantine.add([item]);
      await store.current.stores.quarantine.add([
        { ...item, times: 3, createdAt: noon + 5, lastSeenAt: noon + 5 },
      ]);
      await store.current.stores.quarantine.add([{ ...item, lastSeenAt: noon - 5 }]);
      expect(await listed()).toEqual([{ ...item, times: 7, lastSeenAt: noon + 5 }]);
    });

    test('is listed in pages, the last first-seen item first', async () => {
      const items = [2, 0, 1].map((n) => anItem({ createdAt: noon + n }));
      await store.current.stores.quarantine.add(items);
      const first = await store.current.stores.quarantine.list({ limit: 2, cursor: null });
      const second = await store.current.stores.quarantine.list({ limit: 2, cursor: first.nextCursor });
      expect([...first.items, ...second.items].map(({ createdAt }) => createdAt - noon)).toEqual([2, 1, 0]);
      expect(second.nextCursor).toBeNull();
    });

    test('an item is found by its id, with its encrypted content, and dropped once', async () => {
      const { quarantine } = store.current.stores;
      const item = anItem({ reason: 'ended_node', sealed: sealedText('a message') });
      await quarantine.add([item, anItem()]);
      expect(await quarantine.find(item.id)).toEqual(item);
      expect([await quarantine.drop(item.id), await quarantine.drop(item.id)]).toEqual([item, null]);
      expect([await quarantine.find(item.id), (await listed()).length]).toEqual([null, 1]);
    });

    test('is trimmed to the last-seen items, and to those seen since a time', async () => {
      const { quarantine } = store.current.stores;
      await quarantine.add(Array.from({ length: 10 }, (_, n) => anItem({ lastSeenAt: noon + n })));
      const seen = async () =>
        (await listed()).map(({ lastSeenAt }) => lastSeenAt - noon).toSorted((a, b) => a - b);

      expect(await quarantine.trim(6, noon + 8, AbortSignal.abort())).toBe(0);
      expect(await quarantine.trim(6, 0)).toBe(4);
      expect(await seen()).toEqual([4, 5, 6, 7, 8, 9]);
      expect(await quarantine.trim(6, noon + 8)).toBe(4);
      expect(await seen()).toEqual([8, 9]);
      expect(await quarantine.trim(6, noon)).toBe(0);
    });

    test('items that can be retried are trimmed by age only, however many others come', async () => {
      const { quarantine } = store.current.stores;
      const again = anItem({ reason: 'ended_node', sealed: sealedText('a message') });
      const shapes = Array.from({ length: 210 }, (_, n) => anItem({ lastSeenAt: noon + 1 + n }));
      await quarantine.add([again, ...shapes]);
      expect(await quarantine.trim(5, 0)).toBe(205);
      expect((await listed()).map(({ id }) => id)).toContain(again.id);
      await quarantine.trim(5, noon + 1_000_000);
      expect(await listed()).toEqual([]);
    });
  });
}
