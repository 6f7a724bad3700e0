/** Signing in with a code beside the password. [faults: 378] */
import { describe, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { newRecoveryCodes, periodOf, tidyRecoveryCode } from '../../../src/features/people/one-time-codes.ts';
import { awaitsCode, giveCode } from '../../../src/features/people/second-step.ts';
import {
  offerStep,
  readStep,
  renewCodes,
  resetStep,
  startStep,
  stopStep,
} from '../../../src/features/people/change-second-step.ts';
import { resealSecrets } from '../../../src/features/operators/reseal.ts';
import { everything } from '../../../src/kernel/paging.ts';
import type { Visitor } from '../../../src/rules/person.ts';
import { refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { password } from '../support/people.ts';

const address = '192.0.2.1';
const agent = null;
const service = sharedService();

const codeOf = (secret: string, timestamp: number): string => new TOTP({ secret }).generate({ timestamp });

let people = 0;
async function signedUp(): Promise<{ visitor: Visitor; email: string }> {
  const email = `steps-${(people += 1)}@example.com`;
  const { secret } = await service.features.signUp({ email, password, address: `198.51.100.${people}` });
  const visitor = await service.features.visitor(secret);
  if (visitor === null) throw new Error('not signed in');
  return { visitor, email };
}

/** Somebody with the second step on. */
async function withStep() {
  const { visitor, email } = await signedUp();
  const { offer, secret } = offerStep(service.world, visitor, null);
  const code = codeOf(secret, service.clock.wall());
  const codes = await startStep(service.world, visitor, { offer, code, password, address });
  service.clock.pass(60_000);
  const byPassword = async (): Promise<string> => {
    const begun = await service.features.signIn({ email, password, address });
    if (begun?.awaitsCode !== true) throw new Error('no code is asked for');
    return begun.secret;
  };
  const give = (pass: string, given: string) =>
    giveCode(service.world, undefined, { secret: pass, code: given, agent });
  return { visitor, email, secret, codes, byPassword, give, now: () => codeOf(secret, service.clock.now()) };
}

test('the password alone opens nothing; with the code of the app there is a session', async () => {
  const { byPassword, give, now, visitor } = await withStep();
  const pass = await byPassword();
  expect(await service.features.visitor(pass)).toBeNull();
  expect(await awaitsCode(service.world, pass)).toBe(true);
  const session = await give(pass, now());
  expect((await service.features.visitor(session?.secret ?? ''))?.personId).toBe(visitor.personId);
  expect(await awaitsCode(service.world, pass)).toBe(false);
});

test('a code is taken once, and so are those before it', async () => {
  const { byPassword, give, secret } = await withStep();
  const at = service.clock.now();
  const [before, present] = [codeOf(secret, at - 30_000), codeOf(secret, at)];
  expect(await give(await byPassword(), present)).not.toBeNull();
  for (const code of [present, before])
    expect((await refusalOf(give(await byPassword(), code))).status).toBe(422);
});

test.each([
  ['back', -3_600_000],
  ['forward', 3_600_000],
])('[faults: 292] after a step of the wall clock %s, the codes of the apps are taken', async (_, ms) => {
  service.clock.wallAhead = ms;
  try {
    // `withStep` switches the step on with a code, too.
    const { byPassword, give, secret } = await withStep();
    expect(await give(await byPassword(), codeOf(secret, service.clock.wall()))).not.toBeNull();
  } finally {
    service.clock.wallAhead = 0;
  }
});

test('of concurrent sign-ins with one code, one gets in', async () => {
  const { byPassword, give, now } = await withStep();
  const passes = [await byPassword(), await byPassword(), await byPassword()];
  const outcomes = await Promise.allSettled(passes.map((pass) => give(pass, now())));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('the code with which the step was switched on does not sign in', async () => {
  const { visitor, email } = await signedUp();
  const { offer, secret } = offerStep(service.world, visitor, null);
  const code = codeOf(secret, service.clock.now());
  await startStep(service.world, visitor, { offer, code, password, address });
  const begun = await service.features.signIn({ email, password, address });
  const given = { secret: begun?.secret ?? '', code, agent };
  expect((await refusalOf(giveCode(service.world, undefined, given))).status).toBe(422);
});

test.each([
  '',
  '000000',
  '12345',
  '1234567',
  '１２３４５６',
  '9'.repeat(40),
  "' or 1=1",
  'AAAA-AAAA-AAAA-AAAA',
])('the code %s is refused', async (code) => {
  const { byPassword, give } = await withStep();
  const { status, detail } = await refusalOf(give(await byPassword(), code));
  expect([status, detail]).toMatchObject([422, [{ loc: ['body', 'code'] }]]);
});

test('five wrong codes, and the next must wait, also the right one', async () => {
  const { byPassword, give, now } = await withStep();
  for (let n = 0; n < 5; n += 1) await refusalOf(give(await byPassword(), '000000'));
  expect((await refusalOf(give(await byPassword(), now()))).status).toBe(429);
});

describe('a recovery code', () => {
  test('works once in place of a code, and the audit log says so', async () => {
    const { byPassword, give, codes, visitor } = await withStep();
    const [first = ''] = codes;
    expect(codes).toHaveLength(10);
    expect(await give(await byPassword(), ` ${first.toLowerCase().replaceAll('-', ' ')} `)).not.toBeNull();
    expect((await refusalOf(give(await byPassword(), first))).status).toBe(422);
    expect((await readStep(service.world, visitor)).recoveryCodes).toBe(9);
    const { items } = await service.stores.audit.list({ accountId: visitor.caller.accountId }, everything);
    const used = items.find(({ action }) => action === 'person.recovery-code-used');
    expect([used?.before, used?.after]).toEqual([{ recovery_codes: 10 }, { recovery_codes: 9 }]);
  });

  test('of somebody else is of no use, and new ones replace the old', async () => {
    const [mine, theirs] = [await withStep(), await withStep()];
    const [code = ''] = theirs.codes;
    expect((await refusalOf(mine.give(await mine.byPassword(), code))).status).toBe(422);
    const [anew = ''] = await renewCodes(service.world, theirs.visitor, { password, address });
    expect((await refusalOf(theirs.give(await theirs.byPassword(), code))).status).toBe(422);
    expect(await theirs.give(await theirs.byPassword(), anew)).not.toBeNull();
  });

  test('[faults: 494] of two renewals at once works only if it is of the later one', async () => {
    const { visitor, give, byPassword } = await withStep();
    const { passes } = service.stores;
    const request = { password, address };
    let later: string[] = [];
    service.stores.passes = {
      ...passes,
      insert: async (pass) => {
        service.stores.passes = passes;
        service.clock.pass(1);
        later = await renewCodes(service.world, visitor, request);
        await passes.insert(pass);
      },
    };
    const [earlier = ''] = await renewCodes(service.world, visitor, request);
    expect((await readStep(service.world, visitor)).recoveryCodes).toBe(10);
    expect((await refusalOf(give(await byPassword(), earlier))).status).toBe(422);
    expect(await give(await byPassword(), later[0] ?? '')).not.toBeNull();
  });

  test('is stored as a hash; the secret of the app is sealed', async () => {
    const { visitor, secret, codes } = await withStep();
    const stored = JSON.stringify([
      await service.stores.people.byId(visitor.personId),
      await service.stores.passes.list(visitor.personId, 'recovery', service.clock.now()),
    ]);
    for (const text of [secret, ...codes]) expect(stored).not.toContain(text);
  });

  test('has 80 bits, and is read in any spelling', () => {
    const [code = ''] = newRecoveryCodes();
    expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
    expect(tidyRecoveryCode(code.toLowerCase().replaceAll('-', ''))).toBe(code);
    expect(tidyRecoveryCode(`${code}A`)).toBeNull();
  });
});

test('a new password by mail asks for the code too', async () => {
  const { email, give, now } = await withStep();
  const { link } = await service.features.makeResetLink(email);
  const token = new URL(link).searchParams.get('token') ?? '';
  const reset = await service.features.resetPassword({ token, password: 'another long one' });
  expect(reset?.awaitsCode).toBe(true);
  expect(await service.features.visitor(reset?.secret ?? '')).toBeNull();
  expect(await give(reset?.secret ?? '', now())).not.toBeNull();
});

test('switching it on or off takes the password; a stolen session has none', async () => {
  const { visitor } = await signedUp();
  const { offer, secret } = offerStep(service.world, visitor, null);
  const code = codeOf(secret, service.clock.now());
  const guess = { offer, code, password: 'a guess of mine', address };
  expect(await refusalOf(startStep(service.world, visitor, guess))).toMatchObject({
    status: 422,
    detail: [{ loc: ['body', 'password'] }],
  });
  const other = await withStep();
  expect((await refusalOf(stopStep(service.world, other.visitor, guess))).status).toBe(422);
  expect((await refusalOf(renewCodes(service.world, other.visitor, guess))).status).toBe(422);
  expect((await readStep(service.world, other.visitor)).isOn).toBe(true);
});

test('an offer of somebody else, or a broken one, is refused; on twice is a conflict', async () => {
  const [one, two] = [await signedUp(), await withStep()];
  const theirs = offerStep(service.world, two.visitor, null);
  const code = codeOf(theirs.secret, service.clock.now());
  for (const offer of [theirs.offer, '', 'x'.repeat(10_000)]) {
    const refusal = await refusalOf(
      startStep(service.world, one.visitor, { offer, code, password, address }),
    );
    expect(refusal.status).toBe(400);
  }
  const again = startStep(service.world, two.visitor, { offer: theirs.offer, code, password, address });
  expect((await refusalOf(again)).status).toBe(409);
});

test('a form that was refused offers the same key again', async () => {
  const { visitor } = await signedUp();
  const first = offerStep(service.world, visitor, null);
  expect(offerStep(service.world, visitor, first.offer).secret).toBe(first.secret);
  expect(offerStep(service.world, visitor, 'broken').secret).not.toBe(first.secret);
});

test('operators reset it: the password is enough again, recovery codes are gone', async () => {
  const { visitor, email } = await withStep();
  await resetStep(service.world, undefined, visitor.personId);
  expect((await service.features.signIn({ email, password, address }))?.awaitsCode).toBe(false);
  expect(await readStep(service.world, visitor)).toEqual({ isOn: false, since: null, recoveryCodes: 0 });
  expect((await refusalOf(resetStep(service.world, undefined, 'nobody'))).status).toBe(404);
});

test('a secret under a lost key leaves the recovery codes; sealing anew changes no secret', async () => {
  const { visitor, byPassword, give, codes, now } = await withStep();
  await resealSecrets(service.world);
  expect(await give(await byPassword(), now())).not.toBeNull();
  const { stepSecret } = (await service.stores.people.byId(visitor.personId)) ?? {};
  if (stepSecret == null) throw new Error('no secret');
  await service.stores.people.endStep(visitor.personId);
  const other = await withStep();
  const foreign = (await service.stores.people.byId(other.visitor.personId))?.stepSecret;
  if (foreign == null) throw new Error('no secret');
  await service.stores.people.beginStep(visitor.personId, { stepSecret: foreign, stepUsed: 0, stepSince: 1 });
  service.clock.pass(60_000);
  expect((await refusalOf(give(await byPassword(), now()))).status).toBe(422);
  expect(await give(await byPassword(), codes[0] ?? '')).not.toBeNull();
});

test.each([
  ['59 s, of RFC 6238', 59_000, '287082', 1],
  ['1,111,111,109 s', 1_111_111_109_000, '081804', 37_037_036],
  ['a code of the period before', 89_000, '287082', 1],
  ['a code of two periods before', 119_000, '287082', null],
])('%s', (_what, at, code, period) => {
  const secret = Secret.fromUTF8('12345678901234567890').base32;
  expect(periodOf(secret, code, at)).toBe(period);
});
