/** [faults: 120, 121, 122; architecture §1] An attacker who reads and writes all of Redis can delay the service, but not corrupt it, and learns nothing. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Socket } from 'socket.io-client';
import { next, subscribe } from '../features/live/support.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';
import { HostileRedis } from './support/hostile-redis.ts';
import { resendAfterMs, Storm, stormSettings } from './support/storm.ts';

jest.setTimeout(180_000);

describeCluster('three nodes under load, with an attacker in their Redis', (source) => {
  let cluster: ServiceCluster;
  let accounts: Account[];
  let channels: Channel[];
  let hostile: HostileRedis;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, {
      env: stormSettings,
    });
    hostile = await HostileRedis.open(cluster.redis.url);
    accounts = [await newAccount(cluster.world.service), await newAccount(cluster.world.service)];
    const [one, other] = accounts;
    if (one === undefined || other === undefined) throw new Error('no accounts');
    channels = [await cluster.world.connect(one, 'chatapp'), await cluster.world.connect(other, 'pagechat')];
  }, clusterHookMs);
  afterAll(async () => {
    for (const socket of sockets) socket.disconnect();
    hostile.close();
    await cluster.close();
  });

  /** Subscribes to the account's live feed; returns the list of channel ids of its events, which grows. */
  async function feedOf(account: Account): Promise<string[]> {
    const socket = subscribe(cluster.live().url, account.key, { reconnection: true });
    sockets.push(socket);
    const heard: string[] = [];
    socket.on('event', ({ channel_id: channelId }) => heard.push(channelId));
    await next(socket, 'connect');
    return heard;
  }

  test("no node crashes, no tenant gets another's events, nothing accepted is lost, and the service continues", async () => {
    const pids = cluster.nodes.map(({ pid }) => pid);
    const feeds = await Promise.all(accounts.map(feedOf));
    const running = new Storm(cluster, channels);
    try {
      await running.flows(10);
      for (const how of ['members', 'string', 'list'] as const) {
        await hostile.publishEverywhere(accounts.map(({ accountId }) => accountId));
        await hostile.overwriteEverything(how);
        await running.flows(10);
      }
      for (const feed of feeds) feed.length = 0;
      await until('events on both feeds', () => feeds.every((feed) => feed.length > 5));
    } finally {
      await running.stop();
    }
    await cluster.heal();
    await running.settled();

    expect(cluster.nodes.map(({ pid }) => pid)).toEqual(pids);
    expect(feeds.map((feed) => [...new Set(feed)])).toEqual(channels.map(({ id }) => [id]));
    expect(hostile.heard()).not.toMatch(/message|storm/);
    const findings = await running.findings(resendAfterMs);
    // The jobs that the attacker wrote fail, and log that.
    expect(findings.filter((finding) => !finding.includes('job.given-up'))).toEqual([]);
  });
});
