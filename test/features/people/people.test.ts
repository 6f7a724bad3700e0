/** [operator-interface §4, sign-up] People who sign in for an account. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makePasswordHasher } from '../../../src/features/people/password-hashing.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { unconfirmedEmail } from '../../../src/rules/email.ts';
import { fault } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { aKey, aPerson, aSubscription } from '../../stores/conformance/samples.ts';
import { until } from '../../support/until.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { mailsTo, openService, refusalOf } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const address = '192.0.2.1';
const password = 'correct horse battery';
const service = sharedService();

let people = 0;
async function newPerson(on: Service = service, from = address) {
  people += 1;
  const email = `person-${people}@example.com`;
  const signedIn = await on.features.signUp({ email, password, address: from });
  const visitor = await on.features.visitor(signedIn.secret);
  if (visitor === null) throw new Error('nobody is signed in after sign-up');
  return { email, visitor, ...signedIn };
}

/** The secret in the link of the newest mail. */
async function linkIn(on: Service, accountId: string, kind: string): Promise<string> {
  const mail = await until('the mail', async () => {
    const { items } = await on.stores.mails.list(accountId, everything);
    return items.find((each) => each.kind === kind);
  });
  const link = mail?.link ?? null;
  if (mail === undefined || link === null) throw new Error('the mail has no link');
  return tokenOf(on.sealer.openText(link, sealContext.mailLink(accountId, mail.id)));
}

const tokenOf = (link: string): string => /token=([\w-]+)/.exec(link)?.[1] ?? '';

/** The link as operators pass it on if there is no mail server. */
async function linkFor(email: string): Promise<string> {
  return tokenOf((await service.features.makeResetLink(email)).link);
}

describe('sign-up', () => {
  test('makes an account with its trial, without a key, and signs in', async () => {
    const { email, visitor } = await newPerson();
    const { accountId } = visitor.caller;
    expect(visitor).toEqual({
      personId: accountId,
      accountName: null,
      email,
      role: 'owner',
      caller: { accountId, apiKeyId: 'portal', person: { id: accountId, email } },
      mayAct: true,
      isSuspended: false,
      suspendedWhy: null,
    });
    const { items } = await service.features.listSubscriptions(visitor.caller, everything);
    expect(items.map(({ subscription }) => subscription.source)).toEqual(['trial']);
    expect(await service.stores.keys.list(visitor.caller.accountId)).toEqual([]);
  });

  test('an address has one account, in any spelling and however many race', async () => {
    const tries = Array.from({ length: 5 }, (_, i) =>
      service.features.signUp({
        email: i % 2 ? 'race@example.com' : ' RACE@example.com',
        password,
        address: `198.51.100.${i}`,
      }),
    );
    const made = await Promise.allSettled(tries);
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const again = service.features.signUp({ email: 'race@example.com', password, address: '198.51.100.9' });
    expect(await refusalOf(again)).toMatchObject({ status: 422, detail: [{ loc: ['body', 'email'] }] });
  });

  test.each([
    ['short', 'a@example.com', 'short'],
    ['too long', 'a@example.com', 'x'.repeat(201)],
    ['the address itself', 'somebody@example.com', 'Somebody@example.com'],
  ])('a password that is %s is refused at its field', async (_why, email, chosen) => {
    const refusal = await refusalOf(service.features.signUp({ email, password: chosen, address }));
    expect(refusal).toMatchObject({ status: 422, detail: [{ loc: ['body', 'password'] }] });
  });

  test('SIGNUP=0 closes it', async () => {
    const closed = await openService({ signup: false });
    const refusal = await refusalOf(closed.features.signUp({ email: 'a@example.com', password, address }));
    expect(refusal.status).toBe(404);
    await closed.close();
  });
});

