import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { anAccount, aPass, aPerson, aSubscription, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

export function describePersonStore(name: string, open: Open): void {
  describe(`${name}: people`, () => {
    const store = withStore(open);

    test('a person is found by account and by address', async () => {
      const { people } = store.current.stores;
      const person = aPerson();
      const without = aPerson({ passwordHash: null, confirmedAt: null });
      for (const each of [person, without]) expect(await people.insert(each)).toBe(true);
      expect(await people.byId(person.id)).toEqual(person);
      expect(await people.byEmail(without.email)).toEqual(without);
      expect(await people.byEmail(`${newId()}@example.com`)).toBeNull();
      expect(await people.byId(newId())).toBeNull();
    });

    test('an account and an address have one person each, however many race', async () => {
      const { people } = store.current.stores;
      const { email, id } = aPerson();
      const sameEmail = await Promise.all(
        Array.from({ length: 20 }, () => people.insert(aPerson({ email }))),
      );
      const sameId = await Promise.all(Array.from({ length: 20 }, () => people.insert(aPerson({ id }))));
      expect([sameEmail, sameId].map((made) => made.filter(Boolean).length)).toEqual([1, 1]);
    });

    test('a new password is a new version, and proves no address', async () => {
      const { people } = store.current.stores;
      const person = aPerson({ confirmedAt: null });
      await people.insert(person);
      const password = { passwordHash: 'other', passwordVersion: newId() };
      expect(await people.setPassword(person.id, password)).toBe(true);
      expect(await people.byId(person.id)).toEqual({ ...person, ...password });
      expect(await people.setPassword(newId(), password)).toBe(false);
    });

    /** An account of a person who has not proved the address yet. */
    async function unproved() {
      const { accounts, people } = store.current.stores;
      const account = anAccount();
      await accounts.create(account, null, aSubscription(account.id));
      const person = aPerson({ id: account.id, email: account.email, confirmedAt: null });
      await people.insert(person);
      return { account, person };
    }

    test('a proved address is the account’s and the person’s; the first proof stands', async () => {
      const { accounts, people } = store.current.stores;
      const { account, person } = await unproved();
      const email = `${newId()}@example.com`;
      for (const now of [noon + 1, noon + 2]) expect(await people.prove(account.id, email, now)).toBe(true);
      expect(await people.byId(person.id)).toEqual({ ...person, email, confirmedAt: noon + 1 });
      expect(await people.byEmail(email)).not.toBeNull();
      expect(await accounts.byEmail(email)).toEqual({ ...account, email });
      expect(await people.prove(newId(), `${newId()}@example.com`, noon)).toBe(false);
    });

    test('an address is given to the first who proves it, however many race', async () => {
      const { accounts, people } = store.current.stores;
      const racers = await Promise.all(Array.from({ length: 10 }, unproved));
      const email = `${newId()}@example.com`;
      const proved = await Promise.all(racers.map(({ account }) => people.prove(account.id, email, noon)));
      expect(proved.filter(Boolean)).toHaveLength(1);
      const winner = racers[proved.indexOf(true)];
      expect((await accounts.byEmail(email))?.id).toBe(winner?.account.id);
      const loser = racers[proved.indexOf(false)];
      expect(await people.byId(loser?.person.id ?? '')).toEqual(loser?.person);
    });
  });
}

export function describePassStore(name: string, open: Open): void {
  describe(`${name}: passes`, () => {
    const store = withStore(open);

    test('a pass is found by its hash and kind until it expires', async () => {
      const { passes } = store.current.stores;
      const pass = aPass({ expiresAt: noon + 10 });
      await passes.insert(pass);
      expect(await passes.find(pass.id, 'session', noon + 9)).toEqual(pass);
      expect(await passes.find(pass.id, 'session', noon + 10)).toBeNull();
      expect(await passes.find(pass.id, 'reset', noon)).toBeNull();
      expect(await passes.find(newId(), 'session', noon)).toBeNull();
    });

    test('a pass raced by 50 is taken by one, and is gone', async () => {
      const { passes } = store.current.stores;
      const pass = aPass({ kind: 'reset' });
      await passes.insert(pass);
      const taken = await Promise.all(Array.from({ length: 50 }, () => passes.take(pass.id, 'reset', noon)));
      expect(taken.filter((each) => each !== null)).toEqual([pass]);
      expect(await passes.find(pass.id, 'reset', noon)).toBeNull();
    });

    test('an expired pass, or one of another kind, is not taken', async () => {
      const { passes } = store.current.stores;
      const pass = aPass({ kind: 'confirm', expiresAt: noon + 10 });
      await passes.insert(pass);
      expect(await passes.take(pass.id, 'confirm', noon + 10)).toBeNull();
      expect(await passes.take(pass.id, 'reset', noon)).toBeNull();
      expect(await passes.find(pass.id, 'confirm', noon)).toEqual(pass);
    });

    test('of an account and kind the newest stay', async () => {
      const { passes } = store.current.stores;
      const accountId = newId();
      const mine = [2, 0, 3, 1].map((after) => aPass({ accountId, createdAt: noon + after }));
      const others = [aPass({ accountId, kind: 'reset' }), aPass()];
      for (const each of [...mine, ...others]) await passes.insert(each);
      await passes.keepNewest(accountId, 'session', 2);
      const found = await Promise.all(
        [...mine, ...others].map(async ({ id, kind }) => (await passes.find(id, kind, noon)) !== null),
      );
      expect(found).toEqual([true, false, true, false, true, true]);
    });

    test('passes that expired before a time are dropped', async () => {
      const { passes } = store.current.stores;
      const old = aPass({ expiresAt: noon - 1_000 });
      const kept = aPass({ expiresAt: noon - 999 });
      for (const each of [old, kept]) await passes.insert(each);
      expect(await passes.dropExpired(noon - 999)).toBe(1);
      expect(await passes.find(old.id, 'session', noon - 5_000)).toBeNull();
      expect(await passes.find(kept.id, 'session', noon - 5_000)).toEqual(kept);
    });
  });
}
