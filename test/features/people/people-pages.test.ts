/** [operator-interface §4, sign-up; faults: 133, 134] Sign-up and links in mails, with a mail server. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeCsrfToken, makeStreamToken } from '../../../src/pages/session/cookies.ts';
import { browserTest, sharedBrowser } from '../../support/browser.ts';
import { smtpServer } from '../mails/smtp-server.ts';
import { until } from '../../support/until.ts';
import { adminToken } from '../../support/service.ts';
import { World } from '../../support/world.ts';
import { expectWellMade, password } from '../../pages/browsing.ts';
import { streamStatus, Visitor } from '../../pages/visitor.ts';

const browser = sharedBrowser();
let smtp: Awaited<ReturnType<typeof smtpServer>>;
let world: World;
beforeAll(async () => {
  smtp = await smtpServer();
  world = await World.open({ SMTP_URL: smtp.url });
});
afterAll(async () => {
  await world.close();
  await smtp.close();
});

/** The newest mail to this address with this text; waits for it. */
async function mailTo(email: string, says: string): Promise<string> {
  return until(`a mail to ${email} that says ${says}`, async () => {
    const mine = smtp.mails.filter(({ to }) => to.includes(email));
    const texts = mine.map(({ content }) => content.replaceAll('=\n', '').replaceAll('=3D', '='));
    return texts.findLast((text) => text.includes(says)) ?? null;
  });
}

async function linkTo(email: string, page: 'confirm' | 'reset' | 'invitation'): Promise<string> {
  const [link = ''] =
    new RegExp(`/portal/${page}\\?token=[\\w-]+`).exec(await mailTo(email, `/${page}?token=`)) ?? [];
  return link;
}

const tokenIn = (link: string): string => new URLSearchParams(link.split('?')[1]).get('token') ?? '';

async function signUp(email: string, chosen = password) {
  const visitor = new Visitor(world);
  const { text } = await visitor.ask('/portal/sign-up');
  // Else a password manager saves the field before the password, the name of the account.
  expect(text).toMatch(/<input[^>]*autocomplete="username"[^>]*name="email"/);
  const answer = await visitor.post('/portal/sign-up', { email, password: chosen });
  return { visitor, answer };
}

/** A person who has signed up and opened the link in the same browser: one button, no password. */
async function owner(email: string): Promise<Visitor> {
  const { visitor } = await signUp(email);
  const link = await linkTo(email, 'confirm');
  expect((await visitor.ask(link)).text).not.toContain('type="password"');
  const csrf = makeCsrfToken(visitor.cookies.get('trunkline_visit') ?? '');
  const pressed = await visitor.ask('/portal/confirm', { csrf, token: tokenIn(link) });
  expect(pressed.location).toBe('/portal');
  return visitor;
}

test("an operator's link for a new password belongs to the shown account, not to the owner of the address that it claims", async () => {
  const claimed = 'claimed@example.com';
  const holder = await owner(claimed);
  const { visitor: claimant } = await signUp(claimed, 'the password of a stranger');
  const { body } = await world.service.admin('GET', '/audit?action=account.created&limit=1');
  const { account_id: id } = body.entries[0];
  const operator = new Visitor(world);
  await operator.ask('/operators/enter');
  const csrf = (name: string) => ({ csrf: makeCsrfToken(operator.cookies.get(name) ?? '') });
  await operator.ask('/operators/enter', { ...csrf('trunkline_operator_visit'), token: adminToken });
  const { text } = await operator.ask(`/operators/accounts/${id}/reset-link`, csrf('trunkline_operator'));

  const token = /reset\?token=([\w-]{43})/.exec(text)?.[1] ?? '';
  const reader = new Visitor(world);
  await reader.ask(`/portal/reset?token=${token}`);
  await reader.post('/portal/reset', { token, password: 'a password of the operator’s friend' });
  expect((await holder.ask('/portal')).status).toBe(200);
  expect((await claimant.ask('/portal')).location).toContain('/portal/sign-in');
});

test('sign-up answers the same for a known and an unknown address, page by page; a mail informs the known one', async () => {
  const known = 'known@example.com';
  await owner(known);
  const see = async (email: string): Promise<string[]> => {
    const { visitor, answer } = await signUp(email, 'the password of a stranger');
    const session = visitor.cookies.get('trunkline_session') ?? '';
    const pages = await Promise.all(
      ['/portal', '/portal/account', '/portal/keys'].map((path) => visitor.ask(path)),
    );
    return [answer, ...pages].map(({ status, location, text, set }) =>
      [status, location, text, set.length]
        .join(' ')
        .replaceAll(email, 'ADDRESS')
        .replaceAll(visitor.csrf, 'CSRF')
        .replaceAll(session, 'SESSION')
        .replaceAll(/<time.*?<\/time>/gs, 'TIME'),
    );
  };
  expect(await see(known)).toEqual(await see('unknown@example.com'));
  expect(await mailTo(known, 'an account already')).toContain('/portal/forgot');
});

