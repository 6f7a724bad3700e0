/** [docs/operating/scaling.md] What a node says about its Redis when it starts. */
import { afterEach, expect, test } from '@jest/globals';
import { checkRedis } from '../../src/app/redis-checks.ts';
import { openRedis } from '../../src/ownership/redis.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { Outage } from '../../src/kernel/outage.ts';
import { describeWithRedis, RedisServer } from '../support/redis-server.ts';
import { silentLog } from '../support/silent-log.ts';
import { until } from '../support/until.ts';

describeWithRedis('a Redis', () => {
  let server: RedisServer;
  afterEach(() => server.stop());

  async function toldOf(options: Record<string, string>, database = ''): Promise<unknown[]> {
    server = await RedisServer.start(options);
    const told: unknown[] = [];
    const redis = await openRedis(`${server.url}${database}`, new Outage('redis', '', silentLog));
    const log = makeLog('info', { write: (line) => void told.push(JSON.parse(line)) });
    await checkRedis(redis.main, log).finally(() => redis.close());
    return told;
  }

  test('that lacks the database of REDIS_URL ends the start', async () => {
    await expect(toldOf({ databases: '1' }, '/1')).rejects.toMatchObject({
      name: 'StartError',
      message: 'REDIS_URL names the database 1, and Redis refuses it: ERR DB index is out of range',
    });
  });

  test('that has it does not', async () => {
    expect(await toldOf({ databases: '2' }, '/1')).toEqual([]);
  });

  test.each(['allkeys-lru', 'volatile-ttl'])('that evicts keys by %s is warned of', async (policy) => {
    expect(await toldOf({ maxmemory: '50mb', 'maxmemory-policy': policy })).toMatchObject([
      { level: 'warn', msg: 'redis.evicts-keys', policy, maxmemory: 52_428_800 },
    ]);
  });

  test('that evicts keys later is warned of when the node looks again, and when it is connected again [faults: 558]', async () => {
    server = await RedisServer.start({ maxmemory: '50mb' });
    const told: unknown[] = [];
    const redis = await openRedis(server.url, new Outage('redis', '', silentLog));
    const log = makeLog('info', { write: (line) => void told.push(JSON.parse(line)) });
    const lookAgain = await checkRedis(redis.main, log);
    await redis.lease.config('SET', 'maxmemory-policy', 'allkeys-random');
    lookAgain();
    await until('the warning', () => told.length > 0);
    await redis.lease.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await redis.lease.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await until('another warning', () => told.length > 1);
    redis.close();
    expect(told).toMatchObject([
      { msg: 'redis.evicts-keys', policy: 'allkeys-random' },
      { msg: 'redis.evicts-keys', policy: 'allkeys-lru' },
    ]);
  });

  test.each<[string, Record<string, string>]>([
    ['refuses writes when it is full', { maxmemory: '50mb', 'maxmemory-policy': 'noeviction' }],
    ['has no bound', { 'maxmemory-policy': 'allkeys-lru' }],
  ])('that %s is not', async (_, options) => {
    expect(await toldOf(options)).toEqual([]);
  });
});
