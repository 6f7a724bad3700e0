/** [operator-interface §4, sign-up; faults: 134, 154] An address is confirmed by who reads its mails, and an unconfirmed account is deleted. */
import { hasAccessLink } from '../../../src/features/mails/access-links.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unconfirmedEmail } from '../../../src/rules/email.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { UnconfirmedAccounts } from '../../../src/features/people/drop-unconfirmed.ts';
import { peopleLimits } from '../../../src/features/people/rate-limits.ts';
import type { Visitor } from '../../../src/rules/person.ts';
import { aKey, aSubscription } from '../../stores/conformance/samples.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/until.ts';
import { address, password, tokenOf } from '../support/people.ts';
import { everything } from '../../../src/kernel/paging.ts';
import type { PageRequest } from '../../../src/kernel/paging.ts';
import { connectedChannel, openService, refusalOf } from '../support/service.ts';
import type { Service } from '../support/service.ts';

let mailing: Service;
beforeAll(async () => {
  mailing = await openService({ sendsMail: true });
});
afterAll(() => mailing.close());

let people = 0;
async function newPerson(email = `somebody-${(people += 1)}@example.com`) {
  const from = `192.0.2.${100 + people}`;
  const { secret } = await mailing.features.signUp({ email, password, address: from });
  const visitor = await mailing.features.visitor(secret);
  if (visitor === null) throw new Error('nobody is signed in after sign-up');
  return { email, secret, visitor };
}

/** The secrets in the confirmation links mailed to this account; waits for this many. */
function links(accountId: string, count = 1): Promise<string[]> {
  return until('the mails', async () => {
    const { items } = await mailing.stores.mails.list(accountId, everything);
    const found = items.flatMap(({ id, kind, link }) =>
      kind === 'portal-confirm' && link !== null
        ? [tokenOf(mailing.sealer.openText(link, sealContext.mailLink(accountId, id)))]
        : [],
    );
    return found.length >= count ? found : undefined;
  });
}

const confirm = (token: string, session: string) =>
  mailing.features.confirmEmail({ token, session, password: '', address });

describe('a request for another confirmation mail', () => {
  const ask = (visitor: Visitor) => mailing.features.askConfirmation(visitor);

  test('gives another link, and either one confirms the address', async () => {
    for (const which of [0, 1]) {
      const { secret, visitor } = await newPerson();
      await links(visitor.caller.accountId);
      await ask(visitor);
      const sent = await links(visitor.caller.accountId, 2);
      expect([sent.length, new Set(sent).size]).toEqual([2, 2]);
      expect(await confirm(sent[which] ?? '', secret)).toBe('confirmed');
    }
  });

  test('by a person who has confirmed it, or is gone, sends none', async () => {
    const { secret, visitor } = await newPerson();
    const { accountId } = visitor.caller;
    const [token] = await links(accountId);
    await confirm(token ?? '', secret);
    await ask(visitor);
    await ask({ ...visitor, personId: newId() });
    expect(await links(accountId)).toHaveLength(1);
  });

  test('for an address that somebody else has confirmed sends none', async () => {
    const [late, first] = [await newPerson('same@example.com'), await newPerson('same@example.com')];
    const [token] = await links(first.visitor.caller.accountId);
    expect(await confirm(token ?? '', first.secret)).toBe('confirmed');
    await links(late.visitor.caller.accountId);
    await ask(late.visitor);
    expect(await links(late.visitor.caller.accountId)).toHaveLength(1);
  });

  test('for the address that operators gave to the account sends one', async () => {
    const email = 'granted@example.com';
    const { account } = await mailing.features.createAccount({ email, name: null, tier: null });
    await mailing.features.makeResetLink(email);
    const { visitor } = await newPerson();
    await ask({ ...visitor, personId: account.id });
    expect(await links(account.id)).toHaveLength(1);
  });

  test('is limited: the next one after twenty minutes', async () => {
    const { visitor } = await newPerson();
    await links(visitor.caller.accountId);
    await ask(visitor);
    await ask(visitor);
    expect(await refusalOf(ask(visitor))).toMatchObject({ status: 429 });
  });
});

describe('the confirmation link', () => {
  test('needs no more than the session that signed up, and says when it was used', async () => {
    const { secret, visitor } = await newPerson();
    const [token = ''] = await links(visitor.caller.accountId);
    const { confirming } = mailing.features;
    expect(await confirming({ token, session: secret })).toBe('nothing');
    await confirm(token, secret);
    expect(await confirming({ token, session: secret })).toBe('used_up');
  });

  test.each<[string, (email: string) => Promise<unknown>]>([
    [
      'somebody else has proved by now',
      async (email) => {
        const first = await newPerson(email);
        const [token = ''] = await links(first.visitor.caller.accountId);
        expect(await confirm(token, first.secret)).toBe('confirmed');
      },
    ],
    [
      'operators gave to another account by now',
      (email) => mailing.features.createAccount({ email, name: null, tier: null }),
    ],
  ])('does not confirm an address that %s', async (_words, happens) => {
    const { email, secret, visitor } = await newPerson();
    const [token = ''] = await links(visitor.caller.accountId);
    await happens(email);
    expect(await confirm(token, secret)).toBe('used_up');
    expect((await mailing.stores.people.byId(visitor.personId))?.confirmedAt).toBeNull();
  });

  test('that is opened twice at once confirms once', async () => {
    const { secret, visitor } = await newPerson();
    const [token = ''] = await links(visitor.caller.accountId);
    const both = await Promise.all([confirm(token, secret), confirm(token, secret)]);
    expect(both.toSorted()).toEqual(['confirmed', 'used_up']);
  });
});

