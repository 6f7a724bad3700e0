/** [operator-interface §4, people of an account] Who may be invited, who joins, and what an owner may change. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { Visitor } from '../../../src/rules/person.ts';
import { until } from '../../support/until.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { openService, refusalOf } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { address, invitationTokenFor, password, signedUp, tokenOf } from '../support/people.ts';

let service: Service;
let owner: Visitor;

beforeEach(async () => {
  service = await openService();
  owner = await signedUp(service, 'owner@example.com');
});
afterEach(() => service.close());

const invite = (email: string, role = 'viewer') => service.features.invite(owner, { email, role });
const people = async () =>
  (await service.features.listPeople(owner.caller)).map(({ email, role, hasJoined }) => [email, role, hasJoined]); // oxfmt-ignore

/** The newest mail of a kind to the account; waits for it. */
const mailOf = (kind: string, accountId = owner.caller.accountId) =>
  until(`a mail ${kind}`, async () => {
    const { items } = await service.stores.mails.list(accountId, everything);
    return items.find((mail) => mail.kind === kind);
  });

describe('an invitation', () => {
  test('is listed among the people of the account, as not joined', async () => {
    await invite(' Guest@Example.com ');
    expect(await people()).toEqual([
      ['owner@example.com', 'owner', true],
      ['guest@example.com', 'viewer', false],
    ]);
  });

  test.each([
    [
      'no address',
      { email: 'guest', role: 'viewer' },
      ['body', 'email'],
      'Value error, must be an e-mail address',
    ],
    ['no role', { email: 'guest@example.com', role: 'king' }, ['body', 'role'], 'Choose one of the roles.'],
    [
      'somebody of the account',
      { email: 'OWNER@example.com', role: 'viewer' },
      ['body', 'email'],
      'This address is among the people of this account already.',
    ],
  ])('of %s is refused at its field', async (_words, asked, loc, msg) => {
    await invite('first@example.com');
    const refusal = await refusalOf(service.features.invite(owner, asked));
    expect(refusal).toMatchObject({ status: 422, detail: [{ loc, msg }] });
    expect(await people()).toHaveLength(2);
  });

  test('of a person with an own account is refused if there is no mail server to inform them', async () => {
    await signedUp(service, 'other@example.com');
    expect(await refusalOf(invite('other@example.com'))).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'email'], msg: expect.stringContaining('has an account of its own') }],
    });
  });

  test('is refused beyond fifty people', async () => {
    for (let n = 1; n < 50; n += 1) {
      if (n % 10 === 0) service.clock.pass(dayMs);
      await invite(`guest-${n}@example.com`);
    }
    service.clock.pass(dayMs);
    const refusal = await refusalOf(invite('guest-50@example.com'));
    expect(refusal.status).toBe(400);
    expect(JSON.stringify(refusal.detail)).toContain(
      'An account can have at most 50 people: remove one first',
    );
  });

  test('for the last places succeeds as often as there are places, however many are invited at once', async () => {
    for (let n = 1; n < 48; n += 1) {
      if (n % 10 === 0) service.clock.pass(dayMs);
      await invite(`guest-${n}@example.com`);
    }
    service.clock.pass(dayMs);
    const late = Array.from({ length: 10 }, (_, n) => invite(`late-${n}@example.com`));
    const refusals = (await Promise.allSettled(late)).filter(({ status }) => status === 'rejected');
    expect([refusals.length, (await people()).length]).toEqual([8, 50]);
    expect((await refusalOf(invite('guest-1@example.com'))).status).toBe(422);
  });

  test('is limited to ten at once, then one in six minutes, also for repeated ones', async () => {
    const first = await invite('guest-0@example.com');
    for (let n = 1; n < 10; n += 1) await invite(`guest-${n}@example.com`);
    expect((await refusalOf(invite('guest-10@example.com'))).status).toBe(429);
    expect((await refusalOf(service.features.inviteAgain(owner, first.id))).status).toBe(429);
    service.clock.pass(6 * 60_000 - 1_000);
    expect((await refusalOf(service.features.inviteAgain(owner, first.id))).status).toBe(429);
    service.clock.pass(1_000);
    await service.features.inviteAgain(owner, first.id);
  });

  test('informs the operators, without a link', async () => {
    const { id } = await invite('guest@example.com');
    expect(await mailOf('portal-invite')).toMatchObject({
      subject: 'Somebody is invited to an account',
      recipient: null,
      link: null,
      lines: [
        expect.stringContaining('owner@example.com invites guest@example.com as viewer.'),
        `npm run admin -- invitation-link ${id}`,
      ],
    });
  });
});

