/** [portal: How it works] Forms post and redirect: a reload does nothing, and a destructive form asks first. */
import { describe, expect, test } from '@jest/globals';
import { plainSentence } from '../../src/pages/forms/problems.ts';
import { newBusiness } from '../support/setup.ts';
import { cameBack, connectedAt, newVisitor, Visitor } from './visitor.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { perPage } from '../../src/pages/list/paging.tsx';

const world = sharedWorld();

let shared: Promise<[Visitor & { email: string }, string]> | undefined;

/** One person for tests that change nothing, because sign-ups are limited per address. */
function anyChannel(): Promise<[Visitor & { email: string }, string]> {
  return (shared ??= withChannel());
}

async function withChannel(): Promise<[Visitor & { email: string }, string]> {
  const visitor = await newVisitor(world);
  const { pages } = await newBusiness(world.simulator);
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets: [pages[0]?.id ?? ''] });
  const begun = await visitor.post('/portal/channels/connect', { channel_type: 'pagechat' });
  const { location } = await cameBack(world, visitor, begun.location);
  return [visitor, connectedAt(location)];
}

describe('shown once:', () => {
  test('a new key: a reload of its page neither shows it nor makes another', async () => {
    const visitor = await newVisitor(world);
    const made = await visitor.post('/portal/keys', { name: 'shop', scope: 'admin' });
    expect([made.status, made.location]).toEqual([302, '/portal/keys/made']);
    const sealed = visitor.cookies.get('trunkline_once') ?? '';
    const { text, set } = await visitor.ask('/portal/keys/made');
    expect(text).toMatch(/mip_live_/);
    expect(set.join()).toContain('trunkline_once=;');
    const again = await visitor.ask('/portal/keys/made');
    expect(again.text).toContain('is not shown again');
    expect(again.text).not.toMatch(/mip_live_[\w-]{20}/);
    expect((await visitor.ask('/portal/keys')).text.match(/Revoke</g)).toHaveLength(1);
    const stranger = await newVisitor(world);
    stranger.cookies.set('trunkline_once', sealed);
    expect((await stranger.ask('/portal/keys/made')).text).not.toMatch(/mip_live_[\w-]{20}/);
  });

  test("a webhook secret; and another person's page does not show it", async () => {
    const [visitor, channel] = await withChannel();
    const saved = await visitor.post(`${channel}/webhook`, { webhook_url: world.inbox.url });
    expect(saved.location).toBe(`${channel}/secret/made`);
    const sealed = visitor.cookies.get('trunkline_once') ?? '';
    expect((await visitor.ask('/portal/keys/made')).text).not.toContain('whsec_');
    visitor.cookies.set('trunkline_once', sealed);
    expect((await visitor.ask(`${channel}/secret/made`)).text).toContain('whsec_');
    expect((await visitor.ask(`${channel}/secret/made`)).text).not.toContain('whsec_');
  });
});

