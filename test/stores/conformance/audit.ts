import { beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import type { AuditEntry, AuditFilter } from '../../../src/use-cases/ports/audit.ts';
import { anAuditEntry, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

const everything = { limit: null, cursor: null };

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

    test('an entry is read back as it was, also one without account, subject and values', async () => {
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

    test('each filter leaves out what is another, and all of them together', async () => {
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

    test('pages go on behind the last entry, also inside a day and of one account', async () => {
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

    test('what is older goes, and nothing else', async () => {
      const [old, kept] = [anAuditEntry({ createdAt: noon - 1 }), anAuditEntry()];
      await addAll([old, kept]);
      expect(await store.current.stores.audit.dropOlder(noon)).toBe(1);
      expect(await idsOf({})).toEqual([kept.id]);
    });
  });
}
