import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { makeGuessLimit, makePacedQueue } from '../../src/http/middleware/failed-auth.ts';
import type { GuessLimit } from '../../src/http/middleware/failed-auth.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { fault, StoreUnavailable } from '../../src/kernel/faults.ts';
import type { CallerLookup } from '../../src/http/options.ts';
import { authenticate } from '../../src/features/accounts/keys.ts';
import type { World } from '../../src/features/world.ts';
import { routesOver } from '../../src/http/route.ts';
import { noBody } from '../../src/http/validation/request-body.ts';
import { silentLog } from '../support/silent-log.ts';
import { openHouse } from './house.ts';
import type { House } from './house.ts';
import {
  adminToken,
  apiKey,
  asOwner,
  keyCaller,
  optionsOver,
  serve,
  StillClock,
  wrongKey,
} from './support.ts';
import type { Running } from './support.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

let service: Running;
afterEach(() => service.stop());

const asked: string[] = [];
const callers: CallerLookup = {
  known: () => null,
  authenticate(key) {
    asked.push(key);
    return authenticate(house.world, key);
  },
};

async function start(given: Partial<ServerOptions<World>> = {}): Promise<void> {
  asked.length = 0;
  service = await house.run({ callers, ...given });
}

const path = '/api/v1/redirects';
const unauthorized = [401, { detail: 'Missing or invalid API key' }];

describe('X-API-Key', () => {
  test('the right key is accepted', async () => {
    await start();
    expect((await service.api(path)).status).toBe(200);
    expect(asked).toEqual([apiKey]);
  });

  test('an unknown key is 401', async () => {
    await start();
    const answer = await service.ask(path, { headers: { 'x-api-key': wrongKey } });
    expect([answer.status, answer.body]).toEqual(unauthorized);
    expect(asked).toEqual([wrongKey]);
  });

  test.each([
    ['only the prefix', 'mip_live_'],
    ['another prefix', `sk_live_${'k'.repeat(44)}`],
    ['one character short', apiKey.slice(0, -1)],
    ['10 KB', `mip_live_${'k'.repeat(10_000)}`],
    ['a quote inside', apiKey.replace('kk', "k'")],
    ['a bearer', `Bearer ${apiKey}`],
  ])('%s is 401 with the same body, and the store is not asked', async (_name, key) => {
    await start();
    const answer = await service.ask(path, { headers: { 'x-api-key': key } });
    expect([answer.status, answer.body]).toEqual(unauthorized);
    expect(asked).toEqual([]);
  });

  test('two headers are 401, even with the right key twice', async () => {
    await start();
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${apiKey}\r\nX-API-Key: ${apiKey}`;
    expect(await service.raw(`${head}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
    expect(asked).toEqual([]);
  });
});

