/** [operator-interface §4, people of an account; faults: 163] Inviting, joining, leaving and removing, as people do it. */
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { sharedWorld } from '../../support/shared-world.ts';
import { password } from '../../pages/browsing.ts';
import {
  accountIdOf,
  cameBack,
  connectedAt,
  invited,
  invitationLink,
  newVisitor,
  Visitor,
} from '../../pages/visitor.ts';
import { fileForm } from '../../support/file-form.ts';
import { ledger, newPerson } from '../../support/sends.ts';
import { newBusiness } from '../../support/setup.ts';

const world = sharedWorld();

const idOf = (visitor: Visitor): Promise<string> =>
  visitor
    .ask('/portal/people')
    .then(({ text }) => /href="\/portal\/people\/([0-9a-f-]{36})"/.exec(text)?.[1] ?? '');

test('an invitation leads into the account, once; its link is shown to nobody of the account', async () => {
  const owner = await newVisitor(world);
  await owner.post('/portal/redirects', { uri_pattern: 'https://app.example.com/*' });
  expect((await owner.post('/portal/people', { email: 'mia@example.com', role: 'viewer' })).location).toBe(
    '/portal/people?invited',
  );
  const link = await invitationLink(world, owner);
  expect((await owner.ask('/portal/mails')).text).not.toContain('invitation-link');
  const mia = new Visitor(world);
  const asked = await mia.ask(link);
  expect(asked.text).toContain('<b>mia@example.com</b> and are a viewer of the account');
  expect(asked.text).toContain('value="mia@example.com" autocomplete="username"');
  expect(asked.text).toContain(`The account of <b><bdi>${owner.email}</bdi></b>`);
  const token = new URLSearchParams(link.split('?')[1]).get('token') ?? '';
  expect((await mia.post('/portal/invitation', { token, password: 'short' })).status).toBe(422);
  expect((await mia.post('/portal/invitation', { token, password })).location).toBe('/portal');
  expect((await mia.ask('/portal/people')).text).toContain(owner.email);
  const used = await new Visitor(world).ask(link);
  expect([used.status, used.text]).toEqual([410, expect.stringContaining('href="/portal/sign-in"')]);
  expect((await owner.ask('/portal/people')).text).not.toContain('>invited<');
  const again = new Visitor(world);
  await again.ask('/portal/sign-in');
  expect((await again.post('/portal/sign-in', { email: 'Mia@example.com', password })).location).toBe(
    '/portal',
  );
});

test('an address that has an account, or is among the people, is refused with an explanation', async () => {
  const [owner, other] = [await newVisitor(world), await newVisitor(world)];
  const theirs = await owner.post('/portal/people', { email: other.email, role: 'owner' });
  expect([theirs.status, theirs.text.includes('An address has one account')]).toEqual([422, true]);
  const mine = await owner.post('/portal/people', { email: owner.email, role: 'owner' });
  expect([mine.status, mine.text.includes('among the people')]).toEqual([422, true]);
  expect((await owner.post('/portal/people', { email: 'x', role: 'owner' })).status).toBe(422);
  expect((await owner.post('/portal/people', { email: 'y@example.com', role: 'king' })).status).toBe(422);
});

test('an address that is invited many times at once is invited once', async () => {
  const owner = await newVisitor(world);
  const form = { email: 'eager@example.com', role: 'viewer' };
  const asked = await Promise.all(Array.from({ length: 8 }, () => owner.post('/portal/people', form)));
  expect([302, 422].map((status) => asked.filter((each) => each.status === status).length)).toEqual([1, 7]);
  expect((await owner.ask('/portal/people')).text.match(/>invited</g)).toHaveLength(1);
});

test('a person who signs up while invited has an own account, and the link says so', async () => {
  const owner = await newVisitor(world);
  const email = 'both@example.com';
  await owner.post('/portal/people', { email, role: 'developer' });
  const link = await invitationLink(world, owner);
  const both = new Visitor(world);
  await both.ask('/portal/sign-up');
  expect((await both.post('/portal/sign-up', { email, password })).location).toBe('/portal');
  const token = new URLSearchParams(link.split('?')[1]).get('token') ?? '';
  const other = new Visitor(world);
  await other.ask(link);
  const refused = await other.post('/portal/invitation', { token, password });
  expect([refused.status, refused.text.includes('An address has one account')]).toEqual([409, true]);
});