describe('the link of an invitation', () => {
  test('shows whom it is for, and is valid for three days', async () => {
    const { id } = await invite('guest@example.com');
    service.told.length = 0;
    const { link, expiresAt } = await service.features.makeInvitationLink(id);
    expect(link).toMatch(/^https:\/\/trunkline\.example\/portal\/invitation\?token=[\w-]{43}$/);
    expect(expiresAt).toBe(service.clock.now() + 3 * dayMs);
    const told = service.told.filter(({ msg }) => msg === 'portal.invitation-link-made');
    expect(told).toMatchObject([{ person: id }]);
    service.clock.pass(3 * dayMs - 1);
    const shown = { email: 'guest@example.com', role: 'viewer', account: 'owner@example.com' };
    expect(await service.features.readInvitation(tokenOf(link))).toEqual(shown);
    service.clock.pass(1);
    expect(await service.features.readInvitation(tokenOf(link))).toBeNull();
    expect(await service.features.acceptInvitation({ token: tokenOf(link), password })).toBeNull();
  });

  test('is only the newest one', async () => {
    const { id } = await invite('guest@example.com');
    const older = await invitationTokenFor(service, id);
    service.clock.pass(1);
    const newer = await invitationTokenFor(service, id);
    expect(await service.features.readInvitation(older)).toBeNull();
    expect(await service.features.readInvitation(newer)).not.toBeNull();
  });

  test('is only the later one of two made in one millisecond', async () => {
    const { id } = await invite('guest@example.com');
    for (let n = 0; n < 10; n += 1) {
      const [older, newer] = [await invitationTokenFor(service, id), await invitationTokenFor(service, id)];
      expect(await service.features.readInvitation(older)).toBeNull();
      expect(await service.features.readInvitation(newer)).not.toBeNull();
    }
  });

  test('is only one of those made at once', async () => {
    const { id } = await invite('guest@example.com');
    const tokens = await Promise.all(Array.from({ length: 5 }, () => invitationTokenFor(service, id)));
    const read = await Promise.all(tokens.map((token) => service.features.readInvitation(token)));
    expect(read.filter((invitation) => invitation !== null)).toHaveLength(1);
  });

  test('is used once: to choose a password and sign in', async () => {
    const { id } = await invite('guest@example.com', 'developer');
    const token = await invitationTokenFor(service, id);
    const joined = await service.features.acceptInvitation({ token, password });
    const visitor = await service.features.visitor(joined?.secret ?? '');
    expect(visitor).toMatchObject({
      personId: id,
      email: 'guest@example.com',
      role: 'developer',
      mayAct: true,
    });
    expect(visitor?.caller.accountId).toBe(owner.caller.accountId);
    expect(await service.features.acceptInvitation({ token, password })).toBeNull();
    expect(await people()).toContainEqual(['guest@example.com', 'developer', true]);
    const signedIn = await service.features.signIn({ email: 'guest@example.com', password, address });
    expect(signedIn).not.toBeNull();
  });

  test('is not used up by a refused password', async () => {
    const token = await invitationTokenFor(service, (await invite('guest@example.com')).id);
    for (const weak of ['short', 'Guest@example.com'])
      expect(await refusalOf(service.features.acceptInvitation({ token, password: weak }))).toMatchObject({
        status: 422,
        detail: [{ loc: ['body', 'password'] }],
      });
    expect(await service.features.acceptInvitation({ token, password })).not.toBeNull();
  });

  test('is refused to a person who has signed up meanwhile', async () => {
    const token = await invitationTokenFor(service, (await invite('guest@example.com')).id);
    await signedUp(service, 'guest@example.com');
    const refusal = await refusalOf(service.features.acceptInvitation({ token, password }));
    expect([refusal.status, JSON.stringify(refusal.detail)]).toEqual([
      409,
      expect.stringContaining('An address has one account: use another address.'),
    ]);
  });

  test('is invalid once the invitation is withdrawn', async () => {
    const { id } = await invite('guest@example.com');
    const token = await invitationTokenFor(service, id);
    await service.features.removePerson(owner, id);
    expect(await service.features.acceptInvitation({ token, password })).toBeNull();
    expect(await people()).toHaveLength(1);
  });

  test('is not made for a person who has joined, a founder, or an unknown person', async () => {
    const { id } = await invite('guest@example.com');
    await service.features.acceptInvitation({ token: await invitationTokenFor(service, id), password });
    const email = 'made-by-operator@example.com';
    const { account } = await service.features.createAccount({ email, name: null, tier: null });
    await service.features.makeResetLink(email);
    for (const who of [id, owner.personId, account.id, newId()])
      expect(await refusalOf(service.features.makeInvitationLink(who))).toEqual({
        status: 404,
        detail: 'Invitation not found',
      });
    expect(await refusalOf(service.features.inviteAgain(owner, id))).toEqual({
      status: 404,
      detail: 'Invitation not found',
    });
  });
});

