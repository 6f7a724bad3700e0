/** A person's new e-mail address is proved by a link that ends, and the old one is told. [faults: 393] */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { askAddressChange, changeAddress } from '../../../src/features/people/change-address.ts';
import { hasAccessLink } from '../../../src/features/mails/access-links.ts';
import type { StoredMail } from '../../../src/storage/entities/mails.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import type { Visitor } from '../../../src/rules/person.ts';
import { address, invitationTokenFor, password, tokenOf } from '../support/people.ts';
import { openService, refusalOf } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { until } from '../../support/until.ts';

let mailing: Service;
let mailless: Service;
beforeAll(async () => {
  mailing = await openService({ sendsMail: true });
  mailless = await openService();
});
afterAll(() => Promise.all([mailing.close(), mailless.close()]));

let people = 0;
const newEmail = (): string => `address-${(people += 1)}@example.com`;

async function signedUp(service: Service, email = newEmail()) {
  const { secret } = await service.features.signUp({ email, password, address: `198.51.100.${people}` });
  const visitor = await service.features.visitor(secret);
  if (visitor === null) throw new Error('not signed in');
  return { visitor, secret, email };
}

const mailsOf = async ({ caller: { accountId } }: Visitor): Promise<StoredMail[]> =>
  (await mailing.stores.mails.list(accountId, everything)).items;

/** Waits for a mail of this kind. */
const mailOf = (visitor: Visitor, kind: string): Promise<StoredMail> =>
  until(`a mail ${kind}`, async () => (await mailsOf(visitor)).find((mail) => mail.kind === kind));

const tokenIn = ({ accountId, id, link }: StoredMail): string =>
  link === null ? '' : tokenOf(mailing.sealer.openText(link, sealContext.mailLink(accountId, id)));

/** Somebody who has proved the address of the sign-up. */
async function confirmed() {
  const somebody = await signedUp(mailing);
  const token = tokenIn(await mailOf(somebody.visitor, 'portal-confirm'));
  await mailing.features.confirmEmail({ token, session: somebody.secret, password: '', address });
  return somebody;
}

const ask = (visitor: Visitor, email: string, typed = password) =>
  askAddressChange(mailing.world, visitor, { email, password: typed, address });

const open = (token: string, proof: { session?: string; password?: string } = {}) =>
  changeAddress(mailing.world, undefined, { token, session: '', password: '', address, ...proof });

/** Asked for, with the link of the mail. */
async function asked() {
  const somebody = await confirmed();
  const to = newEmail();
  expect(await ask(somebody.visitor, ` ${to.toUpperCase()} `)).toBe('mailed');
  const mail = await mailOf(somebody.visitor, 'portal-address');
  return { ...somebody, to, mail, token: tokenIn(mail) };
}

test('the link goes to the new address, a notice to the old one, and nothing changes before it is opened', async () => {
  const { visitor, email, to, mail } = await asked();
  expect(mail.recipient).toBe(to);
  expect(hasAccessLink(mail)).toBe(true);
  const notice = await mailOf(visitor, 'portal-address-notice');
  expect([notice.recipient, notice.subject]).toEqual([email, 'A new e-mail address was asked for']);
  expect((await mailing.stores.people.byId(visitor.personId))?.email).toBe(email);
});

test('opened in a session, the address of person and account changes, and the old one is told and is free', async () => {
  const { visitor, secret, email, to, token } = await asked();
  const { accountId } = visitor.caller;
  expect(await open(token, { session: secret })).toBe('changed');
  expect((await mailing.features.visitor(secret))?.email).toBe(to);
  expect((await mailing.stores.accounts.byId(accountId))?.email).toBe(to);
  const told = (await mailsOf(visitor)).find(({ subject }) => subject === 'Your e-mail address was changed');
  expect(told?.recipient).toBe(email);
  expect(await mailing.stores.people.byEmail(email)).toBeNull();
  expect(await mailing.features.signIn({ email, password, address })).toBeNull();
  expect(await mailing.features.signIn({ email: to, password, address })).not.toBeNull();
  expect(await open(token, { session: secret })).toBe('used_up');
  const { items } = await mailing.stores.audit.list({ accountId }, everything);
  const entry = items.find(({ action }) => action === 'person.address-changed');
  expect([entry?.before, entry?.after]).toEqual([{ email }, { email: to }]);
});

test('without the session the link asks for the password; a reader of the new mailbox alone cannot use it', async () => {
  const { visitor, email, token } = await asked();
  expect(await open(token)).toBe('password');
  expect(await open(token, { password: 'a guess of mine' })).toBe('password');
  expect(await open(token, { session: (await confirmed()).secret })).toBe('password');
  expect((await mailing.stores.people.byId(visitor.personId))?.email).toBe(email);
  expect(await open(token, { password })).toBe('changed');
});

