/** A node as a whole: what it says of itself, how others reach it, and what its stop ends. */
import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { keys } from '../../src/ownership/keys.ts';
import { describeWithRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { freshNodes } from './support/fresh-nodes.ts';
import { channelIds, send } from './support/nodes.ts';
import type { Nodes, TestNode } from './support/nodes.ts';

describeWithRedis('a node', () => {
  let redis: RedisServer;
  let nodes: Nodes;

  freshNodes((made, its) => {
    nodes = made;
    redis = its;
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

  test('gives up the asks that wait for another node when it is told to', async () => {
    const { one, answer } = await withHeldSend();
    one.cluster.endAsks();
    expect(await answer).toMatchObject({ name: 'OwnerLost' });
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
    expect([await leaseOf(node), node.leasesTaken]).toEqual(['held', 1]);
    await redis.kill9();
    await until('the outage', () => !node.cluster.leaseIsSure);
    expect(await leaseOf(node)).toBe('unsure');
    expect(await leaseOf(await nodes.start({ leaseTtlMs: 2_000 }))).toBe('lost');
  });

  test('takes over the channels of a node that died before its start', async () => {
    const earlier = await nodes.start({ leaseTtlMs: 1_000 });
    const [channel = ''] = channelIds(1);
    await send(earlier, channel, 'm');
    await nodes.crash(earlier);
    const client = new Redis(redis.port);
    await until(
      'the end of its lease',
      async () => (await client.exists(keys.lease(earlier.incarnation))) === 0,
    );
    client.disconnect();
    const node = await nodes.start();
    await until('the takeover', () => node.cluster.host.live(channel) !== undefined);
  });

  test('gives up a channel of which the store says that another node has it, without a request', async () => {
    const node = await nodes.start({ leaseTtlMs: 1_000 });
    const [channel = ''] = channelIds(1);
    await send(node, channel, 'm');
    await nodes.ledger.mint(channel, { nodeId: 'x', incarnation: 'x' });
    await until('the end of its activation', () => node.cluster.host.live(channel) === undefined);
    expect(node.counters.get('fences_total')).toBe(1);
  });

  test('that drains while Redis is down tells its peers over the links', async () => {
    const [one, two] = await nodes.startAll(2);
    await redis.kill9();
    await two.cluster.drain();
    await until('the news', async () => (await one.cluster.nodes()).some(({ draining }) => draining));
  });

  test('takes a channel without an owner in every outage of Redis, also one that it took in an earlier outage', async () => {
    const node = await nodes.start({ leaseTtlMs: 2_000 });
    const [channel = ''] = channelIds(1);
    for (const gone of ['earlier', 'later']) {
      await nodes.ledger.mint(channel, { nodeId: gone, incarnation: gone });
      await until('the end of its activation', () => node.cluster.host.live(channel) === undefined);
      await redis.kill9();
      await until('the outage', () => !node.cluster.leaseIsSure);
      expect(await send(node, channel, gone)).toEqual({ status: 'sent' });
      await redis.restart('empty');
      await until('its return', () => node.cluster.leaseIsSure);
    }
  });

  test('no longer counts a frozen peer once the lease of that peer has ended', async () => {
    const [one, two] = await nodes.startAll(2, { leaseTtlMs: 2_000 });
    nodes.freeze(two);
    await until('its end', () => one.cluster.insight().members === 1);
  });

  test('tells a peer that joins later that it has subscribers of the live feed', async () => {
    const one = await nodes.start();
    const heard: string[] = [];
    one.cluster.feed.onEvent((channel, packet) =>
      heard.push(`${channel}: ${Buffer.from(packet).toString()}`),
    );
    one.cluster.feed.subscribe('links');
    const { feed } = (await nodes.start()).cluster;
    await until('the news', () => feed.hasSubscribers('links'));
    feed.publish('links', 'account-1', Buffer.from('an event'));
    await until('the event', () => heard.length > 0);
    expect(heard).toEqual(['account-1: an event']);
  });

  test('that stood still and lost its lease while Redis is down does not refuse a send: the store decides', async () => {
    const node = await nodes.start({ leaseTtlMs: 1_000 });
    await redis.kill9();
    node.clock.pause();
    await until('the loss', () => !node.cluster.leaseIsValid);
    node.clock.resume();
    const [channel = ''] = channelIds(1);
    await expect(send(node, channel, 'm')).rejects.toMatchObject({ name: 'OwnerLost' });
  });

  test('that stops without a drain ends its activations, and its channels are free at once', async () => {
    const { one, two, channel, answer } = await withHeldSend();
    const activation = two.cluster.host.live(channel);
    await two.cluster.stop();
    expect([activation?.stage, two.cluster.host.size]).toEqual(['gone', 0]);
    expect(await one.redis.main.exists(keys.lease(two.incarnation))).toBe(0);
    expect(await send(one, channel, 'after')).toEqual({ status: 'sent' });
    // The send in hand goes to the next owner under its id; if the node that stops loses it twice, the store shows what became of it.
    await until('its end', () => {
      one.holds.release('held');
      return one.inFlight === 0;
    });
    const ends = [{ status: 'sent' }, expect.objectContaining({ name: 'OwnerLost' })];
    expect(ends).toContainEqual(await answer);
  });
});
