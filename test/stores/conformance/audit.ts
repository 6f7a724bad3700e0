import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { anAuditEntry, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';
import type { AuditFilter } from '../../../src/features/audit/store.ts';
import type { AuditEntry } from '../../../src/features/audit/entity.ts';

export function describeAudit(name: string, open: Open): void {
  describe(`${name}: audit log`, () => {
    const store = withStore(open);
    beforeEach(async () => {
      await store.current.stores.audit.dropOlder(noon + 1_000_000);
    });
    const addAll = async (entries: AuditEntry[]): Promise<void> => {
      for (const entry of entries) await store.current.stores.audit.add(entry);
    };
    const idsOf = async (filter: AuditFilter): Promise<string[]> =>
      (await store.current.stores.audit.list(filter, everything)).items.map(({ id }) => id);

    test('an entry is read back unchanged, also one without account, subject and values', async () => {
      const full = anAuditEntry({ createdAt: noon + 1 });
      const bare = anAuditEntry({
        accountId: null,
        actor: 'service',
        actorName: null,
        subject: null,
        before: null,
        after: null,
        address: null,
        requestId: null,
      });
      await addAll([bare, full]);
      expect((await store.current.stores.audit.list({}, everything)).items).toEqual([full, bare]);
    });

    test('each filter excludes the others, alone and combined', async () => {
      const accountId = newId();
      const ours = anAuditEntry({ accountId, actor: 'key', action: 'channel.updated', createdAt: noon + 5 });
      const byPerson = anAuditEntry({
        accountId,
        actor: 'person',
        action: 'key.created',
        createdAt: noon + 4,
      });
      const others = anAuditEntry({ actor: 'key', action: 'key.created', createdAt: noon + 3 });
      await addAll([ours, byPerson, others]);
      expect(await idsOf({ accountId })).toEqual([ours.id, byPerson.id]);
      expect(await idsOf({ actor: 'key' })).toEqual([ours.id, others.id]);
      expect(await idsOf({ action: 'key.created' })).toEqual([byPerson.id, others.id]);
      expect(await idsOf({ since: noon + 4 })).toEqual([ours.id, byPerson.id]);
      expect(await idsOf({ until: noon + 4 })).toEqual([others.id]);
      expect(await idsOf({ accountId, actor: 'person', action: 'key.created', since: noon })).toEqual([
        byPerson.id,
      ]);
      expect(await idsOf({ accountId, actor: 'operator' })).toEqual([]);
    });

    test('pages continue after the last entry, also within a day and of one account', async () => {
      const accountId = newId();
      const entries = [0, 0, 1, 1, 2].map((at) => anAuditEntry({ accountId, createdAt: noon + at }));
      await addAll(entries);
      const filter = { accountId, since: noon, until: noon + 2 };
      const first = await store.current.stores.audit.list(filter, { limit: 3, cursor: null });
      const second = await store.current.stores.audit.list(filter, { limit: 3, cursor: first.nextCursor });
      expect(first.items.map(({ createdAt }) => createdAt - noon)).toEqual([1, 1, 0]);
      const both = [...first.items, ...second.items].map(({ id }) => id);
      expect(both.toSorted()).toEqual(
        entries
          .slice(0, 4)
          .map(({ id }) => id)
          .toSorted(),
      );
      expect(second.nextCursor).toBeNull();
    });

    test('per account and kind of actor the newest stay; all other entries stay too', async () => {
      const { audit } = store.current.stores;
      const accountId = newId();
      const byKeys = [3, 1, 2, 0].map((at) =>
        anAuditEntry({ accountId, actor: 'key', createdAt: noon + at }),
      );
      const others = [
        anAuditEntry({ accountId, actor: 'person' }),
        anAuditEntry({ accountId, actor: 'operator' }),
        anAuditEntry({ actor: 'key' }),
      ];
      await addAll([...byKeys, ...others]);
      expect(await audit.keepNewest({ accountId, actor: 'key' }, 2, AbortSignal.abort())).toBe(0);
      expect(await audit.keepNewest({ accountId, actor: 'key' }, 2)).toBe(2);
      expect(await audit.keepNewest({ accountId, actor: 'key' }, 2)).toBe(0);
      expect(await idsOf({ accountId, actor: 'key' })).toEqual([byKeys[0]?.id, byKeys[2]?.id]);
      expect(await idsOf({})).toEqual(expect.arrayContaining(others.map(({ id }) => id)));
    });

    test('an entry that is added again adds its number to the stored one [faults: 235]', async () => {
      const { audit } = store.current.stores;
      const entry = anAuditEntry();
      const later = { ...entry, requestId: 'other', createdAt: noon + 9, times: 2, lastAt: noon + 9 };
      await addAll([entry, later, { ...later, lastAt: noon + 5 }]);
      const { items } = await audit.list({ accountId: entry.accountId ?? '' }, everything);
      expect(items).toEqual([{ ...entry, times: 5, lastAt: noon + 9 }]);
    });

    test('of too many entries the oldest of the actor with the most go, none of the others [faults: 235]', async () => {
      const { audit } = store.current.stores;
      const accountId = newId();
      const by = (actorName: string, at: number) =>
        anAuditEntry({ accountId, actor: 'key', actorName, createdAt: noon + at });
      const quiet = [by('quiet', 0), by('quiet', 1)];
      const noisy = [2, 3, 4, 5, 6, 7].map((at) => by('noisy', at));
      await addAll([...quiet, ...noisy]);
      expect(await audit.keepNewest({ accountId, actor: 'key' }, 8)).toBe(0);
      expect(await audit.keepNewest({ accountId, actor: 'key' }, 5)).toBe(3);
      const kept = [...noisy.slice(3), ...quiet.toReversed()].map(({ id }) => id);
      expect(new Set(await idsOf({ accountId }))).toEqual(new Set(kept));
    });

    test('accounts with entries are listed in order, each once; entries without an account have none', async () => {
      const { audit } = store.current.stores;
      const ids = [newId(), newId(), newId()].toSorted();
      await addAll([...ids, ...ids].map((accountId) => anAuditEntry({ accountId })));
      await addAll([anAuditEntry({ accountId: null })]);
      expect(await audit.accountsAfter('', 2)).toEqual(ids.slice(0, 2));
      expect(await audit.accountsAfter(ids[1] ?? '', 2)).toEqual(ids.slice(2));
    });

    test('pages can be turned back', async () => {
      const { audit } = store.current.stores;
      const accountId = newId();
      await addAll([0, 1, 2, 3, 4].map((at) => anAuditEntry({ accountId, createdAt: noon + at })));
      const turn = async (cursor: PagePosition | null, isBack: boolean) => {
        const { items, ...places } = await audit.listTwoWay({ accountId }, { limit: 2, cursor, isBack });
        return { at: items.map(({ createdAt }) => createdAt - noon), ...places };
      };
      const first = await turn(null, false);
      expect([first.at, first.previousCursor]).toEqual([[4, 3], null]);
      const second = await turn(first.nextCursor, false);
      const third = await turn(second.nextCursor, false);
      expect([second.at, third.at, third.nextCursor]).toEqual([[2, 1], [0], null]);
      const back = await turn(third.previousCursor, true);
      expect(back).toEqual(second);
      expect(await turn(back.previousCursor, true)).toEqual(first);
      expect(await turn(null, true)).toEqual(first);
    });

    test('only older entries are erased', async () => {
      const [old, kept] = [anAuditEntry({ createdAt: noon - 1 }), anAuditEntry()];
      await addAll([old, kept]);
      expect(await store.current.stores.audit.dropOlder(noon, AbortSignal.abort())).toBe(0);
      expect(await store.current.stores.audit.dropOlder(noon)).toBe(1);
      expect(await idsOf({})).toEqual([kept.id]);
    });
  });
}
