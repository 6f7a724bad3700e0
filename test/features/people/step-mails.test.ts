/** [faults: 406] A person is told what became of the second step of signing in. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TOTP } from 'otpauth';
import {
  offerStep,
  renewCodes,
  resetStep,
  startStep,
  stopStep,
} from '../../../src/features/people/change-second-step.ts';
import { giveCode } from '../../../src/features/people/second-step.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { address, password } from '../support/people.ts';
import { openService } from '../support/service.ts';
import type { Service } from '../support/service.ts';

let mailing: Service;
let mailless: Service;
beforeAll(async () => {
  mailing = await openService({ sendsMail: true });
  mailless = await openService();
});
afterAll(() => Promise.all([mailing.close(), mailless.close()]));

let people = 0;
async function signedUp(service: Service, confirmedAt: number | null) {
  const email = `told-${(people += 1)}@example.com`;
  const { secret } = await service.features.signUp({ email, password, address: `198.51.100.${people}` });
  const visitor = await service.features.visitor(secret);
  if (visitor === null) throw new Error('not signed in');
  const person = await service.stores.people.byId(visitor.personId);
  if (person !== null && confirmedAt !== null)
    await service.stores.people.confirm(person, email, confirmedAt);
  const told = async (): Promise<[string, string | null, string][]> => {
    const { items } = await service.stores.mails.list(visitor.caller.accountId, everything);
    const own = items.filter(({ kind }) => kind === 'portal-second-step').toReversed();
    return own.map(({ subject, recipient, lines: [line = ''] }) => [subject, recipient, line]);
  };
  return { visitor, email, told };
}

/** Everything that may happen to the second step, in turn. */
async function live(service: Service, { visitor, email }: Awaited<ReturnType<typeof signedUp>>) {
  const begin = async (): Promise<string[]> => {
    service.clock.pass(60_000);
    const { offer, secret } = offerStep(service.world, visitor, null);
    const code = new TOTP({ secret }).generate({ timestamp: service.clock.now() });
    return startStep(service.world, visitor, { offer, code, password, address });
  };
  const [first = '', second = ''] = await begin();
  for (const code of [first, 'wrong-code', second]) {
    const begun = await service.features.signIn({ email, password, address });
    await giveCode(service.world, undefined, { secret: begun?.secret ?? '', code, agent: null }).catch(
      () => null,
    );
  }
  await renewCodes(service.world, visitor, { password, address });
  await stopStep(service.world, visitor, { password, address });
  await stopStep(service.world, visitor, { password, address });
  await begin();
  await resetStep(service.world, undefined, visitor.personId);
}

test('at the start, the end, a reset, new codes and the use of one; a wrong code and an end of nothing are no news', async () => {
  const somebody = await signedUp(mailing, mailing.clock.now());
  await live(mailing, somebody);
  const told = await somebody.told();
  expect(told.map(([subject]) => subject)).toEqual([
    'Signing in takes a second step from now on',
    'A recovery code was used to sign in',
    'A recovery code was used to sign in',
    'New recovery codes were made',
    'Signing in takes the password alone again',
    'Signing in takes a second step from now on',
    'Signing in takes the password alone again',
  ]);
  expect(new Set(told.map(([, recipient]) => recipient))).toEqual(new Set([somebody.email]));
  expect(told[1]?.[2]).toContain('9 are left.');
  expect(told[2]?.[2]).toContain('8 are left.');
  expect(told[4]?.[2]).not.toContain('operators');
  expect(told[6]?.[2]).toContain('The operators of the service removed');
});

test('no mail goes to an address that nobody proved, nor to an outbox that nobody sends', async () => {
  const unproved = await signedUp(mailing, null);
  await live(mailing, unproved);
  expect(await unproved.told()).toEqual([]);
  const unsent = await signedUp(mailless, mailless.clock.now());
  await live(mailless, unsent);
  expect(await unsent.told()).toEqual([]);
});

test('codes are shown, and one signs in, though no mail can be written', async () => {
  const somebody = await signedUp(mailing, mailing.clock.now());
  const { stores } = mailing.world;
  const add = (): Promise<never> => Promise.reject(new Error('the store is away'));
  const world = { ...mailing.world, stores: { ...stores, mails: { ...stores.mails, add } } };
  const { offer, secret } = offerStep(world, somebody.visitor, null);
  const code = new TOTP({ secret }).generate({ timestamp: mailing.clock.now() });
  const [first = ''] = await startStep(world, somebody.visitor, { offer, code, password, address });
  const begun = await mailing.features.signIn({ email: somebody.email, password, address });
  const given = { secret: begun?.secret ?? '', code: first, agent: null };
  expect(await giveCode(world, undefined, given)).not.toBeNull();
  expect(await somebody.told()).toEqual([]);
});
