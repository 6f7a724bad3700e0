/** [spec: Authentication] */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { routeTable } from '../support/routes.ts';
import type { CallOptions } from '../support/api.ts';
import { allowRedirect, exchange, codeIn, newBusiness, setupUrl, walkSetup } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { everythingStored } from '../support/stored.ts';
import { newAccount } from '../support/world.ts';
import type { Account } from '../support/world.ts';
import { next, refusalOf, subscribe } from '../features/live/support.ts';

const world = sharedWorld();
let account: Account;
beforeAll(async () => {
  account = await newAccount(world.service);
});

const unauthorized = { detail: 'Missing or invalid API key' };
const list = (options: CallOptions) => world.service.call('GET', '/api/v1/channels', options);
const newKey = async (): Promise<{ api_key_id: string; api_key: string }> =>
  (await world.service.admin('POST', `/accounts/${account.accountId}/keys`)).body;

describe('every API request carries the header X-API-Key', () => {
  const operations = routeTable
    .filter((route) => route.audience === 'api')
    .map((route) => [route.method.toUpperCase(), route.path] as const);

  test.each(operations)('%s %s without it is 401', async (method, path) => {
    const target = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
    const answer = await world.service.call(method, target);
    expect([answer.status, answer.body]).toEqual([401, unauthorized]);
  });

  test('keys start with mip_live_', () => {
    expect(account.key).toMatch(/^mip_live_[A-Za-z0-9_-]{43}$/);
  });

  test('a valid key is accepted', async () => {
    const answer = await list({ key: account.key });
    expect([answer.status, answer.body]).toEqual([200, { channels: [], total: 0 }]);
  });
});

