import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { makeSharedBuckets } from '../../../src/http/limits/shared.ts';
import { openRedis } from '../../../src/ownership/redis.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { silentLog } from '../../support/silent-log.ts';
import { Outage } from '../../../src/kernel/outage.ts';
import type { NamedLimiter } from '../../../src/http/limits/callers.ts';
import { RedisServer, describeWithRedis } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';

const perSecond = 200;
/** High enough that a slow machine does not let the bucket overflow. */
const burst = 400;
/** Requests per turn of some ms: far more than the limit. */
const asksPerTurn = 25;

interface Node {
  limiter: NamedLimiter;
  redis: Redis;
}

const cleanups: (() => Promise<void>)[] = [];
async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}

async function redisServer(): Promise<RedisServer> {
  const server = await RedisServer.start();
  cleanups.push(() => server.stop());
  return server;
}

async function node(
  server: RedisServer,
  live: number,
  log = silentLog,
  limit: [number, number] = [perSecond, burst],
): Promise<Node> {
  const connections = await openRedis(server.url, new Outage('redis', 'of the test', silentLog));
  cleanups.push(async () => connections.close());
  const { main: redis } = connections;
  const limiter = makeSharedBuckets(...limit, { redis, clock: systemClock, log, liveNodes: () => live });
  return { limiter, redis };
}

/** The present content of the key's bucket in Redis. */
async function held({ redis }: Node): Promise<number> {
  const [left, at] = await redis.hmget('trunkline:rate:key', 'left', 'at');
  const [seconds, micros] = await redis.time();
  if (typeof left !== 'string') return burst;
  const ms = Number(seconds) * 1_000 + Number(micros) / 1_000 - Number(at);
  return Math.min(burst, Number(left) + (ms / 1_000) * perSecond);
}

/** Asks each node repeatedly for this long; returns how much was granted, and the duration. */
async function press(nodes: readonly Node[], ms: number): Promise<{ granted: number; seconds: number }> {
  const from = performance.now();
  const pressed = (): number => performance.now() - from;
  let granted = 0;
  while (pressed() < ms) {
    for (const { limiter } of nodes)
      for (let asks = 0; asks < asksPerTurn; asks += 1) if (limiter.take('key') === 0) granted += 1;
    await wait(2);
  }
  return { granted, seconds: pressed() / 1_000 };
}

/** The share of a bucket's content and income that was granted or is left: 1, however fast the machine is. */
async function accounted(nodes: readonly Node[], ms: number): Promise<{ share: number; granted: number }> {
  const [first] = nodes;
  if (first === undefined) throw new Error('nobody asks');
  const before = await held(first);
  const { granted, seconds } = await press(nodes, ms);
  return { share: (granted + (await held(first))) / (before + seconds * perSecond), granted };
}

/** This many nodes of `live` ask as often as they can. */
async function busy(count: number, live = count): Promise<{ share: number; granted: number }> {
  const server = await redisServer();
  return accounted(await Promise.all(Array.from({ length: count }, () => node(server, live))), 3_000);
}

async function busyAfterAPause(): Promise<{ share: number; filled: number }> {
  const server = await redisServer();
  const nodes = [await node(server, 2), await node(server, 2)];
  await press(nodes, 1_000);
  await wait(2_200); // the bucket fills and would overflow
  const [filled] = await Promise.all(nodes.map(held));
  const { share } = await accounted(nodes, 500);
  return { share, filled: filled ?? 0 };
}

/** The node's share, which it grants by itself. */
async function busyWithoutRedis(how: 'gone' | 'frozen'): Promise<number> {
  const server = await redisServer();
  const alone = await node(server, 4);
  if (how === 'gone') await server.kill9();
  else server.freeze();
  const { granted, seconds } = await press([alone], 3_000);
  return granted / ((burst + seconds * perSecond) / 4);
}