test.each([
  ['a thousand', 999, 400],
  ['a thousand and one', 1_000, 413],
  ['as many as its body can hold', 32_000, 413],
])('[faults: 215] of a stranger, with %s fields', async (_name, more, status) => {
  const answer = await fetch(`${world.service.url}/portal/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `csrf=x${'&a'.repeat(more)}`,
  });
  expect(answer.status).toBe(status);
});

test('a replay that the service was too busy to finish reports how many were replayed', async () => {
  const [visitor] = await anyChannel();
  const cut = await visitor.ask('/portal/deliveries?begun=3&left=0&cut=1');
  expect(cut.text).toContain(
    '3 deliveries are on the way again. The replay stopped there because of too many requests.',
  );
  const whole = await visitor.ask('/portal/deliveries?begun=3&left=0');
  expect(whole.text).not.toContain('It stopped there');
});

describe('a confirmation page comes before', () => {
  test('removing a channel', async () => {
    const [visitor, channel] = await withChannel();
    expect((await visitor.ask(`${channel}/connection`)).text).not.toContain(`action="${channel}/remove"`);
    const { text } = await visitor.ask(`${channel}/remove`);
    expect(text).toContain(`action="${channel}/remove"`);
    expect(text).toContain('Keep it');
    await visitor.post(`${channel}/remove`);
    expect((await visitor.ask(`${channel}/connection`)).text).toContain('Connect it again');
  });

  test('a new secret, and says that the old one signs for another day', async () => {
    const [visitor, channel] = await withChannel();
    await visitor.post(`${channel}/webhook`, { webhook_url: world.inbox.url });
    expect((await visitor.ask(`${channel}/webhook`)).text).not.toContain(`action="${channel}/secret"`);
    const { text } = await visitor.ask(`${channel}/secret`);
    expect(text).toContain('a signature with the old secret');
    expect((await visitor.post(`${channel}/secret`)).location).toBe(`${channel}/secret/made`);
  });

  test('removing a redirect pattern', async () => {
    const visitor = await newVisitor(world);
    await visitor.post('/portal/keys', { name: 'shop', scope: 'admin' });
    await visitor.post('/portal/redirects', { uri_pattern: 'https://app.example.com/done' });
    const { text } = await visitor.ask('/portal/redirects');
    expect(text).not.toMatch(/action="[^"]*\/remove/);
    const path = /href="(\/portal\/redirects\/[^"]+)"/.exec(text)?.[1] ?? '';
    expect((await visitor.ask(path)).text).toContain('Remove this pattern?');
    await visitor.post(path);
    expect((await visitor.ask('/portal/redirects')).text).toContain('No pattern yet');
  });
});

describe('the URL', () => {
  test("of a channel's test event leads to its webhook, and the tabs are pages", async () => {
    const [visitor, channel] = await anyChannel();
    expect((await visitor.ask(`${channel}/test`)).location).toBe(`${channel}/webhook`);
    for (const tab of ['', '/webhook', '/send', '/connection']) {
      const { status, text } = await visitor.ask(`${channel}${tab}`);
      expect([tab, status]).toEqual([tab, 200]);
      expect(text).toContain(`<a href="${channel}${tab}" aria-current="page">`);
    }
  });

  test.each([
    ['/portal/channels/connect', '/portal/channels'],
    ['/portal/account/confirmation', '/portal/account'],
    ['/portal/sign-out', '/portal'],
  ])('of another form, %s, leads to its page', async (form, page) => {
    const [visitor] = await anyChannel();
    expect((await visitor.ask(form)).location).toBe(page);
  });

  test('of no page offers a way home', async () => {
    const { status, text } = await (await newVisitor(world)).ask('/portal/nothing-here');
    expect([status, text]).toEqual([404, expect.stringContaining('href="/portal"')]);
  });

  test.each([
    '/portal/deliveries?state=failed',
    '/portal/deliveries?channel=abc-1&event=message.received&state=',
  ])('with its query is restored after sign-in: %s', async (path) => {
    const visitor = await newVisitor(world);
    const { email } = visitor;
    await visitor.post('/portal/sign-out');
    const { location } = await visitor.ask(path);
    expect(new URLSearchParams(location?.split('?')[1]).get('next')).toBe(path);
    await visitor.ask(location ?? '');
    const form = { email, password: 'correct horse battery', next: path };
    expect((await visitor.post('/portal/sign-in', form)).location).toBe(path);
  });

  test('of sign-in, in a tab that was open when another tab signed in, signs in too', async () => {
    const [visitor] = await anyChannel();
    const { email } = visitor;
    await visitor.post('/portal/sign-out');
    await visitor.ask('/portal/sign-in');
    const form = { csrf: visitor.csrf, email, password: 'correct horse battery' };
    expect((await visitor.ask('/portal/sign-in', form)).location).toBe('/portal');
    expect((await visitor.ask('/portal/sign-in', { ...form, next: '/portal/keys' })).location).toBe(
      '/portal/keys',
    );
    expect((await visitor.ask('/portal/keys')).status).toBe(200);
  });

  test('of a form that is posted after its session has ended leads to its page after sign-in, with a notice', async () => {
    const [visitor] = await anyChannel();
    const { email, csrf } = visitor;
    await visitor.post('/portal/sign-out');
    expect((await visitor.post('/portal/sign-out')).location).toBe('/portal/sign-in');
    const { location } = await visitor.ask('/portal/channels/connect', { csrf, channel_type: 'pagechat' });
    expect((await visitor.ask(location ?? '')).text).toContain('so what you sent was not done');
    const next = new URLSearchParams(location?.split('?')[1]).get('next') ?? '';
    const signedIn = await visitor.post('/portal/sign-in', {
      email,
      password: 'correct horse battery',
      next,
    });
    expect((await visitor.ask(signedIn.location ?? '')).location).toBe('/portal/channels');
  });

  test.each(['//evil.example.com', '/portal?x=//evil.example.com', '/portal/../x', '/portal?a=<b>'])(
    'of another site is not used after sign-in: %s',
    async (next) => {
      const visitor = await newVisitor(world);
      const { email } = visitor;
      await visitor.post('/portal/sign-out');
      await visitor.ask('/portal/sign-in');
      const form = { email, password: 'correct horse battery', next };
      expect((await visitor.post('/portal/sign-in', form)).location).toBe('/portal');
    },
  );
});

describe('a URL that is longer than the API accepts is refused, not truncated', () => {
  const long = `https://app.example.com/${'x'.repeat(2_048)}`;

  test('of a webhook receiver', async () => {
    const [visitor, channel] = await anyChannel();
    const { status, text } = await visitor.post(`${channel}/webhook`, { webhook_url: long });
    expect([status, text]).toEqual([422, expect.stringContaining('must have at most 2048 characters')]);
  });

  test('of a redirect pattern, and of a URL to test', async () => {
    const visitor = await newVisitor(world);
    await visitor.post('/portal/keys', { name: 'shop', scope: 'admin' });
    const { status, text } = await visitor.post('/portal/redirects', { uri_pattern: long });
    expect([status, text]).toEqual([400, expect.stringContaining('must have at most 2048 characters')]);
    await visitor.post('/portal/redirects', { uri_pattern: 'https://app.example.com/*' });
    const tried = await visitor.ask(`/portal/redirects?url=${long}`);
    expect(tried.text).toContain('it must have at most 2048 characters');
  });
});

test.each([
  ['/portal/keys', { name: 'shop\0' }],
  ['/send', { recipient: '8800000000000001', text: 'hello\0', once: 'a3' }],
])('a NUL character in a form, %s, is refused like in a body of the API', async (path, form) => {
  const [visitor, channel] = await anyChannel();
  const { status } = await visitor.post(path === '/send' ? `${channel}/send` : path, form);
  expect(status).toBe(400);
});

test('Billing has pages for many licences, and counts the slots of all of them', async () => {
  const [visitor] = await withChannel(); // on the oldest licence, which is on the last page
  const { body } = await world.service.admin('GET', '/accounts?limit=1');
  const path = `/accounts/${body.accounts[0].account_id}/subscriptions`;
  for (let n = 0; n < perPage; n += 1)
    await world.service.admin('POST', path, { tier: 'pro', source: 'enterprise' });
  const { text } = await visitor.ask('/portal/billing');
  const next = /href="(\/portal\/billing\?cursor=[^"]+)"/.exec(text)?.[1] ?? '';
  expect((await visitor.ask(next)).text.match(/data-head="Tier"/g)).toHaveLength(1);
  const used = /<td role="cell" data-head="Used"><span class="number">(\d+)<\/span><\/td>/g;
  for (const page of [text, (await visitor.ask(next)).text])
    expect([...page.matchAll(used)].map(([, count]) => count)).toEqual(['0', '0', '1']);
});

