import { describe, expect, test } from '@jest/globals';
import { addressIn, unconfirmedEmail } from '../../../src/rules/email.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { aKey, aPerson, aRedirect, aSubscription, anAccount, noon, cursorAt } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export function describeAccountStore(name: string, open: Open): void {
  describe(`${name}: accounts`, () => {
    const store = withStore(open);

    test('an account is created with its first key and its trial', async () => {
      const { accounts, keys, subscriptions } = store.current.stores;
      const account = anAccount();
      const key = aKey(account.id);
      const trial = aSubscription(account.id);
      expect(await accounts.create(account, key, trial)).toBe(true);
      expect(await accounts.byId(account.id)).toEqual(account);
      expect(await keys.activeByHash(key.hash)).toEqual(key);
      expect(await subscriptions.list(account.id)).toEqual([trial]);
    });

    test('a taken e-mail address creates nothing: no account, no key, no trial', async () => {
      const { accounts, keys, subscriptions } = store.current.stores;
      const first = anAccount();
      await accounts.create(first, aKey(first.id), aSubscription(first.id));
      const second = anAccount({ email: first.email });
      const key = aKey(second.id);
      expect(await accounts.create(second, key, aSubscription(second.id))).toBe(false);
      expect(await accounts.byId(second.id)).toBeNull();
      expect(await keys.activeByHash(key.hash)).toBeNull();
      expect(await subscriptions.list(second.id)).toEqual([]);
    });

    test('an e-mail raced by 50 sign-ups makes one account', async () => {
      const { accounts } = store.current.stores;
      const email = `${newId()}@example.com`;
      const racers = Array.from({ length: 50 }, () => anAccount({ email }));
      const made = await Promise.all(racers.map((a) => accounts.create(a, aKey(a.id), aSubscription(a.id))));
      expect(made.filter(Boolean)).toHaveLength(1);
    });

    test('an unconfirmed account is deleted with its people and licences; a confirmed one stays', async () => {
      const { accounts, people, subscriptions } = store.current.stores;
      const [left, proved] = [0, 1].map((n) => {
        const id = newId();
        return anAccount({ id, email: unconfirmedEmail(`${id}@example.com`, id), createdAt: noon + n });
      });
      if (left === undefined || proved === undefined) throw new Error('two');
      for (const account of [left, proved]) {
        await accounts.create(account, null, aSubscription(account.id));
        await people.insert(aPerson({ id: account.id, accountId: account.id, email: account.email }));
      }
      await people.confirm(proved, addressIn(proved.email), noon);
      expect([await accounts.dropUnconfirmed(left), await accounts.dropUnconfirmed(proved)]).toEqual([
        true,
        false,
      ]);
      expect([await accounts.byId(left.id), await people.byId(left.id)]).toEqual([null, null]);
      expect(
        [await subscriptions.list(left.id), await subscriptions.list(proved.id)].map((l) => l.length),
      ).toEqual([0, 1]);
      expect(await people.byId(proved.id)).toMatchObject({ confirmedAt: noon });
    });

    test('accounts created in a period are listed oldest first, in pages', async () => {
      const { accounts } = store.current.stores;
      // A period of its own: the store has accounts of other tests.
      const from = noon - 70_000_000;
      const made = [3, 0, 2, 1, 5].map((after) => anAccount({ createdAt: from + after }));
      for (const account of made) await accounts.create(account, null, aSubscription(account.id));
      const time = { from, below: from + 5 };
      const first = await accounts.madeIn(time, { limit: 3, cursor: null });
      const second = await accounts.madeIn(time, { limit: 3, cursor: first.nextCursor });
      expect(first.items.map(({ createdAt }) => createdAt - from)).toEqual([0, 1, 2]);
      expect(second).toEqual({ items: [made[0]], nextCursor: null });
    });

    test('an account without a key is found by its address', async () => {
      const { accounts, keys } = store.current.stores;
      const account = anAccount();
      expect(await accounts.create(account, null, aSubscription(account.id))).toBe(true);
      expect(await accounts.byEmail(account.email)).toEqual(account);
      expect(await accounts.byEmail(`${newId()}@example.com`)).toBeNull();
      expect(await keys.list(account.id)).toEqual([]);
    });

    test('accounts are listed newest first, in pages', async () => {
      const { accounts } = store.current.stores;
      const later = noon + 1_000_000;
      const made = [2, 0, 1, 1].map((after) => anAccount({ createdAt: later + after }));
      for (const account of made) await accounts.create(account, null, aSubscription(account.id));
      const newest = made.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      const first = await accounts.page({ limit: 3, cursor: null });
      expect(first).toEqual({ items: newest.slice(0, 3), nextCursor: cursorAt(newest[2]) });
      const second = await accounts.page({ limit: 1, cursor: first.nextCursor });
      expect(second.items).toEqual(newest.slice(3));
    });

    test('a suspension keeps its first time, and can be ended', async () => {
      const { accounts } = store.current.stores;
      const account = anAccount();
      await accounts.create(account, null, aSubscription(account.id));
      const suspended = { ...account, suspendedAt: noon };
      expect(await accounts.suspend(account.id, noon, null)).toEqual({ before: account, after: suspended });
      expect(await accounts.suspend(account.id, noon + 5, null)).toEqual({
        before: suspended,
        after: suspended,
      });
      expect(await accounts.byEmail(account.email)).toEqual({ ...account, suspendedAt: noon });
      expect(await accounts.suspend(account.id, null, null)).toEqual({ before: suspended, after: account });
      expect(await accounts.byId(account.id)).toEqual(account);
      expect(await accounts.suspend(newId(), noon, null)).toBeNull();
    });

    test('a suspension has a reason, which a later one may change, and which ends with it', async () => {
      const { accounts } = store.current.stores;
      const account = anAccount();
      await accounts.create(account, null, aSubscription(account.id));
      const first = { ...account, suspendedAt: noon, suspendedWhy: 'unpaid' };
      expect((await accounts.suspend(account.id, noon, 'unpaid'))?.after).toEqual(first);
      expect((await accounts.suspend(account.id, noon + 5, null))?.after).toEqual(first);
      const second = { ...first, suspendedWhy: 'abuse' };
      expect(await accounts.suspend(account.id, noon + 5, 'abuse')).toEqual({ before: first, after: second });
      expect((await accounts.suspend(account.id, null, null))?.after).toEqual(account);
      expect(await accounts.suspend(newId(), noon, 'abuse')).toBeNull();
    });

    test('operators keep a note', async () => {
      const { accounts } = store.current.stores;
      const account = anAccount();
      await accounts.create(account, null, aSubscription(account.id));
      expect(await accounts.note(account.id, 'Pays by transfer')).toBe(true);
      expect((await accounts.byId(account.id))?.note).toBe('Pays by transfer');
      await accounts.note(account.id, null);
      expect(await accounts.byId(account.id)).toEqual(account);
      expect(await accounts.note(newId(), null)).toBe(false);
    });

    test('an unknown account is null', async () => {
      expect(await store.current.stores.accounts.byId(newId())).toBeNull();
    });
  });
}