async function busyWhenRedisIsBack(): Promise<{ share: number; logged: string[] }> {
  const server = await redisServer();
  const logged: string[] = [];
  const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line).msg) });
  const one = await node(server, 4, log);
  await press([one], 300);
  await server.kill9();
  await press([one], 500);
  await server.restart('empty');
  await until('the limit to be shared', () => {
    one.limiter.take('key');
    return logged.includes('limits.shared-again');
  });
  return { share: (await accounted([one], 2_000)).share, logged };
}

describeWithRedis(
  'the rate limit of a key over all nodes, under pressure for seconds [operator-interface §2]',
  () => {
    /** Concurrently, because each takes seconds and little CPU. */
    async function pressAll() {
      const [one, two, four, oneOfFour, again, gone, frozen, back] = await Promise.all([
        busy(1),
        busy(2),
        busy(4),
        busy(1, 4),
        busyAfterAPause(),
        busyWithoutRedis('gone'),
        busyWithoutRedis('frozen'),
        busyWhenRedisIsBack(),
      ]);
      return { one, two, four, oneOfFour, again, gone, frozen, back };
    }
    let granted: Awaited<ReturnType<typeof pressAll>>;
    beforeAll(async () => {
      granted = await pressAll();
    });
    afterAll(cleanUp);

    function expectWhole(share: number): void {
      expect(share).toBeGreaterThan(0.9);
      expect(share).toBeLessThan(1.1);
    }

    test.each(['one', 'two', 'four'] as const)(
      '%s busy nodes together grant the limit, within a tenth',
      (count) => expectWhole(granted[count].share),
    );

    test('one busy node among four may use the whole limit', () => {
      expectWhole(granted.oneOfFour.share);
      expect(granted.oneOfFour.granted).toBeGreaterThan((burst + 3 * perSecond) / 2);
    });

    test('after a pause the bucket is full, and holds one burst', () => {
      expect(granted.again.filled).toBe(burst);
      expectWhole(granted.again.share);
    });

    test.each(['gone', 'frozen'] as const)(
      'with Redis %s a node grants its share of the limit [architecture §7]',
      (how) => expectWhole(granted[how]),
    );

    test('when Redis is back, empty, the limit is shared again', () => {
      expectWhole(granted.back.share);
      expect(granted.back.logged).toEqual(['limits.own-share', 'limits.shared-again']);
    });
  },
);

describeWithRedis('the rate limit of a key over all nodes [operator-interface §2]', () => {
  let server: RedisServer;
  beforeEach(async () => {
    server = await redisServer();
  });
  afterEach(cleanUp);

  test('keys do not share a bucket', async () => {
    const { limiter } = await node(server, 1, silentLog, [1, 5]);

    const refusedOf = (key: string): number =>
      Array.from({ length: 5 }, () => limiter.take(key)).filter((seconds) => seconds > 0).length;

    refusedOf('key');
    expect(refusedOf('key')).toBeGreaterThan(0);
    expect(refusedOf('other')).toBe(0);
  });

  test("a key's first request on a node is granted, however small its share", async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => node(server, 300, silentLog, [1, 1])));

    expect(nodes.map(({ limiter }) => limiter.take('key'))).toEqual([0, 0, 0]);
  });

  test('a refusal has a waiting time of whole seconds, at least one', async () => {
    const { limiter } = await node(server, 1, silentLog, [0.2, 1]);
    await until('a refusal', () => limiter.take('key') > 0);

    const seconds = limiter.take('key');

    expect([Number.isInteger(seconds), seconds > 1, seconds <= 5]).toEqual([true, true, true]);
  });
});

describe('the rate limit of a key', () => {
  test('0 turns it off', async () => {
    const redis = await openRedis('redis://127.0.0.1:1', new Outage('redis', 'of the test', silentLog));
    const limiter = makeSharedBuckets(0, 0, {
      redis: redis.main,
      clock: systemClock,
      log: silentLog,
      liveNodes: () => 1,
    });
    redis.close();

    expect(Array.from({ length: 1_000 }, () => limiter.take('key')).every((seconds) => seconds === 0)).toBe(
      true,
    );
  });
});
