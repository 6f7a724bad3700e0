/** A call that is one step for its caller is one commit of the file, or few: a crash between two would be visible. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EmbeddedStore } from '../../support/stores.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { aKey, aSubscription, aTemplate, anAccount, noon } from '../conformance/samples.ts';
import { openFresh } from './open.ts';

describe('calls to the writing thread', () => {
  let store: EmbeddedStore;
  beforeAll(async () => {
    store = await openFresh();
  });
  afterAll(() => store.close());

  async function callsOf(act: () => Promise<unknown>): Promise<number> {
    const before = store.stats().calls;
    await act();
    return store.stats().calls - before;
  }

  test('an account, its key and its trial are one commit', async () => {
    const account = anAccount();
    const key = aKey(account.id);
    const create = () => store.stores.accounts.create(account, key, aSubscription(account.id));
    expect(await callsOf(create)).toBe(1);
    const second = { ...anAccount(), email: account.email };
    const theirs = aKey(second.id);
    expect(await store.stores.accounts.create(second, theirs, aSubscription(second.id))).toBe(false);
    expect(await store.stores.keys.activeByHash(key.hash)).toEqual(key);
    expect(await store.stores.keys.activeByHash(theirs.hash)).toBeNull();
  });

  test('a list of templates is written in hundreds', async () => {
    const owner = { accountId: newId(), businessAccountId: newId() };
    const changed = Array.from({ length: 150 }, () => aTemplate(owner));
    const sync = (at: number) => () =>
      store.stores.templates.synced(owner, { changed, goneIds: [] }, at, at + 1_000);
    expect(await callsOf(sync(noon))).toBeLessThan(10);
    expect(await callsOf(sync(noon + 1))).toBeLessThan(10);
  });
});
