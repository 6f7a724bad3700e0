import { expect, test } from '@jest/globals';
import { fault } from '../../src/kernel/faults.ts';
import { describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { freshNodes } from './support/fresh-nodes.ts';
import { channelIds, inspect, send } from './support/nodes.ts';
import type { Nodes } from './support/nodes.ts';

describeWithRedis('one owner per channel', () => {
  let nodes: Nodes;

  freshNodes((made) => (nodes = made));

  test('of two nodes that acquire at the same moment one owns, a thousand times; epochs increase', async () => {
    const [one, two] = await nodes.startAll(2);
    const channels = channelIds(1_000);
    const results = await Promise.all(
      channels.map((id) =>
        Promise.allSettled([one.cluster.host.activate(id), two.cluster.host.activate(id)]),
      ),
    );
    const owners = results.map((pair) => pair.filter(({ status }) => status === 'fulfilled').length);
    const refusals = results.flatMap((pair) =>
      pair.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])),
    );
    expect(new Set(owners)).toEqual(new Set([1]));
    expect(new Set(refusals)).toEqual(new Set(['NotOwner: another node owns the channel']));
    expect(channels.filter((id) => nodes.liveOn(id).length !== 1)).toEqual([]);
    expect(channels.filter((id) => nodes.ledger.minted.get(id)?.join() !== '1')).toEqual([]);
  }, 90_000);

  test('epochs of a channel that moves are distinct and increasing', async () => {
    const [one, two] = await nodes.startAll(2);
    const [channel = ''] = channelIds(1);
    for (let round = 0; round < 50; round += 1) {
      for (const node of [one, two]) {
        await node.cluster.host.activate(channel);
        await node.cluster.host.handOver(channel);
      }
    }
    expect(nodes.ledger.minted.get(channel)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test('a request on any node for any channel gets the answer of the owner', async () => {
    const all = await nodes.startAll(3);
    const channels = channelIds(60);
    for (const [index, id] of channels.entries()) await send(all[index % 3] ?? all[0], id, `m-${id}`);
    for (const id of channels) {
      const answers = await Promise.all(all.map((node) => inspect(node, id)));
      expect(answers.map(({ epoch, sendsOpen }) => [epoch, sendsOpen])).toEqual([[1, 1], [1, 1], [1, 1]]); // oxfmt-ignore
      expect(nodes.liveOn(id)).toHaveLength(1);
    }
  });

  test('first asks on all nodes at once activate a channel once', async () => {
    const all = await nodes.startAll(3);
    const channels = channelIds(100);
    await Promise.all(channels.flatMap((id) => all.map((node, index) => send(node, id, `${id}-${index}`))));
    expect(channels.filter((id) => nodes.ledger.minted.get(id)?.join() !== '1')).toEqual([]);
    expect(nodes.ledger.entries()).toHaveLength(300);
    expect(nodes.ledger.refused).toBe(0);
  });

  test('channels are distributed over the live nodes', async () => {
    const all = await nodes.startAll(3);
    const [first] = all;
    const channels = channelIds(600);
    await Promise.all(channels.map((id) => send(first, id, id)));
    const shares = all.map(({ cluster }) => cluster.host.size);
    expect(shares.reduce((sum, share) => sum + share)).toBe(600);
    for (const share of shares) expect(share).toBeGreaterThan(140);
  });

  test("an owner's Fault arrives as the same Fault on every node", async () => {
    const all = await nodes.startAll(2);
    const [channel = ''] = channelIds(1);
    const owner = await ownerOf(all[0], channel);
    const other = all.find((node) => node !== owner)!;
    const activation = owner.cluster.host.live(channel)!;
    activation.ask = () =>
      Promise.reject(fault('text_too_long', { limit: 1, length: 2, channel_type: 'pagechat' }));
    const error = {
      code: 'text_too_long',
      status: 400,
      details: { limit: 1, length: 2, channel_type: 'pagechat' },
    };
    await expect(send(owner, channel, 'm')).rejects.toMatchObject(error);
    await expect(send(other, channel, 'm')).rejects.toMatchObject(error);
  });

  test('a store that issues no epoch: unavailable, and then any node may own the channel', async () => {
    const [one, two] = await nodes.startAll(2);
    nodes.ledger.isDown = true;
    const [channel = ''] = channelIds(1);
    await expect(send(one, channel, 'm')).rejects.toMatchObject({ code: 'unavailable' });
    nodes.ledger.isDown = false;
    expect(await send(two, channel, 'm')).toEqual({ status: 'sent' });
  });

  test('an epoch that takes longer than the lease gives nothing to the node that lost it', async () => {
    const [one, two] = await nodes.startAll(2);
    const [channel = ''] = channelIds(1);
    const mints = nodes.ledger.holdMints();
    const late = one.cluster.host.activate(channel);
    await until('the mint to be asked for', () => mints.waiting === 1);
    await one.redis.main.del(`trunkline:lease:${one.incarnation}`);
    await until('the loss', () => one.events.includes('lease.lost'));
    mints.letGo();
    await expect(late).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect(one.cluster.host.live(channel)).toBeUndefined();
    expect(await send(two, channel, 'm')).toEqual({ status: 'sent' });
  });

  test('a late release of a hand-over does not free a channel that was claimed again', async () => {
    const node = await nodes.start();
    const [channel = ''] = channelIds(1);
    await node.cluster.host.activate(channel);
    const handedOver = node.cluster.host.handOver(channel); // ends it in this tick, releases it in a later one
    await Promise.all([node.cluster.host.activate(channel), handedOver]);
    expect(nodes.ledger.ownerOf(channel)).toBe(node.incarnation);
  });

  test('a fenced activation ends for good, and the next ask finds the channel under a higher epoch', async () => {
    const [one, two] = await nodes.startAll(2);
    const [channel = ''] = channelIds(1);
    const owner = await ownerOf(one, channel);
    const fenced = owner.cluster.host.live(channel)!;
    await nodes.ledger.mint(channel, { nodeId: 'x', incarnation: 'x' });
    expect(await send(two, channel, 'after')).toEqual({ status: 'sent' });
    expect([fenced.stage, nodes.ledger.epochOf(channel), owner.counters.get('fences_total')]).toEqual([
      'gone',
      3,
      1,
    ]);
    expect(nodes.ledger.entries().map(({ epoch, messageId }) => [epoch, messageId])).toEqual([[1, 'first'], [3, 'after']]); // oxfmt-ignore
  });

  /** Sends once; returns the node that owns the channel then. */
  async function ownerOf(
    node: (typeof nodes.all)[number],
    channel: string,
  ): Promise<(typeof nodes.all)[number]> {
    await send(node, channel, 'first');
    return nodes.liveOn(channel)[0]!;
  }
});