describe('a wrong key yields the same 401, whatever is wrong with it', () => {
  const wrong: [string, (key: string) => string][] = [
    ['nothing', () => ''],
    ['the prefix alone', () => 'mip_live_'],
    ['no prefix', (key) => key.slice('mip_live_'.length)],
    ['another prefix', (key) => key.replace('mip_live_', 'mip_test_')],
    ['another last character', (key) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')],
    ['one character more', (key) => `${key}A`],
    ['upper case', (key) => key.toUpperCase()],
    ['10 KB', () => `mip_live_${'k'.repeat(10_000)}`],
    ['an operator object', () => '{"$ne":null}'],
    ['two keys in one header', (key) => `${key}, ${key}`],
    ['a bearer', (key) => `Bearer ${key}`],
  ];
  test.each(wrong)('%s', async (_name, spoil) => {
    const answer = await list({ key: spoil(account.key) });
    expect([answer.status, answer.body]).toEqual([401, unauthorized]);
  });

  test('a valid key outside the header is 401', async () => {
    const places: [string, CallOptions][] = [
      [`/api/v1/channels?x_api_key=${account.key}&api_key=${account.key}`, {}],
      ['/api/v1/channels', { headers: { authorization: `Bearer ${account.key}` } }],
      ['/api/v1/channels', { headers: { cookie: `x-api-key=${account.key}` } }],
    ];
    for (const [path, options] of places) {
      expect((await world.service.call('GET', path, options)).status).toBe(401);
    }
  });

  test('a revoked key is 401 at once', async () => {
    const { api_key: key, api_key_id: id } = await newKey();
    expect((await list({ key })).status).toBe(200);
    const revoked = await world.service.admin('DELETE', `/keys/${id}`);
    expect([revoked.status, revoked.body]).toEqual([200, { success: true }]);
    expect((await list({ key })).status).toBe(401);
    expect((await list({ key: account.key })).status).toBe(200);
  });
});

test('the API key is tied to the account: its second key sees the same channels', async () => {
  const [page] = (await newBusiness(world.simulator)).pages;
  const channel = await world.connect(account, 'pagechat', { upstream: page?.id ?? '' });
  const { api_key: key } = await newKey();
  const first = await list({ key: account.key });
  expect(first.body.channels.map(({ id }: { id: string }) => id)).toEqual([channel.id]);
  expect((await list({ key })).body).toEqual(first.body);
});

describe('the redirect whitelist is per API key', () => {
  test("another key of the account can neither list, nor use, nor remove a key's patterns", async () => {
    const [one, other] = [await newKey(), await newKey()];
    await allowRedirect(world.service, one.api_key);
    const mine = await world.service.call('GET', '/api/v1/redirects', { key: one.api_key });
    const theirs = await world.service.call('GET', '/api/v1/redirects', { key: other.api_key });
    expect([mine.body.redirects.length, theirs.body]).toEqual([1, { redirects: [] }]);
    expect((await setupUrl(world.service, other.api_key, 'chatapp')).status).toBe(400);
    const target = `/api/v1/redirects/${mine.body.redirects[0].id}`;
    expect((await world.service.call('DELETE', target, { key: other.api_key })).status).toBe(404);
    expect((await setupUrl(world.service, one.api_key, 'chatapp')).status).toBe(200);
  });

  test('a code is exchanged by any live key of the account that started the flow, and by no other account', async () => {
    const [one, other, stranger] = [await newKey(), await newKey(), await newAccount(world.service)];
    const business = await newBusiness(world.simulator);
    const code = codeIn(
      await walkSetup(world, one.api_key, 'photoapp', { assets: [business.pages[0]?.id ?? ''] }),
    );
    const refused = await exchange(world.service, stranger.key, code);
    expect([refused.status, refused.body]).toEqual([
      400,
      { detail: 'code is unknown, expired or already used' },
    ]);
    expect((await exchange(world.service, other.api_key, code)).status).toBe(200);
  });
});

test('the full key is shown once: the service stores only hashes of keys, and encrypts other secrets', async () => {
  const { api_key: key } = await newKey();
  const [page] = (await newBusiness(world.simulator)).pages;
  const secret = 'a-webhook-secret-of-a-client';
  const owner = await newAccount(world.service);
  const channel = await world.connect(owner, 'pagechat', { upstream: page?.id ?? '' });
  const body = { webhook_secret: secret };
  const target = `/api/v1/channels/${channel.id}`;
  expect((await world.service.call('PATCH', target, { key: owner.key, body })).status).toBe(200);
  const { tokens } = await world.simulator.control('world');
  const upstreamTokens: string[] = tokens
    .filter(({ subject }: { subject: string }) => subject === page?.id)
    .map(({ text }: { text: string }) => text);
  const stored = await everythingStored(world.service.env['DATA_DIR'] ?? '');
  // The channel id is stored in clear: the files that were read do hold this account's data.
  expect(stored).toContain(channel.id);
  for (const hidden of [key, account.key, secret, channel.webhookSecret, ...upstreamTokens]) {
    expect(stored.includes(hidden)).toBe(false);
  }
});

describe('an addition: scopes and end of a key', () => {
  const madeWith = async (body: Record<string, unknown>): Promise<string> => {
    const { body: made } = await world.service.admin('POST', `/accounts/${account.accountId}/keys`, body);
    return made.api_key;
  };

  test('a key that may only send reads nothing, by call or by the live feed', async () => {
    const key = await madeWith({ name: 'sender', scopes: ['messages:send'] });
    const refused = await list({ key });
    expect([refused.status, refused.body.detail.code]).toEqual([403, 'scope_missing']);
    const feed = subscribe(world.service.url, key);
    expect(await refusalOf(feed)).toEqual({ code: 'scope_missing' });
    const sent = await world.service.call('POST', '/api/v1/messages/send', { key, body: {} });
    expect(sent.status).toBe(422);
  });

  test('a key that may read messages gets the live feed', async () => {
    const feed = subscribe(world.service.url, await madeWith({ scopes: ['messages:read'] }));
    await next(feed, 'caught_up');
    feed.disconnect();
  });

  test.each([
    ['an unknown scope', { scopes: ['messages:delete'] }],
    ['no scope', { scopes: [] }],
    ['more scopes than there are', { scopes: Array.from({ length: 101 }, () => 'admin') }],
    ['scopes that are no list', { scopes: 'admin' }],
    ['an end that has passed', { expires_at: '2020-01-01T00:00:00Z' }],
    ['an end that is no time', { expires_at: 'tomorrow' }],
    ['a name of 61 characters', { name: 'x'.repeat(61) }],
    ['no name at all', { name: '' }],
  ])('%s is 422', async (_what, body) => {
    const answer = await world.service.admin('POST', `/accounts/${account.accountId}/keys`, body);
    expect(answer.status).toBe(422);
  });
});
