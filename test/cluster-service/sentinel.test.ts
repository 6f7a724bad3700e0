/** [architecture §7; faults: 13] Redis behind three Sentinels: its primary is killed or frozen under load. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { RedisSentinels } from '../support/redis-sentinels.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { resendAfterMs, Storm, stormSettings } from './support/storm.ts';
import type { Ended } from './support/storm.ts';

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
  ] as const)('the primary %s: no accepted send is lost, and none is sent twice', async (name, act) => {
    const primary = (await redis.primaryPort()) === redis.first.port ? redis.first : redis.second;
    const other = primary === redis.first ? redis.second : redis.first;
    const storm = new Storm(cluster, channels);
    try {
      await storm.flows(10);
      await primary[act]();
      await until('another primary', async () => (await redis.primaryPort()) === other.port, 30_000);
      await storm.flows(10, 30_000);
      await until('every node to be back with Redis', () =>
        cluster.nodes.every((node) => node.logged('redis.back').length === node.logged('redis.away').length),
      );
      if (act === 'kill9') await primary.restart('same');
      else primary.thaw();
      await until('the Sentinels to know both again', () => redis.isWhole(), 30_000);
      await storm.flows(10, 30_000);
    } finally {
      await storm.stop();
    }
    await storm.settled();
    const figures = `${storm.counts()}; longest gap ${storm.longestGap()} ms`;
    process.stderr.write(`the primary ${name}: ${figures}\n`);
    expect(await storm.findings(resendAfterMs)).toEqual([]);
    expect(cluster.nodes.every((node) => node.logged('redis.away').length > 0)).toBe(true);
    const copies = await cluster.simulator.control('sends?limit=1000000');
    const recipients = copies.sends.map(({ recipient }: Ended) => recipient);
    expect(new Set(recipients).size).toBe(recipients.length);
  });
});
