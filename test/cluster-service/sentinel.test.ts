/** [architecture §7; faults: 13] Redis behind three Sentinels: its primary is killed or frozen under load. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { RedisSentinels } from '../support/redis-sentinels.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { connectAll } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { resendAfterMs, Storm, stormSettings } from './support/storm.ts';
import type { Ended } from './support/storm.ts';
import { countPosts, refusedPosts } from './support/upstream-posts.ts';

jest.setTimeout(120_000);

describeCluster('Redis fails over', (source) => {
  let redis: RedisSentinels;
  let cluster: ServiceCluster;
  let channels: Channel[];
  beforeAll(async () => {
    redis = await RedisSentinels.start();
    cluster = await ServiceCluster.start(source, {
      redisUrl: redis.url,
      env: stormSettings,
    });
    channels = [
      await cluster.world.connect(await newAccount(cluster.world.service), 'chatapp'),
      await cluster.world.connect(await newAccount(cluster.world.service), 'pagechat'),
    ];
  }, clusterHookMs);
  afterAll(async () => {
    await cluster.close();
    await redis.stop();
  });

  test.each([
    ['is killed', 'kill9'],
    ['is frozen', 'freeze'],
  ] as const)(
    'the primary %s: no send and no POST of upstream is refused, none is lost or sent twice',
    async (name, act) => {
      const primary = (await redis.primary()) === redis.first ? redis.first : redis.second;
      const other = primary === redis.first ? redis.second : redis.first;
      const posts = await countPosts(cluster.simulator);
      const storm = new Storm(cluster, channels);
      try {
        await storm.flows(10);
        await primary[act]();
        await until('another primary', async () => (await redis.primary()) === other, 30_000);
        await storm.flows(10);
        await until('every node to be back with Redis', () =>
          cluster.nodes.every(
            (node) => node.logged('redis.back').length === node.logged('redis.away').length,
          ),
        );
        if (act === 'kill9') await primary.restart('same');
        else primary.thaw();
        await until('the Sentinels to know both again', () => redis.isWhole(), 30_000);
        await storm.flows(10);
      } finally {
        await storm.stop();
      }
      await storm.settled();
      const figures = `${storm.counts()}; longest gap ${storm.longestGap()} ms`;
      process.stderr.write(`the primary ${name}: ${figures}\n`);
      expect(await storm.findings(resendAfterMs)).toEqual([]);
      expect([storm.refused(), await refusedPosts(cluster.simulator, posts)]).toEqual([[], []]);
      expect(cluster.nodes.every((node) => node.logged('redis.away').length > 0)).toBe(true);
      const copies = await cluster.simulator.control('sends?limit=1000000');
      const recipients = copies.sends.map(({ recipient }: Ended) => recipient);
      expect(new Set(recipients).size).toBe(recipients.length);
    },
  );
});

const page = readFileSync(join(import.meta.dirname, '../../docs/operating/scaling.md'), 'utf8');
const [, ofRedis = ''] = /^user trunkline on >password (.+)$/m.exec(page) ?? [];
const [, commands = '', channels = ''] =
  /for the Sentinels themselves needs `([^`]+)` and `([^`]+)`/.exec(page) ?? [];

describeCluster(
  'Redis fails over, over TLS and as a user with the permissions of docs/operating/scaling.md',
  (source) => {
    let redis: RedisSentinels;
    let cluster: ServiceCluster;
    beforeAll(async () => {
      const sentinel = `resetkeys resetchannels ${channels} -@all ${commands}`;
      redis = await RedisSentinels.start({ redis: ofRedis, sentinel });
      cluster = await ServiceCluster.start(source, { redisUrl: redis.url, nodes: 2, env: stormSettings });
    }, clusterHookMs);
    afterAll(async () => {
      await cluster.close();
      await redis.stop();
    });

    const portsOf = async (server: RedisServer): Promise<number[]> => [
      ...new Set((await redis.connections(server)).map(({ port }) => port)),
    ];

    test('the primary is killed: every node continues with the other, nothing is lost, and no command is refused', async () => {
      const connected = Object.values((await connectAll(cluster.world)).channels);
      const [primary, other] = [redis.first, redis.second];
      expect(await redis.primary()).toBe(primary);
      expect(await portsOf(primary)).toEqual([redis.portOf(primary)]);
      const posts = await countPosts(cluster.simulator);
      const storm = new Storm(cluster, connected);
      try {
        await storm.flows(5);
        await primary.kill9();
        await until('another primary', async () => (await redis.primary()) === other, 30_000);
        await until('every node to have missed Redis, and to be back', () =>
          cluster.nodes.every((node) => {
            const [away, back] = [node.logged('redis.away').length, node.logged('redis.back').length];
            return away > 0 && away === back;
          }),
        );
        await storm.serves();
        await until('the workers of jobs to wait at the new primary', async () =>
          (await redis.connections(other)).some(({ command }) => command === 'brpoplpush'),
        );
      } finally {
        await storm.stop();
      }
      await storm.settled();
      expect(await storm.findings(resendAfterMs)).toEqual([]);
      expect([storm.refused(), await refusedPosts(cluster.simulator, posts)]).toEqual([[], []]);
      expect(await portsOf(other)).toEqual([redis.portOf(other)]);
      expect(await redis.refusals(other)).toEqual([]);
    });
  },
);