test('a person who has joined an account cannot sign up for another, nor can operators make one', async () => {
  const owner = await newVisitor(world);
  await invited(world, owner, 'developer');
  const email = `developer-of-${owner.email}`;
  const again = new Visitor(world);
  await again.ask('/portal/sign-up');
  expect((await again.post('/portal/sign-up', { email, password })).status).toBe(422);
  const made = await world.service.admin('POST', '/accounts', { email });
  expect(made.status).toBe(409);
});

test('a removed person is signed out at once, and may be invited again; their keys still work, and the page says so', async () => {
  const owner = await newVisitor(world);
  const developer = await invited(world, owner, 'developer');
  await developer.post('/portal/keys', { name: 'of the one who goes', scope: 'admin' });
  const id = await idOf(owner);
  expect((await owner.ask(`/portal/people/${id}/remove`)).text).toContain('of the one who goes');
  expect((await owner.post(`/portal/people/${id}/remove`)).location).toBe('/portal/people?removed');
  expect((await developer.ask('/portal/keys')).location).toContain('/portal/sign-in');
  expect((await owner.ask('/portal/keys')).text).toContain(`developer-of-${owner.email}`);
  expect((await (await invited(world, owner, 'developer')).ask('/portal')).status).toBe(200);
});

test.each([
  ['removed', (id: string): [string, Record<string, string>] => [`/portal/people/${id}/remove`, {}]],
  ['lowered', (id: string): [string, Record<string, string>] => [`/portal/people/${id}`, { role: 'viewer' }]],
])(
  'a person who is %s while their form is in flight changes nothing by it [faults: 175]',
  async (_, deed) => {
    const owner = await newVisitor(world);
    const other = await invited(world, owner, 'owner');
    const email = `accomplice-of-${other.email}`;
    const finish = await heldBack(other, '/portal/people', { email, role: 'owner' });
    expect((await owner.post(...deed(await idOf(owner)))).location).toMatch(
      /^\/portal\/people\?(saved|removed)$/,
    );
    expect(await finish()).toBe(400);
    expect((await owner.ask('/portal/people')).text).not.toContain(email);
  },
);

test('a person who is removed while the file of their message arrives sends nothing [faults: 175]', async () => {
  const owner = await newVisitor(world);
  const developer = await invited(world, owner, 'developer');
  const { pages } = await newBusiness(world.simulator);
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: [pages[0]?.id ?? ''] });
  const begun = await owner.post('/portal/channels/connect', { channel_type: 'pagechat' });
  const channel = connectedAt((await cameBack(world, owner, begun.location)).location);
  const recipient = newPerson('pagechat');
  const fields = { csrf: developer.csrf, what: 'media', recipient, media_type: 'document' };
  const form = fileForm(fields, new File(['%PDF'], 'a.pdf', { type: 'application/pdf' }));
  const finish = await heldBack(developer, `${channel}/send`, form);
  expect((await owner.post(`/portal/people/${await idOf(owner)}/remove`)).location).toBe(
    '/portal/people?removed',
  );
  expect(await finish()).toBe(400);
  expect(await ledger(world.simulator, { recipient, outcome: 'all' })).toEqual([]);
});

/** Posts a form except for its last byte: the returned function sends that, and returns the status. */
async function heldBack(visitor: Visitor, path: string, form: Record<string, string> | FormData) {
  const given = form instanceof FormData ? form : new URLSearchParams({ csrf: visitor.csrf, ...form });
  const whole = new Response(given);
  const body = Buffer.from(await whole.arrayBuffer());
  const sent = request(`${world.service.url}${path}`, {
    method: 'POST',
    headers: {
      cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'content-type': whole.headers.get('content-type') ?? '',
      'content-length': body.length,
    },
  });
  sent.write(body.subarray(0, -1));
  await visitor.ask('/portal'); // it came after the form, so the form's session has been looked up
  return async (): Promise<number | undefined> => {
    sent.end(body.subarray(-1));
    const [answer]: IncomingMessage[] = await once(sent, 'response');
    answer?.resume();
    return answer?.statusCode;
  };
}

