/** [architecture §7; faults: 4a, I1 to I8] A cluster under load, with one fault at a time; no node is restarted to recover. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { setTimeout as wait } from 'node:timers/promises';
import { clusterHookMs, describeCluster, leaseTtlMs, ServiceCluster } from '../support/cluster.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { resendAfterMs, Storm, stormSettings } from './support/storm.ts';
import type { Ended } from './support/storm.ts';
import { longOutages } from './support/redis-outages.ts';
import type { RedisOutage } from './support/redis-outages.ts';
import { countPosts, refusedPosts } from './support/upstream-posts.ts';

jest.setTimeout(120_000);

// Waits in this file are the durations of faults.

describeCluster('a cluster of three nodes under load', (source) => {
  let cluster: ServiceCluster;
  let channels: Channel[];
  /** The channel whose owner has the fault. */
  let struck: Channel;
  beforeAll(async () => {
    // The struck node must own the channel: its sends, of which a busy machine may bring sixteen in a row through one node, move it nowhere.
    cluster = await ServiceCluster.start(source, {
      env: { ...stormSettings, CHANNELS_FOLLOW_SENDS: '0' },
    });
    const account = await newAccount(cluster.world.service);
    struck = await cluster.world.connect(account, 'chatapp');
    channels = [struck, await cluster.world.connect(await newAccount(cluster.world.service), 'pagechat')];
  }, clusterHookMs);
  afterAll(() => cluster.close());
  afterEach(() => cluster.heal());

  /** Sends refused during the last storm. */
  let refused: Ended[] = [];
  /** The answers of upstream's POSTs of the last storm that were not 200 at once. */
  let refusedOfUpstream: number[][] = [];

  /** Runs load before, during and after the fault, waits until everything has settled, and returns the oracle's findings. */
  async function storm(name: string, fault: (storm: Storm) => Promise<void>): Promise<string[]> {
    const posts = await countPosts(cluster.simulator);
    const running = new Storm(cluster, channels);
    try {
      await running.flows(10);
      await fault(running);
      await running.flows(10);
    } finally {
      await running.stop();
    }
    await cluster.heal();
    await running.settled();
    process.stderr.write(`${name}: ${running.counts()}; longest gap ${running.longestGap()} ms\n`);
    refused = running.refused();
    refusedOfUpstream = await refusedPosts(cluster.simulator, posts);
    return running.findings(resendAfterMs);
  }

  test('the owner gets kill -9: nothing accepted is lost and at most two copies reach upstream', async () => {
    const found = await storm('kill -9', async () => {
      await (await cluster.ownerOf(struck)).kill9();
    });
    expect(found).toEqual([]);
  });

  test('the owner is frozen beyond its lease and continued: its claims are void and its facts stay valid', async () => {
    const found = await storm('SIGSTOP', async (running) => {
      const owner = await cluster.ownerOf(struck);
      const other = cluster.nodes.find((node) => node !== owner);
      owner.freeze();
      await owner.silent();
      await wait(leaseTtlMs + 1_000);
      await running.serves();
      expect(await cluster.ownerOf(struck, other)).not.toBe(owner);
      owner.thaw();
    });
    expect(found).toEqual([]);
    expect(refused).toEqual([]);
  });

  test('the owner is frozen within its lease: sends are on record and answered `queued`, and each reaches upstream once', async () => {
    await cluster.settled([struck]);
    const owner = await cluster.ownerOf(struck);
    const usual = owner.env['LEASE_TTL_MS'] ?? '';
    owner.env['LEASE_TTL_MS'] = '60000';
    await owner.kill9();
    await owner.start();
    await cluster.linked();
    await cluster.settled([struck]);
    const found = await storm('SIGSTOP within the lease', async (running) => {
      expect(await cluster.ownerOf(struck)).toBe(owner);
      owner.freeze();
      await owner.silent();
      const before = running.ended.length;
      const isAnswered = ({ channel, status }: Ended): boolean => channel === struck && status === 'queued';
      await until(
        'five queued sends',
        () => running.ended.slice(before).filter(isAnswered).length >= 5,
        60_000,
      );
      owner.thaw();
    });
    owner.env['LEASE_TTL_MS'] = usual;
    await owner.kill9();
    await owner.start();
    expect([found, refused]).toEqual([[], []]);
  });

  test('the owner is cut off from Redis: it continues, no send is refused, and its reconnection has no effect', async () => {
    const found = await storm('partition from Redis', async (running) => {
      const owner = await cluster.ownerOf(struck);
      owner.proxies.redis.blackHole();
      await wait(leaseTtlMs + 1_000);
      await running.serves();
      expect(owner.proxies.redis.fired).toBeGreaterThan(0);
      owner.proxies.redis.heal();
      await owner.ready();
    });
    expect([found, refused, refusedOfUpstream]).toEqual([[], [], []]);
  });

  test('the owner is cut off from MongoDB: it refuses what it cannot store, and recovers by itself', async () => {
    const found = await storm('partition from MongoDB', async () => {
      const owner = await cluster.ownerOf(struck);
      owner.proxies.mongo.blackHole();
      await wait(leaseTtlMs);
      expect(owner.proxies.mongo.fired).toBeGreaterThan(0);
      owner.proxies.mongo.heal();
      await owner.ready();
    });
    expect(found).toEqual([]);
  });

  /** Resolves once the outage is longer than the rest of every lease, so that no node is sure of its ownership. */
  async function everyLeaseUnsure(running: Storm): Promise<void> {
    await leasesAre(0);
    await running.serves();
    await running.flows(5);
  }

  /** Waits until the metric of every running node says that its lease is certain (1) or not (0). */
  function leasesAre(certain: 0 | 1): Promise<unknown> {
    return until(`every lease to be ${certain === 1 ? 'certain' : 'uncertain'}`, async () => {
      const running = cluster.nodes.filter(({ isRunning }) => isRunning);
      const metrics = await Promise.all(running.map((node) => node.metrics()));
      return metrics.every((text) => text.includes(`trunkline_lease_valid ${certain}`));
    });
  }

  test.each(longOutages.map((outage): [string, RedisOutage] => [outage.name, outage]))(
    'Redis is %s: no send and no POST of upstream is refused, and its return has no effect',
    async (name, outage) => {
      const epochs = (): Promise<unknown[]> =>
        Promise.all(
          channels.map(async ({ id }) => (await cluster.live().admin('GET', `/channels/${id}`)).body.epoch),
        );
      let before: unknown[] = [];
      // A node that was just started gets its channels back.
      await cluster.settled(channels);
      const found = await storm(`Redis ${name}`, async (running) => {
        before = await epochs();
        await outage.begin(cluster);
        await outage.struck(cluster);
        await everyLeaseUnsure(running);
        await outage.struck(cluster);
        await outage.end(cluster);
        await leasesAre(1);
      });
      expect([found, refused, refusedOfUpstream]).toEqual([[], [], []]);
      expect(await epochs()).toEqual(before);
    },
  );

  test("Redis and the owner are killed: other nodes take the owner's channels, and no send is refused", async () => {
    const found = await storm('Redis and the owner killed', async (running) => {
      const owner = await cluster.ownerOf(struck);
      await cluster.redis.kill9();
      await owner.kill9();
      await everyLeaseUnsure(running);
      await cluster.redis.restart('empty');
    });
    expect([found, refused]).toEqual([[], []]);
  });

  test('the primary of MongoDB steps down for 3 s: sends wait and continue', async () => {
    const found = await storm('stepdown', async (running) => {
      await cluster.mongo.stepDown(3);
      await wait(3_000);
      await running.flows(5);
      // [architecture §7: Mongo fails over, < 5 s] No send is refused.
      expect(running.ended.filter(({ code }) => code !== 200)).toEqual([]);
    });
    expect(found).toEqual([]);
  });

  test('MongoDB is killed and restarted: every acknowledged write is there', async () => {
    const found = await storm('MongoDB kill -9', async () => {
      await cluster.mongo.kill9();
      await wait(1_000);
      await cluster.mongo.restart();
    });
    expect(found).toEqual([]);
  });
});
