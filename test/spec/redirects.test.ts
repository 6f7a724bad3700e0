/** [spec: Redirects; operator-interface §4; faults 75, 76] */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { setupUrl } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import { isoTime } from '../support/shapes.ts';

// As in production: http and local addresses are refused.
const world = sharedWorld({ WEBHOOK_ALLOW_INSECURE: '0' });
/** A key that never gets a pattern. */
let strict: string;
beforeAll(async () => {
  strict = await newKey();
});

const newId = expect.stringMatching(/^[0-9a-f-]{36}$/);
const newKey = async () => (await newAccount(world.service)).key;
const add = (key: string, pattern: unknown): Promise<Answer> =>
  world.service.call('POST', '/api/v1/redirects', { key, body: { uri_pattern: pattern } });
const list = (key: string, query = ''): Promise<Answer> =>
  world.service.call('GET', `/api/v1/redirects${query}`, { key });

describe('the whitelist', () => {
  test('starts empty; a pattern is added, listed and removed', async () => {
    const key = await newKey();
    expect((await list(key)).body).toEqual({ redirects: [] });
    const uri_pattern = 'https://*.example.com/*';
    const added = await add(key, uri_pattern);
    expect([added.status, added.body]).toEqual([201, { id: newId, uri_pattern }]);
    const { id } = added.body;
    const listed = await list(key);
    expect([listed.status, listed.body]).toEqual([
      200,
      { redirects: [{ id, uri_pattern, created_at: isoTime }] },
    ]);
    const removed = await world.service.call('DELETE', `/api/v1/redirects/${id}`, { key });
    expect([removed.status, removed.body]).toEqual([200, { success: true }]);
    expect((await list(key)).body).toEqual({ redirects: [] });
    const again = await world.service.call('DELETE', `/api/v1/redirects/${id}`, { key });
    expect([again.status, again.body]).toEqual([404, { detail: 'Redirect not found' }]);
  });

  test('the same pattern added twice is stored once', async () => {
    const key = await newKey();
    const [first, second] = [
      await add(key, 'https://a.example.com/x'),
      await add(key, 'https://a.example.com/x'),
    ];
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect((await list(key)).body.redirects.length).toBe(1);
  });

  test('holds at most 50 patterns per key, even when they are added at once', async () => {
    const key = await newKey();
    const adding = Array.from({ length: 60 }, (_, n) => add(key, `https://app.example.com/${n}`));
    const answers = await Promise.all(adding);
    const refused = answers.filter(({ status }) => status === 400);
    expect([answers.filter(({ status }) => status === 201).length, refused.length]).toEqual([50, 10]);
    expect(refused[0]?.body).toEqual({ detail: 'An API key can have at most 50 redirect patterns' });
    expect((await list(key)).body.redirects.length).toBe(50);
  });

  test('with limit it comes in pages', async () => {
    const key = await newKey();
    for (const path of ['a', 'b', 'c']) await add(key, `https://app.example.com/${path}`);
    const first = await list(key, '?limit=2');
    const last = await list(key, `?limit=2&cursor=${first.body.next_cursor}`);
    const all = [...first.body.redirects, ...last.body.redirects];
    expect([first.body.redirects.length, last.body.redirects.length]).toEqual([2, 1]);
    expect(last.body.next_cursor).toBeNull();
    expect((await list(key)).body.redirects).toEqual(all);
  });

  test('a page continues after its cursor although that item was removed', async () => {
    const key = await newKey();
    for (const path of ['a', 'b', 'c']) await add(key, `https://app.example.com/${path}`);
    const all = (await list(key)).body.redirects;
    const first = await list(key, '?limit=2');
    await world.service.call('DELETE', `/api/v1/redirects/${all[1].id}`, { key });
    const rest = await list(key, `?limit=2&cursor=${first.body.next_cursor}`);
    expect(rest.body).toEqual({ redirects: [all[2]], next_cursor: null });
  });
});