test('a password set by a mail confirms the address that operators gave to the account', async () => {
  const email = 'by-operators@example.com';
  await mailing.features.createAccount({ email, name: null, tier: null });
  const token = tokenOf((await mailing.features.makeResetLink(email)).link);
  const signedIn = await mailing.features.resetPassword({ token, password });
  expect(await mailing.features.visitor(signedIn?.secret ?? '')).toMatchObject({ email, mayAct: true });
});

test.each([
  ['portal-reset', true],
  ['portal-confirm', true],
  ['portal-invite', true],
  ['portal-known', false],
  ['trial-ending', false],
])('a mail of kind %s is hidden from a session: %s', (kind, isKept) => {
  expect(hasAccessLink({ kind })).toBe(isKept);
});

test.each([
  ['signInAddress', 30, 30_000],
  ['signInAccount', 10, 60_000],
  ['signUp', 20, 60_000],
  ['reset', 10, 60_000],
  ['invite', 10, 360_000],
  ['mailAccount', 3, 1_200_000],
  ['mailReset', 3, 1_200_000],
] as const)('%s: %i at once, then one each %i ms', (name, burst, everyMs) => {
  const clock = new FakeClock();
  const { [name]: allowance } = peopleLimits(clock);
  const refused = (retryAfter: number) =>
    expect.objectContaining({ status: 429, details: expect.objectContaining({ retryAfter }) });
  for (let n = 0; n < burst; n += 1) allowance.take('name');
  expect(() => allowance.take('name')).toThrow(refused(everyMs / 1_000));
  clock.advance(everyMs - 1);
  expect(() => allowance.take('name')).toThrow(refused(1));
  clock.advance(2);
  allowance.take('name');
  expect(() => allowance.take('name')).toThrow(refused(everyMs / 1_000));
});

describe('unconfirmed accounts', () => {
  let on: Service;
  beforeAll(async () => {
    on = await openService();
  });
  afterAll(() => on.close());

  async function unproved(name: string): Promise<string> {
    const id = newId();
    const [email, createdAt] = [unconfirmedEmail(`${name}@example.com`, id), on.clock.now()];
    await on.stores.accounts.create(
      { id, email, name: null, suspendedAt: null, suspendedWhy: null, note: null, createdAt },
      null,
      {
        ...aSubscription(id),
        expiresAt: createdAt + 14 * 86_400_000,
      },
    );
    return id;
  }

  test('are deleted if they are empty: the log has the number, and the next run continues after the last one', async () => {
    const asked: PageRequest[] = [];
    const lines: unknown[] = [];
    const { accounts } = on.stores;
    const stores = {
      ...on.stores,
      accounts: {
        ...accounts,
        madeIn: (range: Parameters<typeof accounts.madeIn>[0], page: PageRequest) => {
          asked.push(page);
          return accounts.madeIn(range, page);
        },
      },
    };
    const log = { info: (fields: object, event: string) => void lines.push([event, fields]) };
    const looks = new UnconfirmedAccounts(
      Object.assign(Object.create(null), { stores, clock: on.clock, log }),
    );
    const at = on.clock.now();
    const ids = [await unproved('one'), await unproved('two'), await unproved('three')];
    const last = ids.toSorted().at(-1); // ids of one millisecond are in no order
    on.clock.pass(31 * 86_400_000);
    await looks.drop();
    await looks.drop();
    expect(lines).toEqual([['accounts.unproved-dropped', { dropped: 3 }]]);
    expect(asked).toEqual([
      { limit: 1_000, cursor: null },
      { limit: 1_000, cursor: { createdAt: at, id: last } },
    ]);
  });

  test('stay if they have a channel or a key', async () => {
    const id = await unproved('begun');
    const key = aKey(id);
    await on.stores.keys.insert(key, 50);
    const caller = { accountId: id, apiKeyId: key.id };
    await on.features.addRedirect(caller, 'https://app.example.com/*');
    await connectedChannel(on, caller, 'chatapp');
    on.clock.pass(31 * 86_400_000);
    await on.features.dropUnconfirmed();
    expect((await on.stores.accounts.byId(id))?.id).toBe(id);
  });
});
