/** [faults: 154] An unproved account whose deletion breaks off is deleted by the next one, with all that belongs to it. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { accountStore } from '../../../src/features/accounts/store.ts';
import { people } from '../../../src/features/accounts/people-entity.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { unconfirmedEmail } from '../../../src/rules/email.ts';
import type { RecordsOf } from '../../../src/storage/records.ts';
import { anAccount, aPerson, aSubscription, noon } from '../../stores/conformance/samples.ts';
import { folderInMemory } from '../../support/in-memory.ts';
import { silentLog } from '../../support/silent-log.ts';
import { openEmbeddedStore, tables } from '../../support/stores.ts';
import type { EmbeddedStore } from '../../support/stores.ts';
import { writerHere } from '../../support/writer-here.ts';

const dataDir = folderInMemory('account-dropped');
let store: EmbeddedStore;
beforeAll(async () => {
  store = await openEmbeddedStore({ dataDir, log: silentLog, writer: writerHere(tables) });
});
afterAll(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

test('a deletion that breaks off leaves an account that nobody can prove, and is repeated', async () => {
  const { stores, engine } = store;
  const id = newId();
  const account = anAccount({ id, email: unconfirmedEmail(`${id}@example.com`, id), createdAt: noon });
  await stores.accounts.create(account, null, aSubscription(id));
  await stores.people.insert(aPerson({ id, accountId: id, email: account.email, confirmedAt: null }));

  const breakingOff: RecordsOf = (entity) => {
    const records = engine.recordsOf(entity);
    if (entity.name !== people.name) return records;
    return { ...records, remove: async () => Promise.reject(new StoreUnavailable('away', 'no')) };
  };
  const dropped = accountStore({ ...engine, recordsOf: breakingOff }).dropUnconfirmed(account);
  await expect(dropped).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await stores.people.confirm(account, `${id}@example.com`, noon)).toBe(false);

  const { items } = await stores.accounts.madeIn({ from: noon, below: noon + 1 }, { limit: 5, cursor: null });
  const [left] = items;
  expect(left?.id).toBe(id);
  if (left !== undefined) expect(await stores.accounts.dropUnconfirmed(left)).toBe(true);
  expect([await stores.accounts.byId(id), await stores.people.byId(id)]).toEqual([null, null]);
  expect(await stores.subscriptions.list(id)).toEqual([]);
});