test('a person with an unconfirmed address has no live connection; once confirmed they have [faults: 112]', async () => {
  const streamOf = (visitor: Visitor): Promise<number> => {
    const token = makeStreamToken(visitor.cookies.get('trunkline_session') ?? '');
    return streamStatus(world, visitor, `/portal/live/events?of=${token}`);
  };
  const { visitor } = await signUp('watching@example.com');
  expect(await streamOf(visitor)).toBe(401);
  const page = await visitor.ask('/portal/live');
  expect([page.status, page.text.includes('watch.js')]).toEqual([200, false]);
  expect(await streamOf(await owner('proved@example.com'))).toBe(200);
});

describe("a person signs up with somebody else's address", () => {
  test('its owner who presses Confirm neither confirms nor signs in: the password of the sign-up is asked for', async () => {
    const email = 'victim@example.com';
    const { visitor: thief } = await signUp(email, 'a password of the thief');
    const link = await linkTo(email, 'confirm');
    const victim = new Visitor(world);
    expect((await victim.ask(link)).text).toContain('type="password"');
    const token = tokenIn(link);
    const pressed = await victim.post('/portal/confirm', { token });
    expect([pressed.status, victim.cookies.has('trunkline_session')]).toEqual([401, false]);
    expect((await victim.post('/portal/confirm', { token, password: 'a guess of mine' })).status).toBe(401);
    expect((await thief.post('/portal/keys', { name: 'mine', scope: 'admin' })).status).toBe(400);
    const refused = await thief.post('/portal/people', { email: 'friend@example.com', role: 'viewer' });
    expect([refused.status, refused.text.includes('Your e-mail address is not confirmed yet')]).toEqual([
      400,
      true,
    ]);
    const { visitor: theirs } = await signUp(email);
    expect((await theirs.ask('/portal/keys')).text).toContain('No key yet');
  });

  test('confirming by the password does not sign in', async () => {
    const email = 'elsewhere@example.com';
    const { visitor } = await signUp(email);
    const link = await linkTo(email, 'confirm');
    const phone = new Visitor(world);
    await phone.ask(link);
    const confirmed = await phone.post('/portal/confirm', { token: tokenIn(link), password });
    expect([confirmed.status, confirmed.location]).toEqual([302, '/portal']);
    expect(phone.cookies.has('trunkline_session')).toBe(false);
    expect((await visitor.post('/portal/keys', { name: 'mine', scope: 'admin' })).location).toBe(
      '/portal/keys/made',
    );
    expect((await phone.ask(link)).status).toBe(410);
  });
});