/** The slots of the slow lane are freed when the test says so. */
class PlaceClock extends StillClock {
  readonly delays: number[] = [];
  readonly #fires: (() => void)[] = [];
  override after = (delayMs = 0, fire = (): void => {}) => {
    this.delays.push(delayMs);
    this.#fires.push(fire);
    return () => {};
  };
  fire(): void {
    for (const fire of this.#fires.splice(0)) fire();
  }
}

/** Resolves once every promise that can continue has continued. */
const tick = () => new Promise((resolve) => setImmediate(resolve));

const at = (address: string) => ({ address, connection: {}, isGone: () => false });

async function failAt(limit: GuessLimit, address: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await limit.check(at(address), `wrong-${n}`, async () => null);
}

describe('guessing keys', () => {
  const guess = (count: number, headers: Record<string, string> = {}) =>
    Promise.all(
      Array.from({ length: count }, () =>
        service.ask(path, { headers: { 'x-api-key': wrongKey, ...headers } }),
      ),
    );

  test('an address with many failures gets 429 with Retry-After', async () => {
    await start();
    expect((await guess(100)).map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 401));
    const [answer] = await guess(1);
    expect([answer?.status, answer?.headers.get('retry-after')]).toEqual([429, '1']);
  });

  test('the networks of one IPv6 site may fail as often as eight of them; other sites are not limited', async () => {
    const limit = makeGuessLimit(new PlaceClock());
    const wrong = (address: string) => limit.check(at(address), 'wrong', async () => null);
    for (let n = 0; n < 80; n += 1) await failAt(limit, `2001:db8:0:${n}::/64`, 10);
    await expect(wrong('2001:db8:0:ffff::/64')).rejects.toMatchObject({ status: 429 });
    expect(await wrong('2001:db8:1:ffff::/64')).toBeNull();
  });

  test('beyond the limit, guesses cause at most 8 look-ups in the store per 10 ms', async () => {
    await start();
    const clock = new PlaceClock();
    const slowly = makePacedQueue(clock);
    let lookUps = 0;
    const guesses = Array.from({ length: 20 }, (_, n) =>
      slowly(async () => {
        lookUps += 1;
        return n;
      }),
    );
    await tick();
    expect([lookUps, clock.delays]).toEqual([8, Array.from({ length: 8 }, () => 10)]);
    clock.fire();
    await tick();
    expect(lookUps).toBe(16);
    clock.fire();
    expect(await Promise.all(guesses)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  test('a failed look-up frees its slot', async () => {
    await start();
    const clock = new PlaceClock();
    const slowly = makePacedQueue(clock);
    const lost = Array.from({ length: 8 }, () => slowly(() => Promise.reject(new StoreUnavailable('x'))));
    const statuses = (await Promise.allSettled(lost)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 8 }, () => 'rejected'));
    clock.fire();
    expect(await slowly(() => Promise.resolve(1))).toBe(1);
  });

  test('a valid key that is used for the first time is accepted while its address is locked', async () => {
    await start();
    await guess(104);
    expect((await service.api(path)).status).toBe(200);
  });

  test('a key that was valid before is accepted at once, until it is revoked', async () => {
    await start();
    const clock = new StillClock();
    const limit = makeGuessLimit(clock);
    const right = async () => 'found';
    const wrong = async () => null;
    await limit.check(at('192.0.2.1'), apiKey, right);
    clock.at += 86_400_000;
    await failAt(limit, '192.0.2.1', 100);
    expect(await limit.check(at('192.0.2.1'), apiKey, right)).toBe('found');
    expect(await limit.check(at('192.0.2.1'), apiKey, wrong)).toBe(null);
    await expect(limit.check(at('192.0.2.1'), apiKey, wrong)).rejects.toMatchObject({ code: 'guessing' });
  });

  test('concurrent guesses count together: of ten thousand at once not all are looked up', async () => {
    await start();
    const limit = makeGuessLimit(new PlaceClock());
    let lookUps = 0;
    const lookUp = (): Promise<null> => {
      lookUps += 1;
      return new Promise(() => {});
    };
    for (let n = 0; n < 10_000; n += 1) void limit.check(at('192.0.2.1'), `key-${n}`, lookUp);
    await tick();
    expect(lookUps).toBe(100 + 8);
  });

  test('a connection has one guess in the queue, and the same secret again waits for it', async () => {
    await start();
    const clock = new PlaceClock();
    const limit = makeGuessLimit(clock);
    await failAt(limit, '192.0.2.1', 100);
    const connection = at('192.0.2.1');
    const lookedUp: string[] = [];
    const lookUp = (key: string) => async () => {
      lookedUp.push(key);
      return key === 'right' ? key : null;
    };
    const first = limit.check(connection, 'right', lookUp('right'));
    const same = limit.check(connection, 'right', lookUp('right'));
    const other = limit.check(connection, 'other', lookUp('other'));
    await expect(other).rejects.toMatchObject({ code: 'guessing', retryAfterSeconds: 1 });
    expect(await Promise.all([first, same])).toEqual(['right', 'right']);
    expect(lookedUp).toEqual(['right', 'right']);
  });

  test('X-Forwarded-For does not change the counted address', async () => {
    await start();
    await guess(100);
    const [answer] = await guess(1, { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' });
    expect(answer?.status).toBe(429);
  });

  test('a key that was valid before is not locked out by others at its address', async () => {
    await start();
    expect((await service.api(path)).status).toBe(200);
    await guess(108);
    expect((await service.api(path)).status).toBe(200);
  });

  test('the address is unlocked with time', async () => {
    const clock = new StillClock();
    await start({ clock });
    await guess(101);
    clock.at += 1_000;
    const statuses = (await guess(11)).map(({ status }) => status);
    expect([401, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([10, 1]);
  });

  test('behind trusted proxies the counted address is the one that the first of them saw', async () => {
    await start({ trustProxyHops: 2 });
    const through = (client: string) => ({ 'x-forwarded-for': `203.0.113.1, ${client}, 10.0.0.7` });
    await guess(100, through('198.51.100.1'));
    expect((await guess(1, through('198.51.100.1')))[0]?.status).toBe(429);
    expect((await guess(1, through('198.51.100.2')))[0]?.status).toBe(401);
  });

  test.each(['unknown', '', '_hidden', '1.2.3.4:x'])(
    "an entry that is no address (%j) is ignored: the socket's address counts",
    async (entry) => {
      await start({ trustProxyHops: 1 });
      await guess(100, { 'x-forwarded-for': entry });
      expect((await guess(1))[0]?.status).toBe(429);
    },
  );
});

describe('the rate limit', () => {
  test('429 with detail and Retry-After', async () => {
    const counted: unknown[] = [];
    await start({ rateLimiter: { take: (who) => counted.push(who) && 3 } });
    const answer = await service.api(path);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '3']);
    expect(answer.body).toEqual({ detail: 'Rate limit exceeded; retry after the time in Retry-After' });
    expect(counted).toEqual([keyCaller]);
  });

  test('waits are whole seconds, at least one', async () => {
    await start({ rateLimiter: { take: () => 0.2 } });
    expect((await service.api(path)).headers.get('retry-after')).toBe('1');
  });
});

describe('load shedding', () => {
  test('a node that is too far behind answers only sends with 503 and Retry-After', async () => {
    await start({ eventLoopDelayMs: () => 2_000 });
    const send = await service.api('/api/v1/messages/send', { method: 'POST', body: {} });
    expect([send.status, send.headers.get('retry-after')]).toEqual([503, '1']);
    expect(send.body).toEqual({ detail: expect.stringContaining('nothing was sent') });
    expect((await service.api(path)).status).toBe(200);
  });

  test('and POSTs of people at the portal, but no pages', async () => {
    await start({ eventLoopDelayMs: () => 2_000 });
    const headers = asOwner;
    const posted = await service.ask('/portal/keys', { method: 'POST', headers });
    expect([posted.status, posted.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await service.ask('/portal/keys', { headers })).status).toBe(200);
  });

  test('the real gauge of an idle process sheds no load', async () => {
    await start({ eventLoopDelayMs: undefined });
    expect((await service.api('/api/v1/messages/send', { method: 'POST', body: {} })).status).toBe(422);
  });
});

describe('the admin token', () => {
  test.each([
    ['none', undefined],
    ['empty', 'Bearer '],
    ['wrong', 'Bearer wrong'],
    ['a prefix of it', `Bearer ${adminToken.slice(0, -1)}`],
    ['more than it', `Bearer ${adminToken}x`],
    ['another scheme', `Basic ${adminToken}`],
    ['very long', `Bearer ${'x'.repeat(8_000)}`],
  ])('%s: 401 with detail', async (_name, authorization) => {
    await start();
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await service.ask('/admin/v1/nodes', { headers });
    expect([answer.status, answer.body]).toEqual([401, { detail: 'Missing or invalid admin token' }]);
  });

  test('an API key gives no access to admin routes', async () => {
    await start();
    expect((await service.api('/admin/v1/nodes')).status).toBe(401);
  });

  test('wrong tokens are limited like wrong keys; the right one is accepted', async () => {
    await start();
    const guess = (token: string) =>
      service.ask('/admin/v1/nodes', { headers: { authorization: `Bearer ${token}` } });
    for (let n = 0; n < 100; n += 1) expect((await guess(`guess-${n}`)).status).toBe(401);
    const answer = await guess('one-more');
    expect([answer.status, answer.headers.get('retry-after'), answer.body]).toEqual([
      429,
      '1',
      { detail: 'Too many wrong keys from this address; retry after the time in Retry-After' },
    ]);
    expect((await guess(adminToken)).status).toBe(200);
  });

  test('without a configured token nobody has access', async () => {
    await start({ adminToken: '' });
    for (const authorization of ['Bearer', 'Bearer ', 'Bearer x']) {
      expect((await service.ask('/admin/v1/nodes', { headers: { authorization } })).status).toBe(401);
    }
  });
});

/** A route whose function fails. */
const { apiRoute } = routesOver<{ fail: () => Promise<never> }>();
const failingRoute = apiRoute({
  get: path,
  name: 'fails',
  tag: 'Test',
  needs: ['admin'],
  summary: 'Fails',
  body: noBody,
  does: (_call, { world }) => world.fail(),
});

describe('failures of a function', () => {
  const failing = async (error: unknown, log = silentLog): Promise<void> => {
    const world = { fail: () => Promise.reject(error) };
    service = await serve(optionsOver({ routes: [failingRoute], world }, { log }));
  };

  test('a fault: its status and its detail', async () => {
    await failing(fault('licence_inactive', { status: 'expired' }));
    const answer = await service.api(path);
    expect([answer.status, answer.body]).toEqual([
      402,
      { detail: "The channel's licence is not active (status: expired)" },
    ]);
  });

  test('a fault with a code: an object', async () => {
    await failing(fault('text_too_long', { limit: 4096, length: 5000, channel_type: 'chatapp' }));
    const { status, body } = await service.api(path);
    expect([status, body]).toEqual([
      400,
      {
        detail: {
          code: 'text_too_long',
          message: 'text has 5000 characters; chatapp allows 4096',
          limit: 4096,
          length: 5000,
          channel_type: 'chatapp',
        },
      },
    ]);
  });

  test('a store that is down: 503 with Retry-After', async () => {
    await failing(new StoreUnavailable('connect ECONNREFUSED 10.1.2.3'));
    const { status, body, headers } = await service.api(path);
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(JSON.stringify(body)).not.toContain('10.1.2.3');
  });

  test('any other error: 500 without details, logged once with the request id', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (fields: Record<string, unknown>) => void lines.push(fields),
      child: () => log,
    };
    await failing(new TypeError('secret of ours'), log);
    const { status, body, headers } = await service.api(path);
    expect([status, body]).toEqual([500, { detail: 'Internal error' }]);
    expect(lines).toEqual([
      { request_id: headers.get('x-request-id'), method: 'GET', error: new TypeError('secret of ours') },
    ]);
  });

  test('a thrown value need not be an Error', async () => {
    await failing('a string');
    expect((await service.api(path)).status).toBe(500);
  });
});
