/** [faults: 123; operator-interface §2 PROFILE_TTL_MS] The nodes' shared cache of sender profiles, and attacks on it in Redis. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeSharedProfiles } from '../../../src/features/profiles/shared-profiles.ts';
import type { SharedProfiles } from '../../../src/features/profiles/shared-profiles.ts';
import { newSealer } from '../../support/sealing.ts';
import { openRedis } from '../../../src/ownership/redis.ts';
import type { RedisConnections } from '../../../src/ownership/redis.ts';
import { silentLog } from '../../support/silent-log.ts';
import { Outage } from '../../../src/kernel/outage.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RedisServer, describeWithRedis } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';

const subject = {
  accountId: 'account-a',
  channelId: 'channel-1',
  connectedAt: 1,
  userId: '8800000000000001',
};
const mia = { profile: { first_name: 'Mia', profile_pic: null } };
const ttlMs = 60_000;

describeWithRedis("profiles in the nodes' shared cache", () => {
  let server: RedisServer;
  let redis: RedisConnections;
  let clock: FakeClock;
  let one: SharedProfiles;
  let two: SharedProfiles;
  beforeEach(async () => {
    server = await RedisServer.start();
    redis = await openRedis(server.url, new Outage('redis', 'of the test', silentLog));
    clock = new FakeClock();
    const options = {
      redis: redis.main,
      secret: 'of the cluster',
      sealer: newSealer(),
      clock,
    };
    one = makeSharedProfiles({ ...options, log: silentLog });
    two = makeSharedProfiles({ ...options, log: silentLog });
  });
  afterEach(async () => {
    redis.close();
    await server.stop();
  });

  test.each([[mia], [{ profile: null }]])(
    'a profile that one node has read is known to another: %j',
    async (known) => {
      await one.remember(subject, known, ttlMs);
      expect(await two.recall(subject)).toEqual(known);
    },
  );

  test.each([
    ['another account', { accountId: 'account-b' }],
    ['another channel', { channelId: 'channel-2' }],
    ['the channel connected anew', { connectedAt: 2 }],
    ['another person', { userId: '8800000000000002' }],
  ])('of %s nothing is known, wherever Redis has it', async (_, other) => {
    await one.remember(subject, mia, ttlMs);
    await one.remember({ ...subject, ...other }, { profile: null }, ttlMs);
    const [first = '', second = ''] = await redis.main.keys('trunkline:profile:*');
    expect([first, second].join()).not.toMatch(/channel|88000/);
    const values = [await redis.main.getBuffer(first), await redis.main.getBuffer(second)];
    await redis.main.set(first, values[1] ?? '');
    await redis.main.set(second, values[0] ?? '');
    expect([await two.recall(subject), await two.recall({ ...subject, ...other })]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('an entry expires with its time, even if Redis keeps it', async () => {
    await one.remember(subject, mia, ttlMs);
    const [name = ''] = await redis.main.keys('trunkline:profile:*');
    expect(await redis.main.pttl(name)).toBeGreaterThan(0);
    await redis.main.persist(name);
    clock.advance(ttlMs - 1);
    expect(await two.recall(subject)).toEqual(mia);
    clock.advance(1);
    expect(await two.recall(subject)).toBeUndefined();
  });

  test('Redis contains no readable name', async () => {
    await one.remember(subject, mia, ttlMs);
    const [name = ''] = await redis.main.keys('trunkline:profile:*');
    expect(String(await redis.main.getBuffer(name))).not.toContain('Mia');
  });

  test('garbage, another type, and no Redis at all: nothing is found, and nothing fails', async () => {
    await one.remember(subject, mia, ttlMs);
    const [name = ''] = await redis.main.keys('trunkline:profile:*');
    for (const garbage of ['', 'x', 'x'.repeat(100_000)]) {
      await redis.main.set(name, garbage);
      expect(await two.recall(subject)).toBeUndefined();
    }
    await redis.main.del(name);
    await redis.main.rpush(name, 'x');
    expect(await two.recall(subject)).toBeUndefined();
    await one.remember(subject, mia, ttlMs);
    expect(await two.recall(subject)).toEqual(mia);
    await server.kill9();
    expect(await two.recall(subject)).toBeUndefined();
    await one.remember(subject, mia, ttlMs);
  });

  test('Redis hangs: nothing is found, nothing fails, and afterwards profiles are shared again', async () => {
    await one.remember(subject, mia, ttlMs);
    server.freeze();
    expect(await server.answers()).toBe(false);
    expect(await two.recall(subject)).toBeUndefined();
    await one.remember(subject, mia, ttlMs);
    server.thaw();
    await until('a shared profile', async () => {
      await one.remember(subject, mia, ttlMs);
      return (await two.recall(subject)) !== undefined;
    });
    expect(await two.recall(subject)).toEqual(mia);
  });
});
