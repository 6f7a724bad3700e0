import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeSharedBuckets } from '../../src/adapters/limits/shared.ts';
import { openRedis } from '../../src/cluster/redis.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { makeLog, silentLog } from '../../src/kernel/log.ts';
import type { RateLimiter } from '../../src/use-cases/ports/accounts.ts';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';

const perSecond = 200;
const burst = 100;

/** Asks each limiter as often as it can for this long; answers how much was granted, and what may have been. */
async function press(limiters: RateLimiter[], ms: number): Promise<{ granted: number; limit: number }> {
  const from = performance.now();
  let granted = 0;
  while (performance.now() - from < ms) {
    for (const limiter of limiters) if (limiter.take('key') === 0) granted += 1;
    await nextTurn();
  }
  return { granted, limit: burst + ((performance.now() - from) / 1_000) * perSecond };
}

describeWithRedis('the rate limit of a key over all nodes [operator-interface §2]', () => {
  let server: RedisServer;
  let cleanups: (() => void)[];
  beforeEach(async () => {
    cleanups = [];
    server = await RedisServer.start();
  });
  afterEach(async () => {
    for (const cleanup of cleanups) cleanup();
    await server.stop();
  });

  async function node(live: number, log = silentLog, limit: [number, number] = [perSecond, burst]) {
    const redis = await openRedis(server.url, silentLog);
    cleanups.push(() => redis.close());
    return makeSharedBuckets(...limit, { redis: redis.main, clock: systemClock, log, liveNodes: () => live });
  }

  test.each([1, 2, 4])('%i busy nodes grant the limit together, within a tenth', async (count) => {
    const limiters = await Promise.all(Array.from({ length: count }, () => node(count)));

    const { granted, limit } = await press(limiters, 3_000);

    expect(granted / limit).toBeGreaterThan(0.9);
    expect(granted / limit).toBeLessThan(1.1);
  });

  test('one busy node among four may use the whole limit', async () => {
    const { granted, limit } = await press([await node(4)], 3_000);

    expect(granted / limit).toBeGreaterThan(0.9);
    expect(granted / limit).toBeLessThan(1.1);
  });

  test('keys do not share a bucket', async () => {
    const limiter = await node(1);
    await press([limiter], 700);

    const refusedOf = (key: string): number =>
      Array.from({ length: 50 }, () => limiter.take(key)).filter((wait) => wait > 0).length;

    expect(refusedOf('key')).toBeGreaterThan(0);
    expect(refusedOf('other')).toBe(0);
  });

  test('a key’s first request on a node is granted, however small its share', async () => {
    const limiters = await Promise.all([1, 2, 3].map(() => node(300, silentLog, [1, 1])));

    expect(limiters.map((limiter) => limiter.take('key'))).toEqual([0, 0, 0]);
  });

  test('a refusal tells whole seconds to wait, at least one', async () => {
    const limiter = await node(1, silentLog, [0.2, 1]);
    await until('a refusal', () => limiter.take('key') > 0);

    const wait = limiter.take('key');

    expect([Number.isInteger(wait), wait > 1, wait <= 5]).toEqual([true, true, true]);
  });

  test('after a pause the bucket has filled again', async () => {
    const limiters = [await node(2), await node(2)];
    await press(limiters, 1_000);

    // In 600 ms the bucket fills and overflows.
    const { granted, limit } = await new Promise<Awaited<ReturnType<typeof press>>>((resolve) => {
      setTimeout(() => void press(limiters, 1_000).then(resolve), 600);
    });

    expect(granted / limit).toBeGreaterThan(0.9);
    expect(granted / limit).toBeLessThan(1.1);
  });

  test.each(['gone', 'frozen'])(
    'with Redis %s a node grants its share of the limit [architecture §7]',
    async (how) => {
      const limiter = await node(4);
      if (how === 'gone') await server.kill9();
      else server.freeze();

      const { granted, limit } = await press([limiter], 3_000);

      expect(granted / (limit / 4)).toBeGreaterThan(0.9);
      expect(granted / (limit / 4)).toBeLessThan(1.1);
    },
  );

  test('when Redis is back, empty, the limit is shared again', async () => {
    const logged: string[] = [];
    const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line).msg) });
    const limiter = await node(4, log);
    await press([limiter], 300);
    await server.kill9();
    await press([limiter], 500);
    await server.restart('empty');
    await until('the limit to be shared', () => {
      limiter.take('key');
      return logged.includes('limits.shared-again');
    });
    await press([limiter], 600); // what an empty Redis takes for a full burst

    const from = performance.now();
    const { granted } = await press([limiter], 2_000);

    expect(granted / (((performance.now() - from) / 1_000) * perSecond)).toBeGreaterThan(0.9);
    expect(granted / (((performance.now() - from) / 1_000) * perSecond)).toBeLessThan(1.1);
    expect(logged).toEqual(['limits.own-share', 'limits.shared-again']);
  });
});

describe('the rate limit of a key', () => {
  test('0 turns it off', async () => {
    const redis = await openRedis('redis://127.0.0.1:1', silentLog);
    const limiter = makeSharedBuckets(0, 0, {
      redis: redis.main,
      clock: systemClock,
      log: silentLog,
      liveNodes: () => 1,
    });
    redis.close();

    expect(Array.from({ length: 1_000 }, () => limiter.take('key')).every((wait) => wait === 0)).toBe(true);
  });
});