export function describeKeyStore(name: string, open: Open): void {
  describe(`${name}: API keys`, () => {
    const store = withStore(open);

    test('the time of last use is stored, and never decreases', async () => {
      const { keys } = store.current.stores;
      const [used, other] = [aKey(newId()), aKey(newId())];
      await Promise.all([keys.insert(used, 50), keys.insert(other, 50)]);
      await keys.noteUsed([]);
      await keys.noteUsed([
        { keyId: used.id, at: noon + 2 },
        { keyId: newId(), at: noon },
      ]);
      await keys.noteUsed([{ keyId: used.id, at: noon + 1 }]);
      expect(await keys.inAccount(used.id, used.accountId)).toEqual({ ...used, lastUsedAt: noon + 2 });
      expect(await keys.inAccount(other.id, other.accountId)).toEqual(other);
    });

    test('the address of last use goes with the latest time', async () => {
      const { keys } = store.current.stores;
      const key = aKey(newId());
      await keys.insert(key, 50);
      const stored = async () => {
        const { lastUsedAt, lastUsedFrom } = (await keys.inAccount(key.id, key.accountId)) ?? key;
        return [lastUsedAt, lastUsedFrom];
      };
      await keys.noteUsed([{ keyId: key.id, at: noon + 2, address: '192.0.2.2' }]);
      expect(await stored()).toEqual([noon + 2, '192.0.2.2']);
      await keys.noteUsed([{ keyId: key.id, at: noon + 1, address: '192.0.2.1' }]);
      expect(await stored()).toEqual([noon + 2, '192.0.2.2']);
      await keys.noteUsed([{ keyId: key.id, at: noon + 3 }]);
      expect(await stored()).toEqual([noon + 3, '192.0.2.2']);
    });

    test('keys that end, the next to end first, from a place on', async () => {
      const { keys } = store.current.stores;
      const accountId = newId();
      const endingAt = (endsAt: number | null) => aKey(accountId, { endsAt, scopes: ['messages:send'] });
      const [first, second, later, never] = [noon + 1, noon + 2, noon + 9, null].map(endingAt);
      for (const key of [later, never, second, first]) if (key !== undefined) await keys.insert(key, 50);
      const found = await keys.ending({ after: { endsAt: noon, id: '' }, until: noon + 5, limit: 9 });
      expect(found.filter((key) => key.accountId === accountId)).toEqual([first, second]);
      const place = { endsAt: noon + 1, id: first?.id ?? '' };
      expect(await keys.ending({ after: place, until: noon + 5, limit: 1 })).toEqual([second]);
    });

    test("an account's keys are listed newest first in pages, without revoked ones", async () => {
      const { keys } = store.current.stores;
      const accountId = newId();
      const [a, b, c, revoked] = [0, 1, 2, 3].map((i) => aKey(accountId, { createdAt: noon + i }));
      for (const key of [a, b, c, revoked, aKey(newId())]) if (key !== undefined) await keys.insert(key, 50);
      await keys.revoke(revoked?.id ?? '', noon + 5);
      const page = await keys.page(accountId, { limit: 2, cursor: null });
      expect(page).toEqual({ items: [c, b], nextCursor: cursorAt(b) });
      expect(await keys.page(accountId, { limit: 2, cursor: page.nextCursor })).toEqual({
        items: [a],
        nextCursor: null,
      });
    });

    test('a key is found in its own account until it is revoked', async () => {
      const { keys } = store.current.stores;
      const key = aKey(newId());
      await keys.insert(key, 50);
      expect(await keys.inAccount(key.id, key.accountId)).toEqual(key);
      expect(await keys.inAccount(key.id, newId())).toBeNull();
      await keys.revoke(key.id, noon);
      expect(await keys.inAccount(key.id, key.accountId)).toBeNull();
    });

    test('keys are listed per account in order of creation, revoked ones too', async () => {
      const { keys } = store.current.stores;
      const accountId = newId();
      const later = aKey(accountId, { createdAt: noon + 1 });
      const earlier = aKey(accountId);
      await keys.insert(later, 50);
      await keys.insert(earlier, 50);
      await keys.insert(aKey(newId()), 50);
      await keys.revoke(earlier.id, noon + 5);
      expect(await keys.list(accountId)).toEqual([{ ...earlier, revokedAt: noon + 5 }, later]);
    });

    test("a person's keys of an account get the person's new name", async () => {
      const { keys } = store.current.stores;
      const accountId = newId();
      const [mine, theirs, elsewhere] = [
        aKey(accountId, { madeBy: 'mia@example.com' }),
        aKey(accountId, { madeBy: null, createdAt: noon + 1 }),
        aKey(newId(), { madeBy: 'mia@example.com' }),
      ];
      for (const key of [mine, theirs, elsewhere]) await keys.insert(key, 50);
      await keys.renameMaker(accountId, 'mia@example.com', 'eva@example.com');
      expect(await keys.list(accountId)).toEqual([{ ...mine, madeBy: 'eva@example.com' }, theirs]);
      expect(await keys.list(elsewhere.accountId)).toEqual([elsewhere]);
    });

    test('a revoked key is not found by its hash, and is revoked once', async () => {
      const { keys } = store.current.stores;
      const key = aKey(newId());
      await keys.insert(key, 50);
      const both = { before: key, after: { ...key, revokedAt: noon + 1 } };
      expect(await keys.revoke(key.id, noon + 1)).toEqual(both);
      expect(await keys.activeByHash(key.hash)).toBeNull();
      expect(await keys.revoke(key.id, noon + 2)).toBeNull();
      expect(await keys.revoke(newId(), noon)).toBeNull();
      expect((await keys.list(key.accountId))[0]?.revokedAt).toBe(noon + 1);
    });

    test('of an account whose keys are made and revoked, the newest thousand stay, and all live ones [faults: I11]', async () => {
      const { keys } = store.current.stores;
      const accountId = newId();
      const oldest = aKey(accountId);
      const revoked = (n: number) => aKey(accountId, { createdAt: noon + n, revokedAt: noon + n });
      await keys.insert(oldest, 50);
      // A thousand at once would wait for each other for longer than a call may take.
      for (let n = 1; n <= 1_004; n += 4)
        await Promise.all([n, n + 1, n + 2, n + 3].map((each) => keys.insert(revoked(each), 50)));
      await keys.insert(aKey(accountId, { createdAt: noon + 2_000 }), 50);
      const left = (await keys.list(accountId)).map(({ createdAt }) => createdAt - noon);
      expect([left.length, ...left.slice(0, 3), left.at(-1)]).toEqual([1_001, 0, 6, 7, 2_000]);
    });

    test('an account holds at most its limit of live keys, however many race', async () => {
      const { keys } = store.current.stores;
      const accountId = newId();
      const [first, ...racers] = Array.from({ length: 20 }, () => aKey(accountId));
      if (first === undefined) throw new Error('no key');
      expect(await keys.insert(first, 5)).toBe(true);
      await Promise.all(racers.map((key) => keys.insert(key, 5)));
      const held = (await keys.list(accountId)).length;
      expect(held).toBeLessThanOrEqual(5);
      for (let more = held; more < 5; more += 1) expect(await keys.insert(aKey(accountId), 5)).toBe(true);
      const refused = aKey(accountId);
      expect(await keys.insert(refused, 5)).toBe(false);
      expect(await keys.activeByHash(refused.hash)).toBeNull();
      expect(await keys.insert(aKey(newId()), 5)).toBe(true);
      await keys.revoke(first.id, noon);
      expect(await keys.insert(aKey(accountId), 5)).toBe(true);
    });

    test('of keys that are made at once, as many are stored as the account may hold', async () => {
      const { keys } = store.current.stores;
      const accountId = newId();
      const held = Array.from({ length: 3 }, (_, n) => aKey(accountId, { createdAt: noon - 10 - n }));
      for (const key of held) await keys.insert(key, 50);
      const racers = Array.from({ length: 80 }, (_, n) => aKey(accountId, { createdAt: noon + (n % 7) }));
      const stayed = await Promise.all(racers.map((key) => keys.insert(key, 50)));
      const made = racers.filter((_, n) => stayed[n]);
      expect(made).toHaveLength(47);
      const ids = (of: { id: string }[]): string[] => of.map(({ id }) => id).toSorted();
      expect(ids(await keys.list(accountId))).toEqual(ids([...held, ...made]));
    });

    test('two keys with one hash are refused', async () => {
      const { keys } = store.current.stores;
      const key = aKey(newId());
      await keys.insert(key, 50);
      await expect(keys.insert(aKey(newId(), { hash: key.hash }), 50)).rejects.toThrow();
      expect(await keys.activeByHash(key.hash)).toEqual(key);
    });
  });
}