test("a new password ends the person's own sessions, as the page says, and nobody else's", async () => {
  const owner = await newVisitor(world);
  const mia = await invited(world, owner, 'developer');
  const elsewhere = new Visitor(world);
  await elsewhere.ask('/portal/sign-in');
  await elsewhere.post('/portal/sign-in', { email: mia.email, password });
  const asked = { current: password, password: 'another good password' };
  expect((await mia.ask('/portal/account')).text).toContain(`value="${mia.email}" autocomplete="username"`);
  expect((await mia.post('/portal/account', { ...asked, current: 'of the account' })).text).toContain(
    'This is not your password.',
  );
  const { location } = await mia.post('/portal/account', asked);
  expect((await mia.ask(location ?? '')).text).toContain('Your other sessions have ended.');
  expect((await elsewhere.ask('/portal')).status).toBe(302);
  expect((await owner.ask('/portal')).status).toBe(200);
});

test('the link of a withdrawn invitation leads nowhere', async () => {
  const owner = await newVisitor(world);
  await owner.post('/portal/people', { email: 'gone@example.com', role: 'viewer' });
  const link = await invitationLink(world, owner);
  await owner.post(`/portal/people/${await idOf(owner)}/remove`);
  expect((await new Visitor(world).ask(link)).status).toBe(410);
});

test('a new link for an invitation invalidates the previous one', async () => {
  const owner = await newVisitor(world);
  await owner.post('/portal/people', { email: 'twice@example.com', role: 'viewer' });
  const [first, second] = [await invitationLink(world, owner), await invitationLink(world, owner)];
  const late = new Visitor(world);
  expect((await late.ask(first)).status).toBe(410);
  const token = new URLSearchParams(first.split('?')[1]).get('token') ?? '';
  expect((await late.post('/portal/invitation', { token, password })).status).toBe(410);
  expect((await new Visitor(world).ask(second)).text).toContain('twice@example.com');
});

test('the last owner can neither leave nor be demoted; once there is another owner they can', async () => {
  const owner = await newVisitor(world);
  const developer = await invited(world, owner, 'developer');
  const id = await idOf(owner);
  // The first person's id is the account's.
  for (const path of ['/portal/people/leave', `/portal/people/${await accountIdOf(world, owner)}`]) {
    const refused = await owner.post(path, { role: 'viewer' });
    expect([refused.status, refused.text.includes('make somebody else an owner first')]).toEqual([409, true]);
  }
  expect((await owner.post(`/portal/people/${id}`, { role: 'owner' })).location).toBe('/portal/people?saved');
  expect((await owner.post('/portal/people/leave')).location).toBe('/portal/sign-in');
  expect((await owner.ask('/portal')).location).toContain('/portal/sign-in');
  expect((await developer.ask('/portal/people')).text).not.toContain(`>${owner.email}`);
  const anew = new Visitor(world);
  await anew.ask('/portal/sign-up');
  expect((await anew.post('/portal/sign-up', { email: owner.email, password })).location).toBe('/portal');
});

test('people of another account are not found, and stay unchanged', async () => {
  const [mine, theirs] = [await newVisitor(world), await newVisitor(world)];
  const developer = await invited(world, theirs, 'developer');
  const id = await idOf(theirs);
  for (const path of [
    `/portal/people/${id}`,
    `/portal/people/${id}/remove`,
    `/portal/people/${id}/invitation`,
  ]) {
    expect((await mine.post(path, { role: 'viewer' })).status).toBe(404);
    if (!path.endsWith('invitation')) expect((await mine.ask(path)).status).toBe(404);
  }
  expect((await developer.ask('/portal')).text).not.toContain('You are a viewer');
});

test('a new role applies from the next page on; one that another owner has changed meanwhile is not overwritten unseen [faults: 562]', async () => {
  const owner = await newVisitor(world);
  const developer = await invited(world, owner, 'developer');
  const path = `/portal/people/${await idOf(owner)}`;
  expect((await owner.ask(path)).text).toContain('name="was:role" value="developer"');
  const save = (was: string, role: string) => owner.post(path, { 'was:role': was, role });
  expect((await save('developer', 'viewer')).location).toBe('/portal/people?saved');
  expect((await developer.post('/portal/keys', { name: 'late', scope: 'admin' })).status).toBe(403);
  const late = await save('developer', 'owner');
  expect([late.status, late.text]).toEqual([
    409,
    expect.stringContaining(
      'Changed elsewhere since you opened this page: Role, now viewer. Nothing was saved',
    ),
  ]);
  expect(late.text).toMatch(/name="was:role" value="viewer".*<option value="owner" selected>/s);
  expect((await save('developer', 'viewer')).location).toBe('/portal/people?saved');
  expect((await save('viewer', 'owner')).location).toBe('/portal/people?saved');
});