test('the link ends after a day, with a newer one, and with a new password', async () => {
  const one = await asked();
  await ask(one.visitor, newEmail());
  await until('the newer link', async () => {
    const mails = await mailsOf(one.visitor);
    return mails.filter(({ kind }) => kind === 'portal-address').length === 2 ? true : undefined;
  });
  expect(await open(one.token, { session: one.secret })).toBe('used_up');

  const two = await asked();
  const { link } = await mailing.features.makeResetLink(two.email);
  await mailing.features.resetPassword({ token: tokenOf(link), password: 'another long one' });
  expect(await open(two.token, { password: 'another long one' })).toBe('used_up');

  const three = await asked();
  mailing.clock.pass(dayMs);
  expect(await open(three.token, { password })).toBe('used_up');
});

test('links that were mailed to the old address end with the change', async () => {
  const { email, secret, token } = await asked();
  const { link } = await mailing.features.makeResetLink(email);
  await open(token, { session: secret });
  expect(await mailing.features.resetPassword({ token: tokenOf(link), password })).toBeNull();
});

test('asking takes the password; another address than the present one; a few a while', async () => {
  const { visitor, email } = await confirmed();
  const wrong = { status: 422, detail: [{ loc: ['body', 'password'] }] };
  expect(await refusalOf(ask(visitor, newEmail(), 'a guess of mine'))).toMatchObject(wrong);
  for (const bad of [
    email,
    'no address',
    `${'a'.repeat(300)}@example.com`,
    'a@example.com\r\nBcc: b@example.com',
  ]) {
    const refused = { status: 422, detail: [{ loc: ['body', 'email'] }] };
    expect(await refusalOf(ask(visitor, bad))).toMatchObject(refused);
  }
  for (let n = 0; n < 3; n += 1) await ask(visitor, newEmail());
  expect((await refusalOf(ask(visitor, newEmail()))).status).toBe(429);
});

test('an address with an account answers the same, and its holder alone is told', async () => {
  const [mine, theirs] = [await confirmed(), await confirmed()];
  expect(await ask(mine.visitor, theirs.email)).toBe('mailed');
  const told = await mailOf(theirs.visitor, 'portal-known');
  expect(told.recipient).toBe(theirs.email);
  expect((await mailsOf(mine.visitor)).filter(({ kind }) => kind === 'portal-address')).toEqual([]);
});

test('of two who are on the way to one address, the first to open the link gets it', async () => {
  const [one, two] = [await confirmed(), await confirmed()];
  const to = newEmail();
  const tokens: string[] = [];
  for (const { visitor } of [one, two]) {
    await ask(visitor, to);
    tokens.push(tokenIn(await mailOf(visitor, 'portal-address')));
  }
  expect(await open(tokens[0] ?? '', { session: one.secret })).toBe('changed');
  expect(await open(tokens[1] ?? '', { session: two.secret })).toBe('used_up');
  expect((await mailing.stores.people.byId(two.visitor.personId))?.email).toBe(two.email);
});

test('who mistyped the address at sign-up proves the right one, and no stranger gets a notice', async () => {
  const { visitor, secret } = await signedUp(mailing);
  expect(visitor.mayAct).toBe(false);
  await ask(visitor, newEmail());
  const token = tokenIn(await mailOf(visitor, 'portal-address'));
  expect(await open(token, { session: secret })).toBe('changed');
  expect((await mailing.features.visitor(secret))?.mayAct).toBe(true);
  expect((await mailsOf(visitor)).filter(({ kind }) => kind === 'portal-address-notice')).toEqual([]);
});

test('without a mail server it changes at once, unless the address has an account', async () => {
  const [mine, theirs] = [await signedUp(mailless), await signedUp(mailless)];
  const change = (email: string) =>
    askAddressChange(mailless.world, mine.visitor, { email, password, address });
  expect((await refusalOf(change(theirs.email))).status).toBe(422);
  expect(await change(newEmail())).toBe('changed');
});

test('keys name their maker by the new address, and the old one can be invited', async () => {
  const { visitor, email, secret } = await signedUp(mailless);
  await mailless.features.addKey(visitor.caller, 'mine', {});
  const guest = newEmail();
  const invited = await mailless.features.invite(visitor, { email: guest, role: 'viewer' });
  const token = await invitationTokenFor(mailless, invited.id);
  const joined = await mailless.features.acceptInvitation({ token, password });
  const member = await mailless.features.visitor(joined?.secret ?? '');
  if (member === null) throw new Error('has not joined');
  const change = (by: Visitor, to: string) =>
    askAddressChange(mailless.world, by, { email: to, password, address });
  const to = newEmail();
  await change(visitor, to);
  await change(member, newEmail());
  const keys = await mailless.stores.keys.list(visitor.caller.accountId);
  expect(keys.map(({ madeBy }) => madeBy)).toEqual([to]);
  const owner = await mailless.features.visitor(secret);
  if (owner === null) throw new Error('is signed out');
  for (const again of [email, guest]) {
    const { id } = await mailless.features.invite(owner, { email: again, role: 'viewer' });
    expect(id).not.toBe(invited.id);
  }
});
