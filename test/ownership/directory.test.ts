/** [architecture §4] The owners of channels, in a real Redis and in a node's cache. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { Directory } from '../../src/ownership/directory.ts';
import { keys } from '../../src/ownership/keys.ts';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';

const [self, other] = ['self:1', 'other:1'];
const channels = (count: number): string[] => Array.from({ length: count }, (_, n) => `channel-${n}`);

describeWithRedis('the directory', () => {
  let server: RedisServer;
  let redis: Redis;
  let directory: Directory;
  /** The directory as another node sees it. */
  let theirs: Directory;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await redis.flushall();
    for (const incarnation of [self, other]) await redis.set(keys.lease(incarnation), '1');
    [directory, theirs] = [new Directory(redis, self), new Directory(redis, other)];
  });

  test('names the owner of a claimed channel to all', async () => {
    expect(await directory.find('channel-1')).toBeNull();
    expect(directory.remembered('channel-1')).toBeUndefined();
    expect(await directory.claim('channel-1')).toBe(self);
    expect([await theirs.find('channel-1'), await theirs.claim('channel-1')]).toEqual([self, self]);
    expect([directory.remembered('channel-1'), theirs.remembered('channel-1')]).toEqual([self, self]);
  });

  test('gives a channel whose owner has no lease to the next node, and none to a node without a lease', async () => {
    await directory.claim('channel-1');
    await redis.del(keys.lease(self));
    expect(await theirs.find('channel-1')).toBeNull();
    expect(await directory.claim('channel-2')).toBeNull();
    expect(await theirs.claim('channel-1')).toBe(other);
    expect([await theirs.ownedBy(self), await theirs.ownedBy(other)]).toEqual([[], ['channel-1']]);
  });

  test('answers many look-ups at once, each on its own', async () => {
    const all = channels(450);
    const claimed = await Promise.all(all.map((id, n) => (n % 3 === 0 ? theirs : directory).claim(id)));
    expect(claimed).toEqual(all.map((_, n) => (n % 3 === 0 ? other : self)));
    expect(await Promise.all(all.map((id) => directory.find(id)))).toEqual(claimed);
    expect([await directory.countOwnedBy(self), await directory.countOwnedBy(other)]).toEqual([300, 150]);
    expect(directory.size).toBe(450);
  });

  test('frees a channel for all, and removes it from the cache', async () => {
    for (const id of channels(2)) await directory.claim(id);
    await directory.release('channel-0');
    expect([await theirs.find('channel-0'), await theirs.find('channel-1')]).toEqual([null, self]);
    expect([directory.remembered('channel-0'), directory.size]).toEqual([undefined, 1]);
    expect(await directory.ownedBy(self)).toEqual(['channel-1']);
  });

  test('does not free a channel that another node has by now', async () => {
    await directory.claim('channel-1');
    await redis.hset(keys.owners, 'channel-1', other);
    await directory.release('channel-1');
    expect(await directory.find('channel-1')).toBe(other);
  });

  test('removes from the cache what is evicted: a channel, or all of an owner', () => {
    directory.remember('channel-1', self);
    directory.remember('channel-2', other);
    directory.remember('channel-3', other);
    directory.evict('channel-1');
    expect([directory.remembered('channel-1'), directory.size]).toEqual([undefined, 2]);
    directory.remember('channel-1', self);
    directory.evictOwner(other);
    expect([directory.remembered('channel-1'), directory.size]).toEqual([self, 1]);
  });

  test('lists what a node has claimed, and removes entries that are too long to be channel ids', async () => {
    const [longest, tooLong] = ['c'.repeat(100), 'c'.repeat(101)];
    await redis.sadd(keys.owned(other), longest, tooLong);
    expect(await directory.ownedBy(other)).toEqual([longest]);
    expect(await redis.smembers(keys.owned(other))).toEqual([longest]);
  });

  test('removes entries that are no channel ids, however many', async () => {
    const all = channels(401);
    await redis.sadd(keys.owned(other), ...all, 'channel-x');
    await directory.disown(other, all);
    expect(await directory.ownedBy(other)).toEqual(['channel-x']);
    await directory.disown(other, []);
    expect(await directory.countOwnedBy(other)).toBe(1);
  });

  test('frees the channels of a dead node, in the cache and for all', async () => {
    await theirs.claim('channel-1');
    await directory.find('channel-1');
    await directory.declareDead(other);
    expect([directory.size, await directory.find('channel-1')]).toEqual([0, null]);
    expect(await directory.claim('channel-1')).toBe(self);
  });

  test('replaces values that no node wrote', async () => {
    await redis.set(keys.owners, 'no hash');
    expect(await directory.find('channel-1')).toBeNull();
    expect(await directory.claim('channel-1')).toBe(self);
  });
});
