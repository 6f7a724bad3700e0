import { describe, expect, test } from '@jest/globals';
import { newSealer } from '../../support/sealing.ts';
import type { Pass, Person } from '../../../src/rules/person.ts';
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

    test('a person who is stored under another spelling of the address is found by any', async () => {
      const { accounts, people } = store.current.stores;
      const id = newId();
      const account = anAccount({ id, email: `${id}@bu\u0308cher.example` });
      await accounts.create(account, null, aSubscription(id));
      const person = aPerson({ id, email: `${id}@b\u00fccher.example` });
      await people.insert(person);
      for (const email of [`${id}@xn--bcher-kva.example`, person.email, account.email]) {
        expect(await people.byEmail(email)).toEqual(person);
        expect(await accounts.byEmail(email)).toEqual(account);
      }
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

    test('a new password is a new version, and confirms no address', async () => {
      const { people } = store.current.stores;
      const person = aPerson({ confirmedAt: null });
      await people.insert(person);
      const password = { passwordHash: 'other', passwordVersion: newId() };
      expect(await people.setPassword(person, password)).toBe(true);
      expect(await people.byId(person.id)).toEqual({ ...person, ...password });
      expect(await people.setPassword(aPerson(), password)).toBe(false);
    });

    /** An account of a person with an unconfirmed address. */
    async function unproved() {
      const { accounts, people } = store.current.stores;
      const account = anAccount();
      await accounts.create(account, null, aSubscription(account.id));
      const person = aPerson({ id: account.id, email: account.email, confirmedAt: null });
      await people.insert(person);
      return { account, person };
    }

    test('a confirmed address belongs to the account and the person; the first confirmation is kept', async () => {
      const { accounts, people } = store.current.stores;
      const { account, person } = await unproved();
      const email = `${newId()}@example.com`;
      for (const now of [noon + 1, noon + 2]) expect(await people.confirm(person, email, now)).toBe(true);
      expect(await people.byId(person.id)).toEqual({ ...person, email, confirmedAt: noon + 1 });
      expect(await people.byEmail(email)).not.toBeNull();
      expect(await accounts.byEmail(email)).toEqual({ ...account, email });
      expect(await people.confirm(aPerson(), `${newId()}@example.com`, noon)).toBe(false);
    });

    test('what was proved for an address that the person has no more changes nothing', async () => {
      const { accounts, people } = store.current.stores;
      const { account, person } = await unproved();
      const [email, later] = [`${newId()}@example.com`, `${newId()}@example.com`];
      expect(await people.confirm(person, email, noon)).toBe(true);
      expect(await people.confirm(person, later, noon)).toBe(false);
      expect([await people.byEmail(email), await accounts.byEmail(email)]).toEqual([
        { ...person, email, confirmedAt: noon },
        { ...account, email },
      ]);
      expect([await people.byEmail(later), await accounts.byEmail(later)]).toEqual([null, null]);
    });

    test('of two addresses that a person proves at once the first stays, whether the account has it or not', async () => {
      const { accounts, people } = store.current.stores;
      const { account, all } = await withOthers({ confirmedAt: null });
      for (const person of all) {
        const emails = Array.from({ length: 5 }, () => `${newId()}@example.com`);
        const proved = await Promise.all(emails.map((email) => people.confirm(person, email, noon)));
        expect(proved.filter(Boolean)).toHaveLength(1);
        const email = emails[proved.indexOf(true)];
        expect((await people.byId(person.id))?.email).toBe(email);
        if (person.id === account.id) expect((await accounts.byId(account.id))?.email).toBe(email);
      }
    });

    test('of two passwords that are set over the same one the first stays', async () => {
      const { people } = store.current.stores;
      const person = aPerson();
      await people.insert(person);
      const passwords = Array.from({ length: 5 }, () => ({
        passwordHash: newId(),
        passwordVersion: newId(),
      }));
      const set = await Promise.all(passwords.map((each) => people.setPassword(person, each)));
      expect(set.filter(Boolean)).toHaveLength(1);
      expect(await people.byId(person.id)).toEqual({ ...person, ...passwords[set.indexOf(true)] });
    });

    test('an address is given to the first who confirms it, however many race', async () => {
      const { accounts, people } = store.current.stores;
      const racers = await Promise.all(Array.from({ length: 10 }, unproved));
      const email = `${newId()}@example.com`;
      const proved = await Promise.all(racers.map(({ person }) => people.confirm(person, email, noon)));
      expect(proved.filter(Boolean)).toHaveLength(1);
      const winner = racers[proved.indexOf(true)];
      expect((await accounts.byEmail(email))?.id).toBe(winner?.account.id);
      const loser = racers[proved.indexOf(false)];
      expect(await people.byId(loser?.person.id ?? '')).toEqual(loser?.person);
    });

    test('a person who confirms an address while another joins with it either gets it, or nothing changes for them', async () => {
      const { accounts, people } = store.current.stores;
      for (let round = 0; round < 5; round += 1) {
        const { account, person } = await unproved();
        const { all } = await withOthers({ passwordHash: null, confirmedAt: null });
        const email = `${newId()}@example.com`;
        const joined = { passwordHash: 'hash', passwordVersion: 'v2', email };
        const both = await Promise.all([
          people.confirm(person, email, noon),
          people.join(all[1]?.id ?? '', joined, noon),
        ]);
        expect(both.filter(Boolean)).toHaveLength(1);
        const [isConfirmed] = both;
        const own = isConfirmed ? email : account.email;
        expect([await accounts.byId(account.id), await people.byId(person.id)]).toEqual([
          { ...account, email: own },
          { ...person, email: own, confirmedAt: isConfirmed ? noon : null },
        ]);
      }
    });

    /** An account with these people besides the first one. */
    async function withOthers(...others: Partial<Person>[]) {
      const { accounts, people } = store.current.stores;
      const account = anAccount();
      await accounts.create(account, null, aSubscription(account.id));
      const first = aPerson({ id: account.id, email: account.email });
      const all = [
        first,
        ...others.map((each, n) => aPerson({ accountId: account.id, createdAt: noon + 1 + n, ...each })),
      ];
      for (const each of all) expect(await people.insert(each)).toBe(true);
      return { account, all };
    }

    test('the people of an account, the oldest first; nobody of another', async () => {
      const { people } = store.current.stores;
      const { account, all } = await withOthers({ createdAt: noon + 9 }, { role: 'viewer' });
      const [first, second, third] = all;
      expect(await people.ofAccount(account.id)).toEqual([first, third, second]);
      expect(await people.byId(third?.id ?? '')).toEqual(third);
      expect(await people.ofAccount(newId())).toEqual([]);
    });

    test('an invited person joins once, with an address that nobody has', async () => {
      const { people } = store.current.stores;
      const { all } = await withOthers({ passwordHash: null, confirmedAt: null });
      const [first, invited] = all;
      const joined = { passwordHash: 'hash', passwordVersion: 'v2', email: first?.email ?? '' };
      const id = invited?.id ?? '';
      expect(await people.join(id, joined, noon)).toBe(false);
      const email = `${newId()}@example.com`;
      const joins = [1, 2, 3].map(() => people.join(id, { ...joined, email }, noon + 1));
      expect((await Promise.all(joins)).filter(Boolean)).toHaveLength(1);
      expect(await people.byEmail(email)).toEqual({ ...invited, ...joined, email, confirmedAt: noon + 1 });
    });

    test('of concurrent invitations as many succeed as there is room for', async () => {
      const { people } = store.current.stores;
      const { account, all } = await withOthers({ role: 'viewer' });
      const invited = (n: number) =>
        aPerson({ accountId: account.id, passwordHash: null, createdAt: noon + 9 - n });
      const late = Array.from({ length: 6 }, (_, n) => invited(n));
      const made = await Promise.all(late.map((each) => people.invite(each, 4)));
      expect(made.toSorted()).toEqual(['full', 'full', 'full', 'full', 'invited', 'invited']);
      const stay = late.filter((_, n) => made[n] === 'invited').map(({ id }) => id);
      const there = (await people.ofAccount(account.id)).map(({ id }) => id);
      expect(new Set(there)).toEqual(new Set([...all.map(({ id }) => id), ...stay]));
      expect(await people.invite(aPerson({ accountId: account.id, email: all[1]?.email ?? '' }), 9)).toBe(
        'taken',
      );
    });

    test('a role is changed within its own account only, and only from the role that was seen [faults: 562]', async () => {
      const { people } = store.current.stores;
      const { all } = await withOthers({ role: 'viewer' });
      const [first, other] = all;
      if (other === undefined || first === undefined) throw new Error('nobody');
      expect(await people.setRole(other, 'developer', 'owner')).toBe('changed');
      expect(await people.setRole(other, 'owner', 'developer')).toBe('changed');
      expect(await people.setRole(other, 'developer', 'viewer')).toEqual({ was: 'viewer' });
      expect(await people.byId(other.id)).toEqual({ ...other, role: 'developer' });
      const elsewhere = { id: other.id, accountId: newId() };
      for (const role of ['owner', 'viewer'] as const)
        expect(await people.setRole(elsewhere, role)).toBe('not_there');
      expect(await people.remove(elsewhere)).toBe('not_there');
      expect(await people.setRole({ id: newId(), accountId: first.id }, 'owner')).toBe('not_there');
    });

    test('the last owner stays an owner, whoever else is in the account', async () => {
      const { people } = store.current.stores;
      const { all } = await withOthers({ role: 'developer' }, { role: 'owner', passwordHash: null });
      const [owner, , invited] = all;
      if (owner === undefined || invited === undefined) throw new Error('nobody');
      expect(await people.setRole(owner, 'viewer')).toBe('last_owner');
      expect(await people.remove(owner)).toBe('last_owner');
      expect(await people.byId(owner.id)).toEqual(owner);
      expect(await people.remove(invited)).toEqual({ was: invited });
      expect(await people.remove(invited)).toBe('not_there');
    });

    test('of owners who step down at once one remains, however many race', async () => {
      const { people } = store.current.stores;
      for (let round = 0; round < 5; round += 1) {
        const { account, all } = await withOthers({ role: 'owner' }, { role: 'owner' });
        await Promise.all(
          all.map((each, n) => (n % 2 === 0 ? people.remove(each) : people.setRole(each, 'viewer'))),
        );
        const left = await people.ofAccount(account.id);
        expect(left.filter(({ role }) => role === 'owner').length).toBeGreaterThan(0);
      }
    });

    test("the account's mails go to its oldest owner when the owner with its address is demoted or removed", async () => {
      const { accounts, people } = store.current.stores;
      for (const step of ['remove', 'viewer'] as const) {
        const { account, all } = await withOthers({ role: 'developer' }, { role: 'owner' });
        const [first, , heir] = all;
        if (first === undefined) throw new Error('nobody');
        const lowered = step === 'remove' ? people.remove(first) : people.setRole(first, step);
        expect(await lowered).toEqual({ was: step === 'remove' ? first : 'owner' });
        expect(await accounts.byId(account.id)).toEqual({ ...account, email: heir?.email });
        expect(await people.confirm(first, first.email, noon)).toBe(step === 'viewer');
        expect(await accounts.byId(account.id)).toMatchObject({ email: heir?.email });
      }
    });

    test("whichever owners are removed or demoted at once, the account's mails go to one who remains", async () => {
      const { accounts, people } = store.current.stores;
      for (const [one, two] of [
        [0, 1],
        [1, 0],
        [0, 2],
        [2, 1],
      ] as const)
        for (const step of ['remove', 'viewer'] as const) {
          const { account, all } = await withOthers({ role: 'owner' }, { role: 'owner' }, { role: 'owner' });
          const going = [all[one], all[two]].flatMap((each) => each ?? []);
          const gone = going.map((each) =>
            step === 'remove' ? people.remove(each) : people.setRole(each, step),
          );
          const was = going.map((each) => ({ was: step === 'remove' ? each : 'owner' }));
          expect(await Promise.all(gone)).toEqual(was);
          const owners = (await people.ofAccount(account.id)).filter(({ role }) => role === 'owner');
          const { email } = (await accounts.byId(account.id)) ?? { email: null };
          expect(owners.map((owner) => owner.email)).toContain(email);
        }
    });

    test('the time at which a person was last seen never decreases', async () => {
      const { people } = store.current.stores;
      const person = aPerson();
      await people.insert(person);
      for (const at of [noon + 2, noon + 1]) await people.noteSeen(person.id, at);
      expect(await people.byId(person.id)).toEqual({ ...person, lastSeenAt: noon + 2 });
    });

    test('the time of a visit is stored for one person only', async () => {
      const { people } = store.current.stores;
      const [person, other] = [aPerson(), aPerson()];
      await people.insert(person);
      await people.insert(other);
      await people.noteLook(person.id, { homeSeenAt: noon, homeSince: null });
      const look = { homeSeenAt: noon + 2, homeSince: noon };
      await people.noteLook(person.id, look);
      expect(await people.byId(person.id)).toEqual({ ...person, ...look });
      expect(await people.byId(other.id)).toEqual(other);
      await people.noteLook('nobody', look);
    });
  });
}