describe('people of one account', () => {
  test("an invitation is mailed to the invited person; that person's mails are not sent to the account", async () => {
    const [email, address] = ['inviting@example.com', 'joining@example.com'];
    const host = await owner(email);
    expect((await host.post('/portal/people', { email: address, role: 'developer' })).status).toBe(302);
    expect(await mailTo(address, 'invites you')).toContain(email);
    const link = await linkTo(address, 'invitation');
    const guest = new Visitor(world);
    await guest.ask(link);
    const joined = await guest.post('/portal/invitation', { token: tokenIn(link), password });
    expect(joined.location).toBe('/portal');
    expect((await guest.post('/portal/keys', { name: 'mine', scope: 'admin' })).location).toBe(
      '/portal/keys/made',
    );
    await guest.post('/portal/sign-out');
    await guest.ask('/portal/forgot');
    await guest.post('/portal/forgot', { email: address });
    const reset = { token: tokenIn(await linkTo(address, 'reset')), password: 'another of mine' };
    expect((await guest.post('/portal/reset', reset)).location).toContain('/portal/keys/older');
    const links = smtp.mails.filter(({ content }) => /portal\/(invitation|reset)\?/.test(content));
    expect(links.filter(({ to }) => to.includes(email))).toEqual([]);
  });

  test('an address with an account: the answer is the same, its owner gets a mail, and nobody can join', async () => {
    const [known, unknown] = ['has-one@example.com', 'has-none@example.com'];
    await owner(known);
    const host = await owner('asking@example.com');
    const answers = [];
    for (const email of [known, unknown]) {
      const { status, location } = await host.post('/portal/people', { email, role: 'viewer' });
      answers.push([status, location]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(await mailTo(known, 'invites you to join their account')).toContain('asking@example.com');
    await linkTo(unknown, 'invitation');
    expect(smtp.mails.some(({ to, content }) => to.includes(known) && content.includes('/invitation?'))).toBe(
      false,
    );
  });
});

test('a new password by mail ends every session, shows the earlier keys, and one button revokes them', async () => {
  const email = 'pressed@example.com';
  const thief = await owner(email);
  await thief.post('/portal/keys', { name: 'of the thief', scope: 'admin' });
  const made = await thief.ask('/portal/keys/made');
  const key = /mip_live_[\w-]{43}/.exec(made.text)?.[0] ?? '';
  expect((await world.service.call('GET', '/api/v1/channels', { key })).status).toBe(200);

  const victim = new Visitor(world);
  await victim.ask('/portal/forgot');
  await victim.post('/portal/forgot', { email });
  const link = await linkTo(email, 'reset');
  expect((await victim.ask(link)).text).toContain('New password');
  const form = { token: tokenIn(link), password: 'a password of mine' };
  const reset = await victim.post('/portal/reset', form);
  expect((await thief.ask('/portal')).location).toContain('/portal/sign-in');
  const older = await victim.ask(reset.location ?? '');
  expect(older.text).toContain('of the thief');
  await victim.post('/portal/keys', { name: 'of mine, later', scope: 'admin' });
  const later = await victim.ask('/portal/keys/made');
  const mine = /mip_live_[\w-]{43}/.exec(later.text)?.[0] ?? '';
  const resetAt = new URLSearchParams((reset.location ?? '').split('?')[1]).get('until') ?? '';
  expect((await victim.post('/portal/keys/older', { until: resetAt })).location).toBe('/portal/keys?revoked');
  expect((await world.service.call('GET', '/api/v1/channels', { key })).status).toBe(401);
  expect((await world.service.call('GET', '/api/v1/channels', { key: mine })).status).toBe(200);

  const used = await new Visitor(world).ask(link);
  expect([used.status, used.text.includes('<form')]).toEqual([410, false]);
});

browserTest(
  'the pages behind links in mails pass the page checks, and work without scripts',
  async () => {
    const email = 'reader@example.com';
    await signUp(email);
    const page = await (await browser()).newPage({ javaScriptEnabled: false });
    const seen = await (await browser()).newPage();
    const confirm = `${world.service.url}${await linkTo(email, 'confirm')}`;
    await seen.goto(confirm);
    await expectWellMade(seen, 'confirm-password');
    await page.goto(confirm);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${world.service.url}/portal/forgot`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    const reset = `${world.service.url}${await linkTo(email, 'reset')}`;
    await seen.goto(reset);
    await expectWellMade(seen, 'reset-form');
    await page.goto(reset);
    await page.getByLabel('New password').fill('a password of mine');
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByText('Three steps').waitFor();
  },
  60_000,
);

test('what mails come is chosen on the page of the account, and the people list shows it', async () => {
  const person = await owner('chooses@example.com');
  const box = /<input type="checkbox" name="topic" value="(\w+)" checked/g;
  const chosen = async () =>
    [...(await person.ask('/portal/account')).text.matchAll(box)].map(([, of]) => of);
  expect(await chosen()).toEqual(['failures', 'licences']);
  expect((await person.post('/portal/account/mails', { topic: 'licences' })).location).toBe(
    '/portal/account?mails',
  );
  expect(await chosen()).toEqual(['licences']);
  expect((await person.ask('/portal/people')).text).toContain('licences');
});

test('a new address: the link of the mail, opened where the person is signed in', async () => {
  const person = await owner('before-change@example.com');
  const email = 'after-change@example.com';
  const form = { email, password };
  expect((await person.post('/portal/account/address', { ...form, password: 'wrong' })).status).toBe(422);
  const asked = await person.post('/portal/account/address', form);
  expect(asked.location).toBe('/portal/account?address-mailed');
  const [link = ''] =
    /\/portal\/new-address\?token=[\w-]+/.exec(await mailTo(email, '/new-address?token=')) ?? [];
  expect((await new Visitor(world).ask(link)).text).toContain('type="password"');
  expect((await person.ask(link)).text).not.toContain('type="password"');
  const csrf = makeCsrfToken(person.cookies.get('trunkline_visit') ?? '');
  const changed = await person.ask('/portal/new-address', { csrf, token: tokenIn(link) });
  expect(changed.location).toBe('/portal/account?address-changed');
  expect((await person.ask('/portal/account')).text).toContain(email);
  await mailTo('before-change@example.com', 'no longer come');
});