export function describeRedirectStore(name: string, open: Open): void {
  describe(`${name}: redirects`, () => {
    const store = withStore(open);

    test('a key holds at most its limit of patterns, however many race', async () => {
      const { redirects } = store.current.stores;
      const [accountId, apiKeyId] = [newId(), newId()];
      const racers = Array.from({ length: 50 }, () => aRedirect(accountId, apiKeyId));
      const inserted = await Promise.all(racers.map((redirect) => redirects.add(redirect, 3)));
      expect(inserted.filter((redirect) => redirect !== null)).toHaveLength(3);
      expect((await redirects.list(apiKeyId, { limit: null, cursor: null })).items).toHaveLength(3);
    });

    test('a pattern of a key is stored once, however many add it at once; removing it ends it', async () => {
      const { redirects } = store.current.stores;
      const [accountId, apiKeyId] = [newId(), newId()];
      const uriPattern = 'https://par.example/cb';
      const racers = Array.from({ length: 20 }, () => aRedirect(accountId, apiKeyId, { uriPattern }));
      const answered = await Promise.all(racers.map((redirect) => redirects.add(redirect, 3)));
      const { items } = await redirects.list(apiKeyId, { limit: null, cursor: null });
      expect(items).toHaveLength(1);
      expect(answered).toEqual(racers.map(() => items[0]));
      const others = aRedirect(accountId, newId(), { uriPattern });
      expect(await redirects.add(others, 3)).toEqual(others);
      expect(await redirects.remove(items[0]?.id ?? '', apiKeyId)).toEqual(items[0]);
      expect((await redirects.list(apiKeyId, { limit: null, cursor: null })).items).toEqual([]);
      expect((await redirects.list(others.apiKeyId, { limit: null, cursor: null })).items).toEqual([others]);
      expect(await redirects.add(aRedirect(accountId, apiKeyId, { uriPattern }), 3)).not.toBeNull();
    });

    test('all patterns of a key are removed, and no others [faults: 233]', async () => {
      const { redirects } = store.current.stores;
      const [accountId, apiKeyId] = [newId(), newId()];
      const other = aRedirect(accountId, newId());
      for (const each of [aRedirect(accountId, apiKeyId), aRedirect(accountId, apiKeyId), other]) {
        await redirects.add(each, 3);
      }
      await redirects.removeAll(apiKeyId);
      expect((await redirects.list(apiKeyId, { limit: null, cursor: null })).items).toEqual([]);
      expect((await redirects.list(other.apiKeyId, { limit: null, cursor: null })).items).toEqual([other]);
    });

    test('a redirect pattern is removed by its own key only', async () => {
      const { redirects } = store.current.stores;
      const redirect = aRedirect(newId(), newId());
      await redirects.add(redirect, 10);
      expect(await redirects.remove(redirect.id, newId())).toBeNull();
      expect(await redirects.remove(redirect.id, redirect.apiKeyId)).toEqual(redirect);
      expect(await redirects.remove(redirect.id, redirect.apiKeyId)).toBeNull();
      expect((await redirects.list(redirect.apiKeyId, { limit: null, cursor: null })).items).toEqual([]);
    });

    test('pages follow the order of creation and end with a null cursor', async () => {
      const { redirects } = store.current.stores;
      const [accountId, apiKeyId] = [newId(), newId()];
      const all = [2, 0, 1, 3, 4].map((i) => aRedirect(accountId, apiKeyId, { createdAt: noon + i }));
      for (const redirect of all) await redirects.add(redirect, 10);
      await redirects.add(aRedirect(accountId, newId()), 10);
      const inOrder = all.toSorted((a, b) => a.createdAt - b.createdAt);
      const first = await redirects.list(apiKeyId, { limit: 2, cursor: null });
      expect(first).toEqual({ items: inOrder.slice(0, 2), nextCursor: cursorAt(inOrder[1]) });
      const second = await redirects.list(apiKeyId, { limit: 2, cursor: first.nextCursor });
      expect(second).toEqual({ items: inOrder.slice(2, 4), nextCursor: cursorAt(inOrder[3]) });
      const third = await redirects.list(apiKeyId, { limit: 2, cursor: second.nextCursor });
      expect(third).toEqual({ items: inOrder.slice(4), nextCursor: null });
      expect(await redirects.list(apiKeyId, { limit: 5, cursor: null })).toEqual({
        items: inOrder,
        nextCursor: null,
      });
    });

    test('the page after a removed item is right, also among items of one millisecond', async () => {
      const { redirects } = store.current.stores;
      const [accountId, apiKeyId] = [newId(), newId()];
      const all = Array.from({ length: 4 }, () => aRedirect(accountId, apiKeyId, { createdAt: noon }));
      const inOrder = all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      for (const redirect of all) await redirects.add(redirect, 10);
      const { nextCursor } = await redirects.list(apiKeyId, { limit: 2, cursor: null });
      expect(nextCursor).toEqual(cursorAt(inOrder[1]));
      await redirects.remove(inOrder[1]?.id ?? '', apiKeyId);
      const rest = await redirects.list(apiKeyId, { limit: 2, cursor: nextCursor });
      expect(rest).toEqual({ items: inOrder.slice(2), nextCursor: null });
    });

    test('a cursor of another list gives access to nothing of it', async () => {
      const { redirects } = store.current.stores;
      const [accountId, apiKeyId] = [newId(), newId()];
      const [mine, foreign] = [aRedirect(accountId, apiKeyId), aRedirect(newId(), newId())];
      for (const redirect of [mine, foreign]) await redirects.add(redirect, 10);
      const before = { createdAt: noon - 1, id: foreign.id };
      expect((await redirects.list(apiKeyId, { limit: 5, cursor: before })).items).toEqual([mine]);
    });
  });
}