describe('valid and invalid patterns', () => {
  test.each([
    'https://app.example.com/done',
    'https://app.example.com',
    'https://app.example.com/*',
    'https://app.example.com/*/done',
    'https://*.example.com/*',
    'https://pr-*.example.com/cb',
    'https://*.*.example.com/x',
    'https://app.example.com/do*',
    'https://*.shop.example.com/done',
    'https://app.example.com:8443/done',
    'https://bücher.example/done',
    'https://APP.example.com/done',
  ])('%s is accepted', async (pattern) => {
    expect((await add(await newKey(), pattern)).status).toBe(201);
  });

  const https = 'it must be an HTTPS URL';
  const noUrl = 'it must be a valid absolute URL';
  const odd = 'it must not have spaces, control characters or backslashes';
  const user = 'it must not have a user name or password';
  const registrable = 'the registrable domain must not contain a wildcard';
  const twoLabels = 'its host needs at least two labels';
  const one = 'a host label or path segment can contain only one wildcard';
  const refused: [pattern: string, why: string][] = [
    ['http://app.example.com/done', https],
    ['http://localhost:8080/*', https],
    ['javascript:alert(1)//*', https],
    ['data:text/html,x', https],
    ['https://*', registrable],
    ['https://*.com/*', registrable],
    ['https://localhost/', twoLabels],
    ['https://*.co.uk/*', registrable],
    ['https://*.github.io/*', registrable],
    ['https://good.com.*/x', registrable],
    ['https://*good.com/x', registrable],
    ['https://good*.com/x', registrable],
    ['https://a*a*a*a*a.com/*', one],
    ['https://user@app.example.com/', user],
    ['https://user:pass@app.example.com/', user],
    ['https://app.example.com@evil.example/', user],
    ['https://@app.example.com/', user],
    ['https://app.example.com/#fragment', 'it has a fragment'],
    ['https://app.example.com/#', 'it has a fragment'],
    ['https://app.example.com/%2f../x', 'its path has encoded slashes or NUL'],
    ['https://app.example.com/a%5c..%5cb', 'its path has encoded slashes or NUL'],
    ['https://app.example.com/**', one],
    [`https://app.example.com/${'a*'.repeat(600)}`, one],
    ['https://app.example.com/x?y=*', 'it has a query'],
    ['https://app..example.com/', 'its host has an empty label'],
    ['https:\\\\app.example.com\\', odd],
    ['https://app.example.com/\ndone', odd],
    [' https://app.example.com/', odd],
    ['https:app.example.com/', noUrl],
    ['https:///app.example.com/', noUrl],
    ['*', noUrl],
    ['', noUrl],
  ];
  test.each(refused)('%j is refused', async (pattern, why) => {
    const answer = await add(strict, pattern);
    expect([answer.status, answer.body]).toEqual([400, { detail: `uri_pattern is not usable: ${why}` }]);
    expect((await list(strict)).body).toEqual({ redirects: [] });
  });
});

describe('redirect_uri must match a whitelisted pattern of this API key', () => {
  const cases: [pattern: string, allowed: string[], refused: string[]][] = [
    [
      'https://app.example.com/done',
      [
        'https://app.example.com/done',
        'https://APP.example.com/done',
        'https://app.example.com:443/done?a=b',
        'https://app.example.com/done?state=mine',
      ],
      [
        'https://app.example.com/',
        'https://app.example.com/done/',
        'https://app.example.com/Done',
        'https://app.example.com:8443/done',
        'http://app.example.com/done',
        'https://app.example.com.evil.example/done',
        'https://app.example.com@evil.example/done',
        'https://evil.example/?https://app.example.com/done',
        'https://app.example.com/x/%2e%2e/done/more',
        'https://app.example.com/done#x',
        'javascript:alert(1)',
        '//app.example.com/done',
        '',
      ],
    ],
    [
      'https://pr-*.example.com/cb',
      ['https://pr-17.example.com/cb', 'https://pr-main-2.example.com/cb?state=mine'],
      ['https://pr-17.evil.example/cb', 'https://x.pr-17.example.com/cb', 'https://pr.example.com/cb'],
    ],
    [
      'https://*.example.com/a/*/c',
      ['https://x.example.com/a/b/c', 'https://x.example.com/a/%20/c'],
      [
        'https://example.com/a/b/c',
        'https://x.y.example.com/a/b/c',
        'https://.example.com/a/b/c',
        'https://*.example.com/a/b/c',
        'https://xexample.com/a/b/c',
        'https://x.example.com/a//c',
        'https://x.example.com/a/b/b/c',
        'https://x.example.com/a/b%2fb/c',
      ],
    ],
    [
      'https://app.example.com/in/*',
      ['https://app.example.com/in/', 'https://app.example.com/in/a', 'https://app.example.com/in/a/b/c'],
      [
        'https://app.example.com/in',
        'https://app.example.com/inside/a',
        'https://app.example.com/in/../out',
        'https://app.example.com/in/%2e%2e/out',
        'https://app.example.com/in/..%2fout',
        'https://app.example.com/in/a\\..\\..\\out',
      ],
    ],
  ];

  test.each(cases)('%s', async (pattern, allowed, refused) => {
    const key = await newKey();
    expect((await add(key, pattern)).status).toBe(201);
    for (const uri of allowed) {
      expect([uri, (await setupUrl(world.service, key, 'chatapp', uri)).status]).toEqual([uri, 200]);
    }
    const detail = expect.stringMatching(
      /^redirect_uri (?:does not match a redirect pattern of this API key; |cannot be used: it)/,
    );
    for (const uri of refused) {
      const { status, body } = await setupUrl(world.service, key, 'chatapp', uri);
      expect([uri, status, body]).toEqual([uri, 400, { detail }]);
    }
  });

  test.each(['code', 'error', 'error_description'])('its query must not contain %s', async (param) => {
    const key = await newKey();
    await add(key, 'https://app.example.com/done');
    const uri = `https://app.example.com/done?state=mine&${param}=x`;
    const { status, body } = await setupUrl(world.service, key, 'chatapp', uri);
    const detail = `redirect_uri must not have the parameter ${param} in its query: the setup flow adds it`;
    expect([status, body]).toEqual([400, { detail }]);
  });

  test('without a pattern every redirect_uri is refused, and so is one whose pattern was removed', async () => {
    const key = await newKey();
    const uri = 'https://app.example.com/done';
    expect((await setupUrl(world.service, key, 'chatapp', uri)).status).toBe(400);
    const { id } = (await add(key, uri)).body;
    expect((await setupUrl(world.service, key, 'chatapp', uri)).status).toBe(200);
    await world.service.call('DELETE', `/api/v1/redirects/${id}`, { key });
    expect((await setupUrl(world.service, key, 'chatapp', uri)).status).toBe(400);
  });
});
