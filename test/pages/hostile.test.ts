/** [operator-interface §4, sign-up; faults: 84] Attacks on the portal. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { io } from 'socket.io-client';
import { hashSecret } from '../../src/kernel/ids.ts';
import { faultFor } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { newAccount, World } from '../support/world.ts';
import { password } from './browsing.ts';
import { cameBack, connectedAt, newVisitor, streamStatus, Visitor } from './visitor.ts';

const world = sharedWorld();

const signedUp = () => newVisitor(world);

describe('sessions', () => {
  test('a session cookie planted before sign-in is not the session after it', async () => {
    const { email } = await signedUp();
    const victim = new Visitor(world);
    const planted = 'p'.repeat(43);
    victim.cookies.set('trunkline_session', planted);
    await victim.ask('/portal/sign-in');
    victim.cookies.set('trunkline_session', planted);
    const visit = victim.cookies.get('trunkline_visit') ?? '';
    const csrf = hashSecret(`csrf:${visit}`);
    await victim.ask('/portal/sign-in', { csrf, email, password });
    const session = victim.cookies.get('trunkline_session');
    expect([session === planted, session === visit]).toEqual([false, false]);
    const attacker = new Visitor(world);
    attacker.cookies.set('trunkline_session', planted);
    expect((await attacker.ask('/portal')).location).toBe('/portal/sign-in?next=%2Fportal');
  });

  test('the cookie is for this site and path, and not for scripts', async () => {
    const visitor = new Visitor(world);
    const { set } = await visitor.ask('/portal/sign-in');
    expect(set.join()).toMatch(
      /^trunkline_visit=[\w-]{43}; Path=\/portal; HttpOnly; SameSite=Lax; Max-Age=86400$/,
    );
  });

  test('on https the cookie is for this host only: no other name, no other path, never without TLS [faults: 138]', async () => {
    const secure = await World.open({ BASE_URL: 'https://trunkline.example' });
    try {
      const visitor = new Visitor(secure);
      const { set } = await visitor.ask('/portal/sign-in');
      expect(set.join()).toMatch(
        /^__Host-trunkline_visit=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400; Secure$/,
      );
      const csrf = hashSecret(`csrf:${visitor.cookies.get('__Host-trunkline_visit')}`);
      const signUp = await visitor.ask('/portal/sign-up', { csrf, email: 'host@example.com', password });
      expect(signUp.set.join()).toMatch(/__Host-trunkline_session=[\w-]{43}; Path=\/;/);
      expect((await visitor.ask('/portal')).status).toBe(200);
      const session = visitor.cookies.get('__Host-trunkline_session') ?? '';
      visitor.cookies.clear();
      visitor.cookies.set('trunkline_session', session);
      expect((await visitor.ask('/portal')).status).toBe(302);
    } finally {
      await secure.close();
    }
  });

  test('signing out ends the session, also for a copy of the cookie', async () => {
    const visitor = await signedUp();
    const kept = visitor.cookies.get('trunkline_session') ?? '';
    expect((await visitor.post('/portal/sign-out')).status).toBe(302);
    visitor.cookies.set('trunkline_session', kept);
    expect((await visitor.ask('/portal/keys')).status).toBe(302);
  });
});

describe('forms', () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await signedUp();
  });
  const posts = [
    '/portal/sign-out',
    '/portal/account',
    '/portal/account/confirmation',
    '/portal/keys',
    '/portal/keys/x/revoke',
    '/portal/keys/older',
    '/portal/people',
    '/portal/people/x',
    '/portal/people/x/remove',
    '/portal/people/x/invitation',
    '/portal/people/leave',
    '/portal/redirects',
    '/portal/redirects/x/remove',
    '/portal/channels/connect',
    '/portal/channels/x/webhook',
    '/portal/channels/x/secret',
    '/portal/channels/x/send',
    '/portal/channels/x/test',
    '/portal/channels/x/deliveries/x/retry',
    '/portal/deliveries/again',
    '/portal/deliveries/replay',
    '/portal/channels/x/templates',
    '/portal/channels/x/templates/sync',
    '/portal/channels/x/templates/x/edit',
    '/portal/channels/x/templates/x/delete',
    '/portal/channels/x/templates/x/send',
    '/portal/channels/x/remove',
  ];

  test.each(posts)('%s: a POST from another origin changes nothing', async (path) => {
    for (const csrf of ['', 'x', hashSecret('csrf:'), new Visitor(world).csrf]) {
      const { status, text } = await visitor.ask(path, { csrf, name: 'theirs' });
      expect([status, text.includes('The page was open for too long, or')]).toEqual([400, true]);
    }
    expect((await visitor.ask('/portal/keys')).text).toContain('No key yet');
  });

  test('a replay of an invalid channel id is not a replay of all channels', async () => {
    const [since, no] = ['2026-01-01T00:00', 'no channel'];
    const address = `/portal/deliveries/replay?since=${since}&replay-channel=${encodeURIComponent(no)}`;
    expect((await visitor.ask(address)).status).toBe(404);
    expect((await visitor.post('/portal/deliveries/replay', { since, channel: no })).status).toBe(404);
  });

  test('sign-in and sign-up need the form of this browser', async () => {
    const { email } = await signedUp();
    const other = new Visitor(world);
    await other.ask('/portal/sign-in');
    const mine = new Visitor(world);
    expect((await mine.ask('/portal/sign-in', { csrf: other.csrf, email, password })).status).toBe(400);
    expect((await mine.ask('/portal/sign-up', { csrf: '', email: 'x@example.com', password })).status).toBe(
      400,
    );
  });
});

describe('texts on a page', () => {
  let email: string;
  beforeAll(async () => {
    ({ email } = await signedUp());
  });
  const attack = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;

  test('names and texts are escaped', async () => {
    const visitor = await signedUp();
    const name = attack.slice(0, 60);
    expect((await visitor.post('/portal/keys', { name, scope: 'admin' })).status).toBe(302);
    const pages = [
      (await visitor.ask('/portal/keys')).text,
      (await visitor.ask('/portal/redirects')).text,
      (await visitor.post('/portal/redirects', { uri_pattern: attack })).text,
      (await visitor.ask(`/portal/redirects?url=${encodeURIComponent(attack)}`)).text,
      (await visitor.ask(`/portal/connected?error=${encodeURIComponent(attack)}&error_description=<script>`))
        .text,
      (await visitor.ask(`/portal/reset?token=${encodeURIComponent(attack)}`)).text,
      (await new Visitor(world).ask(`/portal/sign-in?next=${encodeURIComponent(attack)}`)).text,
    ];
    for (const page of pages) expect(page).not.toMatch(/<script>|<img/);
    expect(pages[0]).toContain('&lt;script>alert(1)');
  });

  test("upstream's name of a number, and its reason for rejecting a template, are escaped", async () => {
    const { businesses } = await world.simulator.control('businesses', {
      name: attack,
      waba_id: '311200000000777',
      phone_numbers: [{ id: '422300000000777', display: '+1 555-010-0777' }],
    });
    expect(businesses).toHaveLength(1);
    const visitor = await signedUp();
    await world.simulator.control('dialog', { auto: 'allow', assets: ['422300000000777'], times: 1 });
    const started = await visitor.post('/portal/channels/connect', { channel_type: 'chatapp' });
    const done = await cameBack(world, visitor, started.location);
    const channel = connectedAt(done.location);
    const channelId = channel.split('/').at(-1) ?? '';
    const review = { name: 'attack', event: 'REJECTED', reason: attack, after_ms: null };
    await world.simulator.control('templates/reviews', review);
    const template = { name: 'attack', language: 'en_US', category: 'UTILITY', body: attack };
    const paths = [
      '',
      '/channels',
      '/deliveries',
      '/messages',
      '/templates',
      `/messages?person=${encodeURIComponent(attack)}`,
    ];
    const pages = [
      (await visitor.post(`${channel}/templates`, template)).text,
      ...(await Promise.all(paths.map(async (path) => (await visitor.ask(`/portal${path}`)).text))),
      (await visitor.ask(channel)).text,
      (await visitor.post(`${channel}/webhook`, { webhook_url: attack })).text,
      (await visitor.post(`${channel}/send`, { recipient: attack, text: attack, once: attack })).text,
      (await visitor.ask(`/portal/channels/${channelId}/messages/none`)).text,
      (await visitor.ask(`/portal/deliveries?channel=${channelId}&event=${encodeURIComponent(attack)}`)).text,
    ];
    for (const page of pages) expect(page).not.toMatch(/<script>|<img/);
    expect(pages.filter((page) => page.includes('&lt;script>')).length).toBeGreaterThan(4);
  });

  test('a wrong password and an unknown address get the same answer', async () => {
    const say = async (as: string): Promise<string> => {
      const visitor = new Visitor(world);
      await visitor.ask('/portal/sign-in');
      const answer = await visitor.post('/portal/sign-in', { email: as, password: 'not the password' });
      return `${answer.status} ${answer.text.replaceAll(as, 'ADDRESS').replaceAll(visitor.csrf, 'CSRF')}`;
    };
    expect(await say(email)).toBe(await say('nobody@example.com'));
  });

  test.each([
    'https://evil.example',
    '//evil.example',
    '/portal/../x',
    '/portal//evil.example',
    'javascript:alert(1)',
    '/portal\\evil',
  ])('next=%s is not followed', async (next) => {
    const visitor = new Visitor(world);
    await visitor.ask(`/portal/sign-in?next=${encodeURIComponent(next)}`);
    const answer = await visitor.post('/portal/sign-in', { email, password, next });
    expect(answer.location).toBe('/portal');
  });
});

test('password guesses are stopped, and then even the right one has to wait', async () => {
  const { email } = await signedUp();
  const guesser = new Visitor(world);
  await guesser.ask('/portal/sign-in');
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1) {
    statuses.push(
      (await guesser.post('/portal/sign-in', { email, password: `guess number ${guess}` })).status,
    );
  }
  expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
  const right = await guesser.post('/portal/sign-in', { email, password });
  expect([right.status, right.text]).toEqual([429, expect.stringContaining('Too many tries')]);
});

test("another account's keys and channels do not exist", async () => {
  const visitor = await signedUp();
  const other = await newAccount(world.service);
  const channel = await world.connect(other, 'photoapp');
  const paths = [
    `/portal/keys/${other.apiKeyId}/revoke`,
    ...['', '/webhook', '/send', '/connection'].map((tab) => `/portal/channels/${channel.id}${tab}`),
    `/portal/deliveries?channel=${channel.id}`,
    `/portal/messages?channel=${channel.id}`,
    `/portal/templates?channel=${channel.id}`,
    `/portal/channels/${channel.id}/messages/${channel.id}`,
    `/portal/channels/${channel.id}/templates/new`,
  ];
  for (const path of paths) expect([path, (await visitor.ask(path)).status]).toEqual([path, 404]);
  const posts: [string, Record<string, string>][] = [
    [`/portal/keys/${other.apiKeyId}/revoke`, {}],
    [`/portal/redirects?key=${other.apiKeyId}`, { uri_pattern: 'https://evil.example.com/*' }],
    [`/portal/channels/${channel.id}/webhook`, { webhook_url: world.inbox.url }],
    [`/portal/channels/${channel.id}/secret`, {}],
    [`/portal/channels/${channel.id}/send`, { recipient: '99', text: 'x' }],
    [`/portal/channels/${channel.id}/remove`, {}],
  ];
  for (const [path, form] of posts)
    expect([path, (await visitor.post(path, form)).status]).toEqual([path, 404]);
  expect((await world.service.call('GET', '/api/v1/channels', { key: other.key })).status).toBe(200);
});

test("the stream of live events is for the session whose page has its address; clients' feed takes no session", async () => {
  const [visitor, other] = [await signedUp(), await signedUp()];
  const { text } = await visitor.ask('/portal/live');
  const address = /data-events="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(address).toMatch(/^\/portal\/live\/events\?of=/);
  expect(await streamStatus(world, visitor, address)).toBe(200);
  expect(await streamStatus(world, visitor, '/portal/live/events')).toBe(401);
  expect(await streamStatus(world, other, address)).toBe(401);
  expect(await streamStatus(world, new Visitor(world), address)).toBe(401);
  const session = visitor.cookies.get('trunkline_session') ?? '';
  const socket = io(`${world.service.url}/live`, {
    path: '/live/socket.io',
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders: {
      cookie: `trunkline_live=${session}; trunkline_session=${session}`,
      origin: world.service.url,
    },
  });
  const refused = new Promise<string>((resolve) =>
    socket.on('connect_error', ({ message }) => resolve(message)),
  );
  expect(await refused).toBe('Missing or invalid API key');
  socket.disconnect();
  await visitor.post('/portal/sign-out');
  visitor.cookies.set('trunkline_session', session);
  expect(await streamStatus(world, visitor, address)).toBe(401);
});

test('a form that is posted twice sends once', async () => {
  const visitor = await signedUp();
  await world.simulator.control('dialog', { auto: 'allow', assets: ['520000000000005'], times: 1 });
  const started = await visitor.post('/portal/channels/connect', { channel_type: 'pagechat' });
  const done = await cameBack(world, visitor, started.location);
  const form = { recipient: '8800000000000001', text: 'once', once: 'a'.repeat(36) };
  const path = `${connectedAt(done.location)}/send`;
  const ids = await Promise.all(
    [1, 2].map(async () =>
      /message_id&quot;: &quot;([\w-]+)|message_id": "([\w-]+)/
        .exec((await visitor.post(path, form)).text)
        ?.slice(1)
        .find(Boolean),
    ),
  );
  expect(ids[0]).toMatch(/^[\w-]{36}$/);
  expect(ids[1]).toBe(ids[0]);
});

describe('a URL that leads nowhere', () => {
  test.each(['/portal/nope', '/portal/keys/x/y', '/portal/channels/x/remove', '/docs/nope', '/setup/a/b'])(
    '%s: a person gets a page',
    async (path) => {
      const { status, text } = await (await signedUp()).ask(path);
      expect([status, text.startsWith('<!doctype html>')]).toEqual([404, true]);
    },
  );

  test('outside the portal it is answered with JSON', async () => {
    const { status, text } = await new Visitor(world).ask('/portals/nope');
    expect([status, text]).toEqual([404, '{"detail":"Not found"}']);
  });

  test('the portal with a trailing slash is the portal', async () => {
    const { status, location } = await new Visitor(world).ask('/portal/');
    expect([status, location]).toEqual([302, '/portal']);
  });
});

test("a name that contains the service's host name leads to no other site in mails", async () => {
  const visitor = await signedUp();
  const name = `${world.service.url}//evil.example/x`;
  const id = '422300000000778';
  await world.simulator.control('businesses', {
    name,
    waba_id: '311200000000778',
    phone_numbers: [{ id, display: '+1 555-010-0778', name }],
  });
  await world.simulator.control('dialog', { auto: 'allow', assets: [id], times: 1 });
  const started = await visitor.post('/portal/channels/connect', { channel_type: 'chatapp' });
  const done = await cameBack(world, visitor, started.location);
  const channel = connectedAt(done.location);
  await faultFor(world.simulator, '4915900000778', { act: 'refuse', code: 190, status: 401 });
  await visitor.post(`${channel}/send`, { recipient: '4915900000778', text: 'x' });
  const text = await until('the mail about the token', async () => {
    const page = (await visitor.ask('/portal/mails')).text;
    return page.includes('has to be connected again') && page;
  });
  const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => new URL(href, name).origin);
  expect(new Set(links)).toEqual(new Set([world.service.url]));
  const written = name.replaceAll('://', '[:]//').replaceAll('.', '[.]');
  expect(text.replaceAll(/<[^>]+>/g, '')).toContain(written);
});

test('without a mail server a session never sees a link that sets a password: operators create it [faults: 135]', async () => {
  const visitor = await signedUp();
  const outside = new Visitor(world);
  expect((await outside.ask('/portal/forgot')).text).toContain('npm run admin -- reset-link EMAIL');
  const asked = await outside.post('/portal/forgot', { email: visitor.email });
  expect(asked.text).toContain('Ask the operators');
  await until('the note to the operators', async () => {
    const { body } = await world.service.admin('GET', '/mails');
    return JSON.stringify(body).includes('portal-reset');
  });
  const mails = await visitor.ask('/portal/mails');
  expect([mails.status, /reset|token=/.test(mails.text)]).toEqual([200, false]);
  const made = await world.service.admin('POST', '/people/reset-link', { email: visitor.email });
  expect([made.status, Date.parse(made.body.expires_at) > Date.now()]).toEqual([201, true]);
  const { search, searchParams } = new URL(made.body.link);
  expect((await outside.ask(`/portal/reset${search}`)).text).toContain('New password');
  const form = { token: searchParams.get('token') ?? '', password: 'handed over' };
  expect((await outside.post('/portal/reset', form)).location).toBe('/portal');
  expect((await visitor.ask('/portal')).status).toBe(302);
  const unknown = await world.service.admin('POST', '/people/reset-link', { email: 'nobody@example.com' });
  expect(unknown.status).toBe(404);
});