describe('sign-in', () => {
  test('needs the password; an unknown address, a wrong password and an account without one are answered the same', async () => {
    const { email } = await newPerson();
    await service.features.createAccount({ email: 'made-by-operator@example.com', name: null, tier: null });
    const tryAs = (as: string, word: string) =>
      service.features.signIn({ email: as, password: word, address: '203.0.113.5' });
    expect(await tryAs(email.toUpperCase(), password)).not.toBeNull();
    expect(await tryAs(email, `${password}x`)).toBeNull();
    expect(await tryAs('nobody@example.com', password)).toBeNull();
    expect(await tryAs('made-by-operator@example.com', '')).toBeNull();
  });

  test('each sign-in has its own session, and signing out ends only that', async () => {
    const { email, secret } = await newPerson();
    const second = await service.features.signIn({ email, password, address });
    expect(second?.secret).not.toBe(secret);
    await service.features.signOut(secret);
    expect(await service.features.visitor(secret)).toBeNull();
    expect(await service.features.visitor(second?.secret ?? '')).not.toBeNull();
  });

  test.each(['', 'x', '../../etc', 'a'.repeat(43), 'a'.repeat(5_000)])(
    'an invalid session has no person: %.10s',
    async (secret) => {
      expect(await service.features.visitor(secret)).toBeNull();
    },
  );

  test('guesses at an account are stopped, also concurrent ones; a new password lets its person in', async () => {
    const { email } = await newPerson();
    const guesses = await Promise.allSettled(
      Array.from({ length: 40 }, (_, i) =>
        service.features.signIn({ email, password: `guess ${i} of many`, address: `10.0.0.${i}` }),
      ),
    );
    expect(guesses.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const right = service.features.signIn({ email, password, address: '10.0.1.1' });
    expect((await refusalOf(right)).status).toBe(429);
    const token = await linkFor(email);
    await service.features.resetPassword({ token, password: 'a new password' });
    expect(
      await service.features.signIn({ email, password: 'a new password', address: '10.0.1.1' }),
    ).not.toBeNull();
  });

  test('an address that guesses at many accounts has to wait', async () => {
    const guess = (i: number) =>
      service.features.signIn({ email: `nobody-${i}@example.com`, password, address: '203.0.113.77' });
    for (let i = 0; i < 30; i += 1) expect(await guess(i)).toBeNull();
    expect((await refusalOf(guess(31))).status).toBe(429);
  });
});

describe('a forgotten password', () => {
  test('a link sets a new one, once, and ends every session', async () => {
    const { email, secret } = await newPerson();
    const token = await linkFor(email);
    const reset = { token, password: 'another password' };
    const again = await service.features.resetPassword(reset);
    expect(await service.features.visitor(again?.secret ?? '')).not.toBeNull();
    expect(await service.features.visitor(secret)).toBeNull();
    expect(await service.features.resetPassword(reset)).toBeNull();
    expect(await service.features.signIn({ email, password, address })).toBeNull();
  });

  test('a refused password does not use up the link', async () => {
    const { email } = await newPerson(service, '192.0.2.9');
    const token = await linkFor(email);
    expect((await refusalOf(service.features.resetPassword({ token, password: 'short' }))).status).toBe(422);
    expect(await service.features.resetPassword({ token, password: 'long enough now' })).not.toBeNull();
  });

  test('a link that is used many times at once costs one hash, and one request succeeds', async () => {
    const { email } = await newPerson(service, '192.0.2.10');
    const token = await linkFor(email);
    // More than may wait for a hash: some would be refused if each took one.
    const resets = Array.from({ length: 150 }, () => service.features.resetPassword({ token, password }));
    const signedIn = (await Promise.all(resets)).filter((each) => each !== null);
    expect(signedIn).toHaveLength(1);
  });

  test('a request that is refused because too many hashes wait has not used up the link', async () => {
    const hasher = makePasswordHasher();
    let isFull = false;
    const crowded = await openService(
      {},
      {
        ...hasher,
        hash: (word, place) => (isFull ? Promise.reject(fault('overloaded', {})) : hasher.hash(word, place)),
      },
    );
    const { email } = await newPerson(crowded);
    const token = tokenOf((await crowded.features.makeResetLink(email)).link);
    const reset = { token, password: 'another password' };
    isFull = true;
    expect((await refusalOf(crowded.features.resetPassword(reset))).status).toBe(503);
    isFull = false;
    expect(await crowded.features.resetPassword(reset)).not.toBeNull();
    await crowded.close();
  });

  test('an account that an operator made gets its first person by it', async () => {
    const email = 'operators@example.com';
    await service.features.createAccount({ email, name: null, tier: null });
    const token = await linkFor('Operators@example.com');
    await service.features.resetPassword({ token, password });
    expect(await service.features.signIn({ email, password, address })).not.toBeNull();
  });

  test('without a mail server no link is made until the operators make one [faults: 135]', async () => {
    const { email, visitor } = await newPerson(service, '192.0.2.15');
    await service.features.askReset({ email, address: '192.0.2.15' });
    const [asked] = await until('the note to the operators', async () => {
      const items = await mailsTo(service, visitor.caller);
      return items.length > 0 && items;
    });
    expect(asked).toMatchObject({ kind: 'portal-reset', link: null });
    expect(asked?.lines.join(' ')).not.toContain('token=');
    expect((await refusalOf(service.features.makeResetLink('nobody@example.com'))).status).toBe(404);
  });

  test('an account gets at most three mails at once', async () => {
    const { email, visitor } = await newPerson(service, '192.0.2.20');
    for (let i = 0; i < 5; i += 1) {
      await service.features.askReset({ email, address: `192.0.2.${30 + i}` });
      await service.features.visitor('x');
    }
    const mails = await until('the mails', async () => {
      const { items } = await service.stores.mails.list(visitor.caller.accountId, everything);
      return items.length >= 3 && items;
    });
    expect(mails).toHaveLength(3);
  });

  test('a changed password ends the other sessions', async () => {
    const { email, secret, visitor } = await newPerson(service, '192.0.2.40');
    const asked = { current: password, password: 'next password', address };
    const changed = await service.features.changePassword(visitor, asked);
    expect(await service.features.visitor(secret)).toBeNull();
    expect(await service.features.visitor(changed.secret)).toMatchObject({ email });
  });

  test('of two who change a password at once, both with the present one, the first has it', async () => {
    const { email, visitor } = await newPerson(service, '192.0.2.43');
    const wanted = ['the first next one', 'the second next one'];
    const changed = await Promise.allSettled(
      wanted.map((next) =>
        service.features.changePassword(visitor, { current: password, password: next, address }),
      ),
    );
    expect(changed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const signedIn = await Promise.all(
      wanted.map((tried) => service.features.signIn({ email, password: tried, address })),
    );
    expect(signedIn.map((session) => session !== null)).toEqual(
      changed.map(({ status }) => status === 'fulfilled'),
    );
  });

  test.each([
    ['the current one', 'wrong password', 'next password', ['current']],
    ['the new one', password, 'short', ['password']],
    ['both', 'wrong password', 'short', ['current', 'password']],
  ])('a password is not changed if one is wrong: %s', async (_which, current, next, fields) => {
    const { secret, visitor } = await newPerson(service, '192.0.2.41');
    const asked = { current, password: next, address };
    const { status, detail } = await refusalOf(service.features.changePassword(visitor, asked));
    expect([status, detail]).toEqual([
      422,
      fields.map((field) => expect.objectContaining({ loc: ['body', field] })),
    ]);
    expect(await service.features.visitor(secret)).not.toBeNull();
  });

  test('guesses of the current password are stopped, also beside a new one that is refused, and are no change', async () => {
    const { visitor } = await newPerson(service, '192.0.2.42');
    const change = (current: string, next: string) =>
      refusalOf(
        service.features.changePassword(visitor, { current, password: next, address: '203.0.113.42' }),
      );
    for (let i = 0; i < 10; i += 1) expect((await change(`guess ${i}`, 'short')).status).toBe(422);
    expect((await change(password, 'next password')).status).toBe(429);
    const { items } = await service.features.listAudit({ accountId: visitor.personId }, everything);
    expect(items.map(({ action }) => action)).toEqual(['account.created']);
  });
});

describe('with a mail server', () => {
  let mailing: Service;
  beforeAll(async () => {
    mailing = await openService({ sendsMail: true });
  });
  afterAll(() => mailing.close());
  const confirmLink = ({ visitor }: { visitor: { caller: { accountId: string } } }) =>
    linkIn(mailing, visitor.caller.accountId, 'portal-confirm');
  const confirm = (token: string, proof: { session?: string; password?: string }) =>
    mailing.features.confirmEmail({ token, session: '', password: '', address, ...proof });

  test('an address is unconfirmed until the person who signed up opens its link', async () => {
    const person = await newPerson(mailing);
    expect(person.visitor.mayAct).toBe(false);
    const token = await confirmLink(person);
    expect(await confirm('a'.repeat(43), { session: person.secret })).toBe('used_up');
    expect(await confirm(token, { session: person.secret })).toBe('confirmed');
    expect(await confirm(token, { session: person.secret })).toBe('used_up');
    expect(await mailing.features.visitor(person.secret)).toMatchObject({
      email: person.email,
      mayAct: true,
    });
    expect(await mailing.features.signIn({ email: person.email, password, address })).not.toBeNull();
  });

  test('the link alone, or with another session or password, confirms nothing; with the password it does [faults: 134]', async () => {
    const [person, other] = [await newPerson(mailing), await newPerson(mailing)];
    const token = await confirmLink(person);
    expect(await mailing.features.confirming({ token, session: '' })).toBe('password');
    expect(await confirm(token, {})).toBe('password');
    expect(await confirm(token, { session: other.secret })).toBe('password');
    expect(await confirm(token, { password: 'not the password' })).toBe('password');
    expect(await mailing.features.visitor(person.secret)).toMatchObject({ mayAct: false });
    expect(await confirm(token, { password })).toBe('confirmed');
  });

  test('guesses of the password behind a link are stopped', async () => {
    const token = await confirmLink(await newPerson(mailing));
    for (let i = 0; i < 10; i += 1) expect(await confirm(token, { password: `guess ${i}` })).toBe('password');
    expect((await refusalOf(confirm(token, { password }))).status).toBe(429);
  });

  test('another password does not confirm the address', async () => {
    const { visitor } = await newPerson(mailing);
    const changed = await mailing.features.changePassword(visitor, {
      current: password,
      password: 'another password',
      address,
    });
    expect(await mailing.features.visitor(changed.secret)).toMatchObject({ mayAct: false });
  });

  test('an address belongs to who confirms it: others may claim it, and get none of its mails [faults: 133]', async () => {
    const email = 'wanted@example.com';
    const signUp = (from: string) => mailing.features.signUp({ email, password, address: from });
    const [thief, owner] = [await signUp('192.0.2.60'), await signUp('192.0.2.61')];
    const visitors = await Promise.all(
      [thief, owner].map(async ({ secret }) => mailing.features.visitor(secret)),
    );
    const [ofThief, ofOwner] = await Promise.all(
      visitors.map(async (each) => linkIn(mailing, each?.caller.accountId ?? '', 'portal-confirm')),
    );
    expect(await confirm(ofOwner ?? '', { session: owner.secret })).toBe('confirmed');
    expect(await confirm(ofThief ?? '', { session: thief.secret })).toBe('used_up');
    expect(await mailing.features.visitor(thief.secret)).toMatchObject({ email, mayAct: false });
  });

  test('the stored parts of a link open nothing [faults: 135]', async () => {
    const person = await newPerson(mailing);
    const { accountId } = person.visitor.caller;
    await confirm(await confirmLink(person), { session: person.secret });
    await mailing.features.askReset({ email: person.email, address });
    const token = await linkIn(mailing, accountId, 'portal-reset');
    const stored = JSON.stringify((await mailing.stores.mails.list(accountId, everything)).items);
    const listed = JSON.stringify(await mailsTo(mailing, { accountId }));
    for (const text of [stored, listed]) expect(text).not.toContain('token=');
    expect(listed).not.toContain('{link}');
    expect(await mailing.features.isResetLink(token)).toBe(true);
  });

  test("repeated sign-ups or invitations with a known address do not prevent its person's password reset [faults: 177]", async () => {
    const { email, secret, visitor } = await newPerson(mailing);
    const { accountId } = visitor.caller;
    await confirm(await confirmLink({ visitor }), { session: secret });
    const mailed = async (kind: string): Promise<number> => {
      const { items } = await mailing.stores.mails.list(accountId, everything);
      return items.filter((mail) => mail.kind === kind).length;
    };
    for (let i = 0; i < 4; i += 1)
      await mailing.features.signUp({ email, password: 'of somebody else', address: `192.0.2.8${i}` });
    await until('all that strangers may send there', async () => (await mailed('portal-known')) === 2);
    await mailing.features.askReset({ email, address });
    await until('the link for a new password', async () => (await mailed('portal-reset')) === 1);
  });

  test('nobody is found by the placeholder of an unconfirmed address [faults: 177]', async () => {
    const { email, visitor } = await newPerson(mailing);
    const { id } = await mailing.features.invite(visitor, { email: `guest-of-${email}`, role: 'viewer' });
    for (const stored of [`${email} ${visitor.personId}`, `guest-of-${email} ${id}`]) {
      expect((await refusalOf(mailing.features.makeResetLink(stored))).status).toBe(404);
      expect(await mailing.features.signIn({ email: stored, password, address })).toBeNull();
    }
  });

  test('only a mail reveals that an address is known', async () => {
    const { email, secret, visitor } = await newPerson(mailing);
    await confirm(await confirmLink({ visitor }), { session: secret });
    const again = await mailing.features.signUp({
      email,
      password: 'of somebody else',
      address: '192.0.2.70',
    });
    expect(await mailing.features.visitor(again.secret)).toMatchObject({ email, mayAct: false });
    await until('the mail to the owner', async () => {
      const { items } = await mailing.stores.mails.list(visitor.caller.accountId, everything);
      return items.some(({ kind }) => kind === 'portal-known');
    });
    const tried = await mailing.features.signIn({ email, password: 'of somebody else', address });
    expect(tried).toBeNull();
  });
});

test('[faults: 154] an unconfirmed account is deleted after 30 days, unless it has content or was confirmed', async () => {
  const on = await openService();
  try {
    const { accounts, keys, people: kept } = on.stores;
    const [left, withKey, granted, proved, young] = await Promise.all(
      ['left', 'with-key', 'granted', 'proved', 'young'].map(async (name) => {
        if (name === 'young') on.clock.pass(86_400_000);
        const id = newId();
        const [email, createdAt] = [unconfirmedEmail(`${name}@example.com`, id), on.clock.now()];
        const account = {
          id,
          email,
          name: null,
          suspendedAt: null,
          suspendedWhy: null,
          note: null,
          createdAt,
        };
        await accounts.create(account, null, aSubscription(id));
        await kept.insert(aPerson({ id, accountId: id, email, confirmedAt: null }));
        return account;
      }),
    );
    if (!left || !withKey || !granted || !proved || !young) throw new Error('five');
    await keys.insert(aKey(withKey.id), 50);
    const enterprise = { tier: 'pro', source: 'enterprise', expiresAt: null, autoRenew: false } as const;
    await on.features.createSubscription(granted.id, enterprise);
    await kept.confirm(proved, 'proved@example.com', on.clock.now());
    on.clock.pass(29.5 * 86_400_000);
    await on.features.dropUnconfirmed();
    const all = [left, withKey, granted, proved, young];
    const stand = await Promise.all(all.map(({ id }) => accounts.byId(id)));
    expect(stand.map((account) => account !== null)).toEqual([false, true, true, true, true]);
  } finally {
    await on.close();
  }
});

test('[faults: 154] a run continues where the last one ended: accounts after a thousand others are deleted too', async () => {
  const on = await openService();
  try {
    const { accounts } = on.stores;
    const add = async (email: string, id: string): Promise<void> => {
      const account = {
        id,
        email,
        name: null,
        suspendedAt: null,
        suspendedWhy: null,
        note: null,
        createdAt: on.clock.now(),
      };
      await accounts.create(account, null, aSubscription(id));
    };
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => add(`proved-${n}@example.com`, newId())));
    on.clock.pass(1_000);
    const id = newId();
    await add(unconfirmedEmail('behind@example.com', id), id);
    on.clock.pass(30 * 86_400_000 + 1);
    await on.features.dropUnconfirmed();
    expect(await accounts.byId(id)).not.toBeNull(); // a run is bounded
    await on.features.dropUnconfirmed();
    expect(await accounts.byId(id)).toBeNull();
    const [next, later] = [newId(), newId()];
    await add(unconfirmedEmail('next@example.com', next), next);
    on.clock.pass(30 * 86_400_000 + 1);
    await add(unconfirmedEmail('later@example.com', later), later);
    await on.features.dropUnconfirmed();
    expect([await accounts.byId(next), (await accounts.byId(later))?.id]).toEqual([null, later]);
  } finally {
    await on.close();
  }
});