export function describePassStore(name: string, open: Open): void {
  describe(`${name}: passes (one-time links and sessions)`, () => {
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

    test('a pass that was taken can be given back, and is taken once more', async () => {
      const { passes } = store.current.stores;
      const pass = aPass({ kind: 'invite', email: 'ada@example.com' });
      await passes.insert(pass);
      await passes.take(pass.id, 'invite', noon);
      await passes.insert(pass);
      expect(await passes.find(pass.id, 'invite', noon)).toEqual(pass);
      expect(await passes.list(pass.personId, 'invite', noon)).toEqual([pass]);
      const taken = [await passes.take(pass.id, 'invite', noon), await passes.take(pass.id, 'invite', noon)];
      expect(taken).toEqual([pass, null]);
      await expect(passes.insert(aPass({ id: pass.id })).then(() => passes.insert(pass))).rejects.toThrow();
    });

    test('an expired pass, or one of another kind, is not taken', async () => {
      const { passes } = store.current.stores;
      const pass = aPass({ kind: 'confirm', expiresAt: noon + 10 });
      await passes.insert(pass);
      expect(await passes.take(pass.id, 'confirm', noon + 10)).toBeNull();
      expect(await passes.take(pass.id, 'reset', noon)).toBeNull();
      expect(await passes.find(pass.id, 'confirm', noon)).toEqual(pass);
    });

    test('of one person and kind the newest stay', async () => {
      const { passes } = store.current.stores;
      const personId = newId();
      const mine = [2, 0, 3, 1].map((after) => aPass({ personId, createdAt: noon + after }));
      const others = [aPass({ personId, kind: 'reset' }), aPass()];
      for (const each of [...mine, ...others]) await passes.insert(each);
      await passes.keepNewest(personId, 'session', 2);
      const found = await Promise.all(
        [...mine, ...others].map(async ({ id, kind }) => (await passes.find(id, kind, noon)) !== null),
      );
      expect(found).toEqual([true, false, true, false, true, true]);
      await passes.keepNewest(personId, 'session', 0);
      const left = await Promise.all(mine.map(({ id, kind }) => passes.find(id, kind, noon)));
      expect(left).toEqual([null, null, null, null]);
    });

    test("all passes of a person are removed together, and nobody else's", async () => {
      const { passes } = store.current.stores;
      const personId = newId();
      const mine = [aPass({ personId }), aPass({ personId, kind: 'invite' })];
      const others = [aPass(), aPass({ kind: 'invite' })];
      for (const each of [...mine, ...others]) await passes.insert(each);
      await passes.dropForPerson(personId);
      await passes.dropForPerson(personId);
      const found = await Promise.all(
        [...mine, ...others].map(async ({ id, kind }) => (await passes.find(id, kind, noon)) !== null),
      );
      expect(found).toEqual([false, false, true, true]);
    });

    test('the second step of a person is begun once, and a period of its codes is used once', async () => {
      const { people } = store.current.stores;
      const person = aPerson();
      await people.insert(person);
      const stepSecret = newSealer().sealText('secret', 'test');
      const step = { stepSecret, stepUsed: 5, stepSince: noon };
      expect(await people.useStep(person.id, 9)).toBe(false);
      expect(await people.beginStep(person.id, step)).toBe(true);
      expect(await people.beginStep(person.id, { ...step, stepUsed: 1 })).toBe(false);
      const racers = await Promise.all([6, 6, 6].map((period) => people.useStep(person.id, period)));
      expect(racers.filter((isTaken) => isTaken)).toHaveLength(1);
      expect(await people.useStep(person.id, 6)).toBe(false);
      expect(await people.useStep(person.id, 5)).toBe(false);
      const now = { ...person, ...step, stepUsed: 6 };
      expect(await people.withStep({ stepSince: noon, id: '' }, 9)).toContainEqual(now);
      expect(await people.withStep({ stepSince: noon, id: '\uffff' }, 9)).toEqual([]);
      const anew = newSealer().sealText('secret', 'test');
      expect(await people.resealStep(person.id, anew, stepSecret)).toBe(false);
      expect(await people.resealStep(person.id, stepSecret, anew)).toBe(true);
      expect(await people.endStep(person.id)).toBe(true);
      expect(await people.endStep(person.id)).toBe(false);
      expect(await people.byId(person.id)).toEqual(person);
    });

    test('what a person is mailed about is kept, with what was before', async () => {
      const { people } = store.current.stores;
      const person = aPerson();
      await people.insert(person);
      const first = await people.chooseMails(person.id, ['licences']);
      expect(first).toEqual({ before: person, after: { ...person, mailTopics: ['licences'] } });
      await people.chooseMails(person.id, []);
      expect((await people.byId(person.id))?.mailTopics).toEqual([]);
      expect(await people.chooseMails(newId(), [])).toBeNull();
    });

    test('the sessions of a person are listed, and one ends for its person only', async () => {
      const { passes } = store.current.stores;
      const personId = newId();
      const of = (over: Partial<Pass>) =>
        aPass({ personId, address: '192.0.2.1', agent: 'Firefox', ...over });
      const [first, last, expired, link] = [
        of({ createdAt: noon - 1 }),
        of({}),
        of({ expiresAt: noon }),
        of({ kind: 'reset' }),
      ];
      for (const each of [first, last, expired, link, aPass()]) await passes.insert(each);
      expect(await passes.list(personId, 'session', noon)).toEqual([last, first]);
      expect(await passes.takeOf(newId(), last.id, 'session', noon)).toBeNull();
      expect(await passes.takeOf(personId, expired.id, 'session', noon)).toBeNull();
      expect(await passes.takeOf(personId, last.id, 'session', noon)).toEqual(last);
      expect(await passes.takeOf(personId, last.id, 'session', noon)).toBeNull();
      await passes.noteSeen(first.id, noon + 2);
      await passes.noteSeen(first.id, noon + 1);
      expect(await passes.list(personId, 'session', noon)).toEqual([{ ...first, seenAt: noon + 2 }]);
      expect(await passes.find(last.id, 'session', noon)).toBeNull();
    });

    test('passes that expired before a time are erased', async () => {
      const { passes } = store.current.stores;
      const old = aPass({ expiresAt: noon - 1_000 });
      const kept = aPass({ expiresAt: noon - 999 });
      for (const each of [old, kept]) await passes.insert(each);
      expect(await passes.dropExpired(noon - 999, AbortSignal.abort())).toBe(0);
      expect(await passes.dropExpired(noon - 999)).toBe(1);
      expect(await passes.find(old.id, 'session', noon - 5_000)).toBeNull();
      expect(await passes.find(kept.id, 'session', noon - 5_000)).toEqual(kept);
    });
  });
}