test('a channel type without a free slot is not offered', async () => {
  const [visitor] = await anyChannel();
  const { text } = await visitor.ask('/portal/channels');
  expect(text).not.toContain('value="pagechat"');
  expect(text).toContain('No free slot for pagechat');
  expect(text).toContain('value="chatapp"');
});

test('after an error the focus is on it', async () => {
  const [visitor, channel] = await withChannel();
  const wrong = await visitor.post(`${channel}/webhook`, { webhook_url: 'ftp://example.com' });
  expect(/<input[^>]*name="webhook_url"[^>]*>/.exec(wrong.text)?.[0]).toContain('autofocus');
  const days = await visitor.post(`${channel}/webhook`, { webhook_url: '', failed_retention_days: '99' });
  expect(/<input[^>]*name="failed_retention_days"[^>]*>/.exec(days.text)?.[0]).toContain('autofocus');
  await visitor.post('/portal/sign-out');
  await visitor.ask('/portal/sign-in');
  const { text } = await visitor.post('/portal/sign-in', {
    email: 'x@example.com',
    password: 'not this one',
  });
  expect(/<p[^>]*role="alert"[^>]*>/.exec(text)?.[0]).toContain('autofocus');
});

describe('API errors in words for people', () => {
  test('an invalid redirect pattern', async () => {
    const visitor = await newVisitor(world);
    await visitor.post('/portal/keys', { name: 'shop', scope: 'admin' });
    const { status, text } = await visitor.post('/portal/redirects', { uri_pattern: 'nonsense' });
    expect([status, /<p class="wrong"[^>]*>([^<]*)/.exec(text)?.[1]]).toEqual([
      400,
      expect.stringMatching(/^The address pattern is not usable: /),
    ]);
  });

  test('yes and no look different', async () => {
    const visitor = await newVisitor(world);
    await visitor.post('/portal/keys', { name: 'shop', scope: 'admin' });
    await visitor.post('/portal/redirects', { uri_pattern: 'https://app.example.com/done' });
    const ask = async (url: string) => (await visitor.ask(`/portal/redirects?url=${url}`)).text;
    expect(await ask('https://app.example.com/done')).toMatch(/class="badge good">.{1,200}Yes<\/span>, by/);
    expect(await ask('https://app.example.com/other')).toMatch(/class="badge bad">.{1,200}No<\/span>: none/);
  });

  test.each([
    ['uri_pattern is not usable: it has a query', 'The address pattern is not usable: it has a query.', null],
    ['Value error, webhook_url must be https', 'The address must be https.', null],
    ['Choose one of the roles.', 'Choose one of the roles.', null],
    [
      'Upstream platform error: no answer (UND_ERR_SOCKET)',
      'The platform gave no answer (UND_ERR_SOCKET): what was sent may have been done or not.',
      null,
    ],
    [
      'Upstream refused the request: Content in this language exists (code 100, subcode 2388024)',
      'The platform refused the request: Content in this language exists.',
      'code 100, subcode 2388024',
    ],
  ])('%s', (said, words, details) => {
    expect(plainSentence(said)).toEqual({ words, details });
  });
});

