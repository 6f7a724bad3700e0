/** [operator-interface §4, sign-up; faults: 84, 113, 134, 135] Passwords, the links that set them, and encrypted values in the browser. */
import { describe, expect, test } from '@jest/globals';
import { maxEmail } from '../../../src/rules/email.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { Suspensions } from '../../../src/features/accounts/suspensions.ts';
import { peopleLimits } from '../../../src/features/people/rate-limits.ts';
import { askReset, makeAccountResetLink, resetPassword } from '../../../src/features/people/new-password.ts';
import { findByPassword, checkPassword } from '../../../src/features/people/passwords.ts';
import { openFlash, sealFlash } from '../../../src/pages/session/flash.ts';
import { signIn, visitor } from '../../../src/features/people/sign-in.ts';
import type { Person } from '../../../src/rules/person.ts';
import { aKey, aPerson } from '../../stores/conformance/samples.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/until.ts';
import { address, password, signedUp, tokenOf } from '../support/people.ts';
import { withRival } from '../support/rival.ts';
import { refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

/** The world, with what was logged. */
function deps() {
  const lines: unknown[] = [];
  const note = (fields: object, event: string) => void lines.push([event, fields]);
  const { stores, clock } = service;
  const settings = { baseUrl: 'https://trunkline.example', sendsMail: true };
  const suspensions = new Suspensions(stores.accounts, clock);
  const own = { ...service.world, settings, suspensions, log: { info: note, warn: note } };
  return Object.assign(Object.create(null), own, { lines, peopleLimits: peopleLimits(clock) });
}

describe('a password', () => {
  const problem = (chosen: string, email = 'somebody@example.com') =>
    refusalOf(Promise.resolve().then(() => checkPassword(chosen, email)));
  const at = (msg: string) => ({
    status: 422,
    detail: [{ loc: ['body', 'password'], msg, type: 'value_error' }],
  });

  test('has from 10 to 200 characters', async () => {
    for (const length of [10, 200]) checkPassword('x'.repeat(length), 'somebody@example.com');
    expect(await problem('x'.repeat(9))).toMatchObject(at('Use at least 10 characters.'));
    expect(await problem('x'.repeat(201))).toMatchObject(at('Use at most 200 characters.'));
  });

  test("is not the person's own address", async () => {
    expect(await problem('SOMEBODY@example.com')).toMatchObject(at('Use something else than your address.'));
  });

  test('is compared up to 400 characters when it is tried', async () => {
    const asked: [string | null, number][] = [];
    const passwords = {
      hash: async () => '',
      verify: async (hash: string | null, tried: string) => {
        asked.push([hash, tried.length]);
        return true;
      },
    };
    const of = { passwords, peopleLimits: peopleLimits(new FakeClock()) };
    const person = aPerson();
    const attempt = (length: number) => ({
      email: 'a@example.com',
      password: 'x'.repeat(length),
      address,
      isKnown: false,
    });
    for (const length of [400, 401]) await findByPassword(of, attempt(length), async () => person);
    expect(asked).toEqual([
      [person.passwordHash, 400],
      [person.passwordHash, 400],
    ]);
  });

  test('for an unknown person counts as a guess', async () => {
    const passwords = { hash: async () => '', verify: async () => true };
    const of = { passwords, peopleLimits: peopleLimits(new FakeClock()) };
    const guess = () =>
      findByPassword(
        of,
        { email: 'nobody@example.com', password, address, isKnown: false },
        async () => null,
      );
    for (let n = 0; n < 10; n += 1) expect(await guess()).toBeNull();
    expect((await refusalOf(guess())).status).toBe(429);
  });

  test('of maximal length signs in', async () => {
    const longest = 'y'.repeat(200);
    const email = 'longest@example.com';
    await service.features.signUp({ email, password: longest, address });
    expect(await service.features.signIn({ email, password: longest, address })).not.toBeNull();
  });
});

describe('a link to set a password', () => {
  test('is valid until it is used', async () => {
    await signedUp(service, 'link@example.com');
    const token = tokenOf((await service.features.makeResetLink('link@example.com')).link);
    const { isResetLink } = service.features;
    expect([await isResetLink(token), await isResetLink('x')]).toEqual([true, false]);
    await service.features.resetPassword({ token, password });
    expect(await isResetLink(token)).toBe(false);
  });

  test('is made by operators for an account, and logged; an unknown account is 404', async () => {
    const { caller, personId } = await signedUp(service, 'of-account@example.com');
    const { accountId } = caller;
    const given = deps();
    const { link, expiresAt } = await makeAccountResetLink(given, undefined, accountId);
    expect(link).toMatch(/^https:\/\/trunkline\.example\/portal\/reset\?token=[\w-]{43}$/);
    expect(expiresAt).toBe(service.clock.now() + 3_600_000);
    expect(given.lines).toEqual([['portal.reset-link-made', { account: accountId, person: personId }]]);
    expect(await refusalOf(makeAccountResetLink(given, undefined, newId()))).toEqual({
      status: 404,
      detail: 'Account not found',
    });
  });

  test("makes nobody an owner by an address that none of the account's people has [faults: 163]", async () => {
    const email = 'left@example.com';
    const { account } = await service.features.createAccount({ email, name: null, tier: null });
    await service.stores.people.insert(aPerson({ accountId: account.id }));
    expect((await refusalOf(service.features.makeResetLink(email))).status).toBe(404);
    expect(await service.stores.people.byEmail(email)).toBeNull();
  });

  test('is made by operators for nobody of another account [faults: I6]', async () => {
    const email = 'elsewhere@example.com';
    const { account } = await service.features.createAccount({ email, name: null, tier: null });
    await service.stores.people.insert(aPerson({ email }));
    expect((await refusalOf(service.features.makeAccountResetLink(account.id))).status).toBe(404);
  });

  test('that cannot be mailed is logged; an unknown address is not', async () => {
    await signedUp(service, 'often@example.com');
    const given = deps();
    await askReset(given, { email: 'unknown@example.com', address });
    for (let n = 0; n < 4; n += 1) await askReset(given, { email: 'often@example.com', address });
    const failures = () => given.lines.filter(([event]: [string]) => event !== 'mail.stored');
    await until('the line', async () => failures().length > 0 || undefined);
    expect(failures()).toEqual([
      ['portal.reset-not-mailed', { error: expect.objectContaining({ status: 429 }) }],
    ]);
  });

  test('sets none if its person has another password, or is gone, before it is set', async () => {
    const email = 'gone@example.com';
    const somebody = await signedUp(service, email);
    const reset = async (rival: (person: Person) => Promise<unknown>) => {
      const token = tokenOf((await service.features.makeResetLink(email)).link);
      const person = await service.stores.people.byId(somebody.personId);
      const world = withRival(service.world, ['people', 'setPassword'], async () => person && rival(person));
      return resetPassword(world, undefined, { token, password });
    };
    const another = 'another long password';
    const changed = { current: password, password: another, address };
    expect(await reset(() => service.features.changePassword(somebody, changed))).toBeNull();
    expect(await service.features.signIn({ email, password: another, address })).not.toBeNull();
    await service.stores.people.insert(aPerson({ accountId: somebody.caller.accountId, role: 'owner' }));
    expect(await reset((person) => service.stores.people.remove(person))).toBeNull();
  });

  test('proves no address that its person has no more', async () => {
    const { personId } = await signedUp(service, 'before@example.com');
    const token = tokenOf((await service.features.makeResetLink('before@example.com')).link);
    const world = withRival(service.world, ['people', 'confirm'], async () => {
      const person = await service.stores.people.byId(personId);
      return person && service.stores.people.confirm(person, 'after@example.com', service.clock.now());
    });
    expect(await resetPassword(world, undefined, { token, password })).not.toBeNull();
    expect((await service.stores.people.byId(personId))?.email).toBe('after@example.com');
  });

  test('says since when there are keys to those who may make keys', async () => {
    const { caller } = await signedUp(service, 'keys@example.com');
    const { accountId } = caller;
    const of = async (email: string) => {
      const token = tokenOf((await service.features.makeResetLink(email)).link);
      return (await service.features.resetPassword({ token, password }))?.olderKeysUntil;
    };
    expect(await of('keys@example.com')).toBeNull();
    const createdAt = service.clock.now() - 1_000;
    await service.stores.keys.insert(aKey(accountId, { createdAt }), 50);
    await service.stores.people.insert(aPerson({ accountId, role: 'viewer', email: 'views@example.com' }));
    await service.stores.people.insert(aPerson({ accountId, role: 'developer', email: 'makes@example.com' }));
    expect([
      await of('keys@example.com'),
      await of('makes@example.com'),
      await of('views@example.com'),
    ]).toEqual([createdAt, createdAt, null]);
  });
});

test("the time of a signed-in person's last visit is stored once an hour", async () => {
  const { secret } = await service.features.signUp({ email: 'seen@example.com', password, address });
  const { people } = service.stores;
  const seen: number[] = [];
  service.stores.people = {
    ...people,
    noteSeen(id, at) {
      seen.push(at);
      return people.noteSeen(id, at);
    },
  };
  const start = service.clock.now();
  const look = async (at: number): Promise<void> => {
    service.clock.pass(start + at - service.clock.now());
    const seenNow = await service.features.visitor(secret);
    await until('the note', async () => {
      const person = await people.byId(seenNow?.personId ?? '');
      return person?.lastSeenAt === seen.at(-1) || undefined;
    });
  };
  for (const at of [0, 3_599_999, 3_600_000]) await look(at);
  service.stores.people = people;
  expect(seen).toEqual([start, start + 3_600_000]);
});

test('a last visit that cannot be stored is logged, and signs nobody out', async () => {
  const { secret } = await service.features.signUp({ email: 'noted@example.com', password, address });
  const given = deps();
  const noteSeen = async (): Promise<never> => Promise.reject(new Error('down'));
  const stores = { ...service.stores, people: { ...service.stores.people, noteSeen } };
  const seen = await visitor({ ...given, stores }, secret);
  await until('the line', async () => given.lines.length > 0 || undefined);
  expect(given.lines).toEqual([
    ['portal.not-noted-seen', { error: new Error('down'), person: seen?.personId }],
  ]);
});

test('addresses that differ only beyond the maximal length count as one for guesses', async () => {
  const given = { ...deps(), passwords: { hash: async () => '', verify: async () => false } };
  const guess = (n: number) => signIn(given, { email: `${'x'.repeat(maxEmail)}${n}`, password, address });
  for (let n = 0; n < 10; n += 1) expect(await guess(n)).toBeNull();
  expect((await refusalOf(guess(10))).status).toBe(429);
});

test('an encrypted one-time value opens only for its account, page and time, and only for its purpose', () => {
  const given = deps();
  const accountId = newId();
  const expiresAt = service.clock.now() + 1_000;
  const sealed = sealFlash(given.sealer, accountId, { path: '/portal/keys', text: 'the secret', expiresAt });
  expect(sealed).toMatch(/^[\w-]+$/);
  const open = (path = '/portal/keys', of = accountId, what = sealed) => openFlash(given, of, path, what);
  expect(open()).toBe('the secret');
  expect([
    open('/portal/people'),
    open('/portal/keys', newId()),
    open('/portal/keys', accountId, 'x'),
  ]).toEqual([null, null, null]);
  service.clock.pass(999);
  expect(open()).toBe('the secret');
  service.clock.pass(1);
  expect(open()).toBeNull();
});