export function describeSubscriptionStore(name: string, open: Open): void {
  describe(`${name}: subscriptions`, () => {
    const store = withStore(open);

    test('subscriptions are listed per account, newest first', async () => {
      const { subscriptions } = store.current.stores;
      const accountId = newId();
      const older = aSubscription(accountId);
      const newer = aSubscription(accountId, { createdAt: noon + 1, expiresAt: null, autoRenew: true });
      for (const each of [older, newer, aSubscription(newId())]) await subscriptions.insert(each);
      expect(await subscriptions.list(accountId)).toEqual([newer, older]);
      expect(await subscriptions.byId(older.id)).toEqual(older);
      expect(await subscriptions.byId(newId())).toBeNull();
    });

    test('billing finds a subscription by the id of its provider', async () => {
      const { subscriptions } = store.current.stores;
      const billed = aSubscription(newId(), { source: 'billing_provider', externalId: `sub_${newId()}` });
      await subscriptions.insert(billed);
      expect(await subscriptions.byExternalId(billed.externalId ?? '')).toEqual(billed);
      expect(await subscriptions.byExternalId('sub_unknown')).toBeNull();
    });

    test('an update changes the fields it names and leaves the others', async () => {
      const { subscriptions } = store.current.stores;
      const before = aSubscription(newId());
      await subscriptions.insert(before);
      const canceled = { ...before, status: 'canceled', expiresAt: null } as const;
      expect(await subscriptions.update(before.id, { status: 'canceled', expiresAt: null })).toEqual({
        before,
        after: canceled,
      });
      const renewed = { ...canceled, tier: 'starter', autoRenew: true } as const;
      expect(await subscriptions.update(before.id, { tier: 'starter', autoRenew: true })).toEqual({
        before: canceled,
        after: renewed,
      });
      expect(await subscriptions.update(before.id, {})).toEqual({ before: renewed, after: renewed });
      expect(await subscriptions.byId(before.id)).toEqual(renewed);
      expect(await subscriptions.update(newId(), { tier: 'pro' })).toBeNull();
    });

    test('an update of what was read is not written over another status or end', async () => {
      const { subscriptions } = store.current.stores;
      const { id, status, expiresAt } = aSubscription(newId(), { expiresAt: null });
      await subscriptions.insert(aSubscription(newId(), { id, status, expiresAt }));
      expect(await subscriptions.update(id, { expiresAt: noon }, { status, expiresAt })).toMatchObject({
        after: { expiresAt: noon },
      });
      expect(await subscriptions.update(id, { tier: 'starter' }, { status, expiresAt })).toBeNull();
      await subscriptions.lapse(id, noon);
      expect(await subscriptions.update(id, { tier: 'starter' }, { status, expiresAt: noon })).toBeNull();
    });

    test('licences that end in a period are found by source, the first to end first', async () => {
      const { subscriptions } = store.current.stores;
      const base = 5_000_000_000_000;
      const [late, soon, onTime] = [9, 1, 5].map((at) => aSubscription(newId(), { expiresAt: base + at }));
      const others = [
        aSubscription(newId(), { expiresAt: base + 2, source: 'enterprise' }),
        aSubscription(newId(), { expiresAt: base + 2, status: 'canceled' }),
        aSubscription(newId(), { expiresAt: null }),
      ];
      for (const each of [late, soon, onTime, ...others])
        if (each !== undefined) await subscriptions.insert(each);
      const trials = { source: 'trial', limit: 10, until: base + 9 } as const;
      const from = (expiresAt: number, id = '') => ({ after: { expiresAt, id } });
      expect(await subscriptions.ending({ ...trials, ...from(base) })).toEqual([soon, onTime, late]);
      expect(await subscriptions.ending({ ...trials, ...from(base + 1, soon?.id), until: base + 8 })).toEqual(
        [onTime],
      );
      expect(await subscriptions.ending({ ...trials, ...from(base), limit: 1 })).toEqual([soon]);
    });

    test('a licence expires once, and only if it is as it was read', async () => {
      const { subscriptions } = store.current.stores;
      const one = aSubscription(newId(), { expiresAt: noon });
      await subscriptions.insert(one);
      expect(await subscriptions.lapse(one.id, noon + 1)).toBe(false);
      expect(await subscriptions.byId(one.id)).toEqual(one);
      expect([await subscriptions.lapse(one.id, noon), await subscriptions.lapse(one.id, noon)]).toEqual([
        true,
        false,
      ]);
      expect(await subscriptions.byId(one.id)).toEqual({ ...one, status: 'expired' });
      expect(await subscriptions.lapse(newId(), noon)).toBe(false);
    });
  });
}