describe('with a mail server', () => {
  beforeEach(async () => {
    await service.close();
    service = await openService({ sendsMail: true });
    const { account } = await service.features.createAccount({
      email: 'owner@example.com',
      name: null,
      tier: null,
    });
    const token = tokenOf((await service.features.makeResetLink('owner@example.com')).link);
    const signedIn = await service.features.resetPassword({ token, password });
    const visitor = await service.features.visitor(signedIn?.secret ?? '');
    if (visitor === null || visitor.caller.accountId !== account.id) throw new Error('nobody is signed in');
    owner = visitor;
  });

  test('an invited person gets the link, at most three times in an hour', async () => {
    const { id } = await invite('guest@example.com');
    const mail = await mailOf('portal-invite');
    expect(mail).toMatchObject({ subject: 'You are invited to an account', recipient: 'guest@example.com' });
    expect(mail.lines[0]).toContain(
      'owner@example.com invites you to join their account in the portal, as viewer.',
    );
    const link = service.sealer.openText(mail.link!, sealContext.mailLink(owner.caller.accountId, mail.id));
    expect(await service.features.readInvitation(tokenOf(link))).toMatchObject({
      email: 'guest@example.com',
    });
    service.told.length = 0;
    for (let again = 0; again < 3; again += 1) await service.features.inviteAgain(owner, id);
    const refused = () => service.told.filter(({ msg }) => msg !== 'mail.stored');
    await until('the fourth to be refused', () => refused().length > 0);
    expect(refused()).toMatchObject([
      {
        level: 'warn',
        msg: 'portal.invitation-not-mailed',
        account: owner.caller.accountId,
        error: { name: 'Fault' },
      },
    ]);
    expect(mail.lines.at(-1)).toBe('If you do not know this address, ignore this e-mail.');
  });

  test('a person with an account is informed of that, and the inviting owner is not', async () => {
    const other = await service.features.createAccount({
      email: 'other@example.com',
      name: null,
      tier: null,
    });
    expect((await invite('other@example.com')).accountId).toBe(owner.caller.accountId);
    expect(await mailOf('portal-known', other.account.id)).toMatchObject({
      subject: 'You are invited, but have an account already',
      recipient: 'other@example.com',
      link: null,
      lines: [
        expect.stringContaining('owner@example.com invites you'),
        expect.stringContaining('another e-mail address'),
      ],
    });
  });
});
