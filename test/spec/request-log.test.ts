/** [operator-interface §3] `GET /api/v1/requests`: the requests of an account's keys, and their answers. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';
import { isoTime } from '../support/shapes.ts';

const world = sharedWorld();
let account: Account;
let channel: Channel;
beforeAll(async () => {
  account = await newAccount(world.service);
  channel = await world.connect(account, 'chatapp');
});

const ask = (query = '', key = account.key): Promise<Answer> =>
  world.service.call('GET', `/api/v1/requests${query}`, { key });
const secretText = 'a text that is in no log';

describe('the log of requests', () => {
  test('a refused call is found by its request id, with the reason', async () => {
    const refused = await world.send(channel, secretText, 'Mia');
    expect(refused.status).toBe(400);
    const id = refused.headers.get('x-request-id') ?? '';
    const { body, text } = await ask(`?request_id=${id}`);
    expect(body).toEqual({
      requests: [
        {
          at: isoTime,
          method: 'POST',
          route: '/api/v1/messages/send',
          status: 400,
          code: 'invalid_recipient',
          request_id: id,
          duration_ms: expect.any(Number),
          key_hint: `${account.key.slice(0, 13)}…${account.key.slice(-4)}`,
        },
      ],
      left_out: [],
      next_cursor: null,
    });
    expect(text).not.toContain(secretText);
  });

  test('a HEAD is logged as HEAD', async () => {
    const asked = await world.service.call('HEAD', '/api/v1/subscriptions', { key: account.key });
    const { body } = await ask(`?request_id=${asked.headers.get('x-request-id')}`);
    expect(body.requests).toMatchObject([{ method: 'HEAD', route: '/api/v1/subscriptions', status: 200 }]);
  });

  test('filters by status, failure, route and time; newest first; no query value is stored', async () => {
    const secret = 'a-value-of-a-query';
    await world.service.call('GET', `/api/v1/channels?cursor=${secret}`, { key: account.key });
    await world.service.call('GET', `/api/v1/channels/${channel.id}`, { key: account.key });
    const routes = async (query: string): Promise<string[]> => {
      const { body } = await ask(query);
      return body.requests.map(({ route, status }: Listed) => `${route} ${status}`);
    };
    const one = '/api/v1/channels/{channel_id}';
    expect(await routes('?limit=2')).toEqual([`${one} 200`, '/api/v1/channels 422']);
    expect(await routes('?status=422')).toEqual(['/api/v1/channels 422']);
    expect(await routes('?status=failed&limit=1')).toEqual(['/api/v1/channels 422']);
    expect(await routes(`?route=${encodeURIComponent(one)}`)).toEqual([`${one} 200`]);
    expect(await routes(`?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect((await ask('?limit=1000')).text).not.toContain(secret);
  });

  test('comes in pages, and no call comes twice', async () => {
    const every: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await ask(`?status=failed&limit=1${cursor}`);
      every.push(...body.requests.map(({ request_id }: Listed) => request_id));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    const { body } = await ask('?status=failed');
    expect(every).toEqual(body.requests.map(({ request_id }: Listed) => request_id));
    expect(every.length).toBeGreaterThan(1);
  });

  test('a burst is sampled; failures are kept nevertheless', async () => {
    const busy = await newAccount(world.service);
    const call = (path: string) => world.service.call('GET', path, { key: busy.key });
    for (let i = 0; i < 130; i += 1) await call('/api/v1/channels');
    await call(`/api/v1/channels/${crypto.randomUUID()}`);
    const { body } = await ask('?limit=1000', busy.key);
    const kept = body.requests.filter(({ status }: Listed) => status === 200);
    expect(kept.length).toBeGreaterThanOrEqual(60);
    expect(kept.length).toBeLessThan(130);
    expect(body.requests.filter(({ status }: Listed) => status === 404)).toHaveLength(1);
  });

  test('an invalid filter is named in the error', async () => {
    for (const [query, place] of [
      ['?status=much', 'status'],
      ['?status=200&status=201', 'status'],
      ['?since=yesterday', 'since'],
      ['?limit=0', 'limit'],
      ['?cursor=none', 'cursor'],
    ] as const) {
      const { status, body } = await ask(query);
      const [{ loc, type }] = body.detail;
      expect([query, status, loc, type]).toEqual([query, 422, ['query', place], 'value_error']);
    }
  });

  test("another account's calls, and those of an invalid key, are not listed", async () => {
    const other = await newAccount(world.service);
    const refused = await world.send(channel, secretText, 'Mia');
    const id = refused.headers.get('x-request-id') ?? '';
    expect((await ask(`?request_id=${id}`, other.key)).body.requests).toEqual([]);
    const wrong = await ask('', `${other.key.slice(0, -4)}xxxx`);
    const found = await ask(`?request_id=${wrong.headers.get('x-request-id')}`, other.key);
    expect([wrong.status, found.body.requests]).toEqual([401, []]);
  });
});

interface Listed {
  route: string;
  status: number;
  request_id: string;
}