describe('a message that is sent from the page', () => {
  const recipient = '8800000000000001';

  test('keeps the recipient in the form, and shows the API call, quoted for a shell', async () => {
    const [visitor, channel] = await anyChannel();
    const typed = { recipient, text: "it's here: $(id)", once: 'a1' };
    const { status, text } = await visitor.post(`${channel}/send`, typed);
    expect([status, /<textarea[^>]*>([^<]*)</.exec(text)?.[1]]).toEqual([200, '']);
    expect(/<input[^>]*name="recipient"[^>]*>/.exec(text)?.[0]).toContain(`value="${recipient}"`);
    const call = unescaped(/<pre[^>]*>(curl [^<]*)</.exec(text)?.[1] ?? '');
    const said = `"recipient":"${recipient}","text":"it'\\''s here: $(id)"}'`;
    expect(call).toContain(said);
  });

  test('without a text is refused at its field, as by the API, and is not sent', async () => {
    const [visitor, channel] = await anyChannel();
    const { status, text } = await visitor.post(`${channel}/send`, { recipient, text: '', once: 'a4' });
    expect([status, text.includes('id="text-wrong"')]).toEqual([422, true]);
  });

  test('that was refused keeps its text too', async () => {
    const [visitor, channel] = await anyChannel();
    const { status, text } = await visitor.post(`${channel}/send`, {
      recipient: 'Jo',
      text: 'hello',
      once: 'a2',
    });
    expect(status).toBe(400);
    expect(/<textarea[^>]*>([^<]*)</.exec(text)?.[1]).toBe('hello');
  });
});

const unescaped = (html: string): string =>
  html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');

test('every wrong field is reported, each at its place', async () => {
  const wrongIn = ({ status, text }: { status: number; text: string }) => [
    status,
    ...[...text.matchAll(/id="(\w+)-wrong"/g)].map(([, field]) => field),
  ];
  const stranger = new Visitor(world);
  await stranger.ask('/portal/sign-up');
  const signUp = { email: 'nobody', name: 'n'.repeat(201), password: 'short' };
  expect(wrongIn(await stranger.post('/portal/sign-up', signUp))).toEqual([422, 'email', 'name', 'password']);

  const [visitor, channel] = await anyChannel();
  const change = { current: 'not this one', password: 'short' };
  expect(wrongIn(await visitor.post('/portal/account', change))).toEqual([422, 'current', 'password']);
  const webhook = { webhook_url: 'ftp://example.com', failed_retention_days: '99' };
  expect(wrongIn(await visitor.post(`${channel}/webhook`, webhook))).toEqual([
    422,
    'webhook_url',
    'failed_retention_days',
  ]);
  const template = { name: 'No Name', language: '?', category: 'UTILITY', body: 'Hello.' };
  expect(wrongIn(await visitor.post(`${channel}/templates`, template))).toEqual([422, 'name', 'language']);
});
