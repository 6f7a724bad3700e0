/** A node as a whole: what it says of itself, how others reach it, and what its stop ends. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { keys } from '../../src/cluster/keys.ts';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { Nodes, channelIds, send } from './support/nodes.ts';
import type { TestNode } from './support/nodes.ts';

describeWithRedis('a node', () => {
  let redis: RedisServer;
  let nodes: Nodes;

  beforeEach(async () => {
    redis = await RedisServer.start();
    nodes = new Nodes(redis);
  });

  afterEach(async () => {
    await nodes.close();
    await redis.stop();
  });

  /** Two nodes, and a send that the first one gave to the second, which holds it. */
  async function withHeldSend(): Promise<{
    one: TestNode;
    two: TestNode;
    channel: string;
    answer: Promise<unknown>;
  }> {
    const [one, two] = await nodes.startAll(2);
    const channels = channelIds(20);
    await Promise.all(channels.map((id) => send(one, id, `first-${id}`)));
    const channel = channels.find((id) => two.cluster.host.live(id) !== undefined) ?? '';
    const answer = send(one, channel, 'held', true).catch((error: unknown) => error);
    await until('the owner to hold it', () => two.holds.has('held'));
    return { one, two, channel, answer };
  }

  test('without an internal URL is reached at its host and the bound port', async () => {
    const [one] = await nodes.startAll(2, { withoutInternalUrl: true });
    expect(one.cluster.insight()).toMatchObject({ members: 2, links: 1 });
    expect(nodes.all.map(({ linkProxy }) => linkProxy.accepted)).toEqual([0, 0]);
  });

  test('counts the asks that wait for another node, and gives them up when it is told to', async () => {
    const { one, answer } = await withHeldSend();
    expect(one.cluster.insight().asksInFlight).toBe(1);
    one.cluster.endAsks();
    expect(await answer).toMatchObject({ name: 'OwnerLost' });
    expect(one.cluster.insight().asksInFlight).toBe(0);
  });

  test('measures the round trips of its links in seconds', async () => {
    const since = performance.now();
    const [one] = await nodes.startAll(2, { leaseTtlMs: 2_000 });
    const trip = await until('a ping', () => one.observed.get('link_round_trip_seconds')?.[0]);
    // The ping began after `since`: this holds on a machine of any speed.
    expect(trip * 1_000).toBeLessThan(performance.now() - since);
  });

  test('tells operators whether Redis confirms its lease', async () => {
    const leaseOf = async ({ cluster, nodeId }: TestNode) =>
      (await cluster.nodes()).find((node) => node.nodeId === nodeId)?.status?.lease;
    const node = await nodes.start({ leaseTtlMs: 2_000 });
    expect(await leaseOf(node)).toBe('held');
    await redis.kill9();
    await until('the outage', () => !node.cluster.leaseIsSure);
    expect(await leaseOf(node)).toBe('unsure');
    expect(await leaseOf(await nodes.start({ leaseTtlMs: 2_000 }))).toBe('lost');
  });

  test('that stops without a drain ends its activations, and its channels are free at once', async () => {
    const { one, two, channel, answer } = await withHeldSend();
    const activation = two.cluster.host.live(channel);
    await two.cluster.stop();
    expect([activation?.stage, two.cluster.host.size]).toEqual(['gone', 0]);
    expect(await one.redis.main.exists(keys.lease(two.incarnation))).toBe(0);
    expect(await send(one, channel, 'after')).toEqual({ status: 'sent' });
    expect(await answer).toMatchObject({ name: 'OwnerLost' }); // the store shows what became of it
  });
});
