/** [operator-interface §4, sign-up] The sign-up form: its fields, and what it shows. */
import { expect, test } from '@jest/globals';
import { maxAccountName } from '../../../src/features/accounts/account.ts';
import { password } from '../support/people.ts';
import { refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

let people = 0;
const signUp = (name?: string) => {
  people += 1;
  const request = { email: `form-${people}@example.com`, password, address: `192.0.2.${people}` };
  return service.features.signUp(name === undefined ? request : { ...request, name });
};
async function nameOf(name?: string): Promise<string | null | undefined> {
  const { secret } = await signUp(name);
  const visitor = await service.features.visitor(secret);
  return (await service.stores.accounts.byId(visitor?.caller.accountId ?? ''))?.name;
}

test("the account's name is optional, and has a maximal length", async () => {
  const longest = 'n'.repeat(maxAccountName);
  expect([await nameOf(), await nameOf(''), await nameOf('My shop'), await nameOf(longest)]).toEqual([
    null,
    null,
    'My shop',
    longest,
  ]);
});

test.each([
  ['too long', 'n'.repeat(maxAccountName + 1), `Use at most ${maxAccountName} characters.`],
  ['of two lines', 'My\nshop', 'Use letters, digits and signs only.'],
  ['turned around', 'My \u202epohs', 'Use letters, digits and signs only.'],
])('a name that is %s is refused at its field', async (_why, name, msg) => {
  expect(await refusalOf(signUp(name))).toEqual({
    status: 422,
    detail: [{ loc: ['body', 'name'], msg, type: 'value_error' }],
  });
});

test('every wrong field is reported', async () => {
  const request = { email: 'nobody', name: 'My\nshop', password: 'short', address: '192.0.2.1' };
  const { status, detail } = await refusalOf(service.features.signUp(request));
  const reported = ['email', 'name', 'password'].map((field) =>
    expect.objectContaining({ loc: ['body', field] }),
  );
  expect([status, detail]).toEqual([422, reported]);
});

test('the pages link to the terms', () => {
  expect(service.features.portalTerms()).toEqual({
    signup: true,
    trialDays: 14,
    trialTier: 'pro',
    sendsMail: false,
    logDays: 7,
  });
});

test('an account whose person exists already is refused at the address', async () => {
  const { people: kept } = service.stores;
  service.stores.people = { ...kept, insert: async () => false };
  const refusal = await refusalOf(signUp());
  service.stores.people = kept;
  expect(refusal).toEqual({
    status: 422,
    detail: [
      {
        loc: ['body', 'email'],
        msg: 'This address has an account already. Sign in, or ask for a new password.',
        type: 'value_error',
      },
    ],
  });
});
