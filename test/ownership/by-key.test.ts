/** [operating/deploying, By API key] Nodes behind a proxy that brings each key to one node: hops by exact count, nothing lost. */
import { beforeEach, expect, test } from '@jest/globals';
import { chooseNode } from '../../src/ownership/placement.ts';
import { describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { freshNodes } from './support/fresh-nodes.ts';
import { channelIds, send } from './support/nodes.ts';
import type { Nodes, TestNode } from './support/nodes.ts';

describeWithRedis('sends that a proxy brings', () => {
  let nodes: Nodes;
  let sent: number;

  beforeEach(() => {
    sent = 0;
  });
  freshNodes((made) => (nodes = made));

  /** Nodes that know how many channels each other owns. */
  async function started(count: number): Promise<TestNode[]> {
    const all = await Promise.all(
      Array.from({ length: count }, (_, n) => nodes.start({ nodeId: `node-${n + 1}`, leaseTtlMs: 4_000 })),
    );
    await nodes.connected(all);
    // A ping of every link: its answer says so.
    await until('a round trip of every link', () =>
      all.every(({ observed }) => (observed.get('link_round_trip_seconds') ?? []).length >= 2 * (count - 1)),
    );
    return all;
  }

  const total = (name: string): number =>
    nodes.all.reduce((sum, { counters }) => sum + (counters.get(name) ?? 0), 0);

  const sendOnce = (node: TestNode, channelId: string) => {
    sent += 1;
    return send(node, channelId, `message-${sent}`);
  };

  /** So many sends of every channel, one after the other, each at the node that the proxy chooses. */
  async function sendAll(
    channels: readonly string[],
    times: number,
    at: (channel: number, time: number) => TestNode,
  ) {
    for (let time = 0; time < times; time += 1)
      await Promise.all(channels.map((channelId, channel) => sendOnce(at(channel, time), channelId)));
  }

  test('by key to four nodes: no more need a hop than it takes to see that', async () => {
    const all = await started(4);
    const channels = channelIds(64);
    const at = (channel: number): TestNode => all[channel % 4]!;
    const elsewhere = channels.filter(
      (channelId, channel) => chooseNode(channelId, all)?.nodeId !== at(channel).nodeId,
    );
    expect(elsewhere.length).toBeGreaterThan(32);
    await sendAll(channels, 16, at);
    expect(total('sends_forwarded_total')).toBe(16 * elsewhere.length);
    // A node that has more than its share by now gets no channel until it has given some.
    await until('every channel to be where its sends arrive', async () => {
      await sendAll(channels, 1, at);
      return channels.every((id, channel) => at(channel).cluster.host.live(id) !== undefined);
    });
    const hops = total('sends_forwarded_total');
    await sendAll(channels, 300, at);
    expect(total('sends_forwarded_total')).toBe(hops);
    expect(hops / sent).toBeLessThan(0.1);
    expect(total('channels_followed_total')).toBe(elsewhere.length);
    expect(nodes.ledger.entries().length).toBe(sent);
  }, 90_000);

  test('to four nodes in turn: no channel moves, and three of four sends need a hop', async () => {
    const all = await started(4);
    const channels = channelIds(16);
    await sendAll(channels, 160, (channel, time) => all[(channel + time) % 4]!);
    expect(total('channels_followed_total')).toBe(0);
    expect(total('sends_forwarded_total')).toBe((3 / 4) * sent);
    expect(channels.map((id) => nodes.ledger.epochOf(id))).toEqual(channels.map(() => 1));
  }, 90_000);

  test('while channels follow them: nothing is lost or sent twice, and the order of each client is kept', async () => {
    const all = await started(3);
    const channels = channelIds(12);
    const order = new Map<string, string[]>();
    const clients = channels.map(async (channelId, channel) => {
      const mine: string[] = [];
      order.set(channelId, mine);
      for (let n = 0; n < 100; n += 1) {
        const pair = [`${channel}-${n}-a`, `${channel}-${n}-b`];
        mine.push(...pair);
        // Two at once, in this order, on the node that the key leads to.
        await Promise.all(pair.map((id) => send(all[channel % 3]!, channelId, id)));
      }
    });
    await Promise.all(clients);
    expect(total('channels_followed_total')).toBeGreaterThan(0);
    const written = new Map<string, string[]>();
    for (const { channelId, messageId } of nodes.ledger.entries())
      written.set(channelId, [...(written.get(channelId) ?? []), messageId]);
    expect(written).toEqual(order);
    expect(nodes.ledger.refused).toBe(0);
    expect(channels.filter((id) => nodes.liveOn(id).length !== 1)).toEqual([]);
  }, 90_000);

  /** A channel that is live on the first of three nodes; its sends arrive at the second. */
  async function arrivingElsewhere() {
    const [owner, asked, third] = await started(3);
    const channelId = channelIds(100).find((id) => chooseNode(id, nodes.all)?.nodeId === owner!.nodeId)!;
    return { owner: owner!, asked: asked!, third: third!, channelId };
  }

  test('of a channel that its owner evicts in between: the third makes it follow, and later ones too need no hop', async () => {
    const { owner, asked, channelId } = await arrivingElsewhere();
    for (let n = 0; n < 5; n += 1) {
      await sendAll([channelId], 1, () => asked);
      await Promise.all(nodes.liveOn(channelId).map(({ cluster }) => cluster.host.handOver(channelId)));
      expect(nodes.liveOn(channelId)).toEqual([]);
    }
    expect([total('sends_forwarded_total'), owner.counters.get('channels_followed_total')]).toEqual([3, 1]);
    expect(nodes.ledger.entries().length).toBe(5);
  }, 90_000);

  test('to a node that dies before it has claimed the channel that it was given: nothing is lost', async () => {
    const { owner, asked, third, channelId } = await arrivingElsewhere();
    await sendAll([channelId], 15, () => asked);
    const mints = nodes.ledger.holdMints();
    await sendOnce(asked, channelId);
    await until('its claim', () => mints.waiting === 1);
    expect(nodes.ledger.ownerOf(channelId)).toBeNull();
    const meanwhile = [sendOnce(owner, channelId), sendOnce(third, channelId)];
    await nodes.crash(asked);
    await until('the claim of another', () => mints.waiting > 1);
    mints.letGo();
    expect(await Promise.all(meanwhile)).toEqual([{ status: 'sent' }, { status: 'sent' }]);
    await sendAll([channelId], 3, () => third);
    expect(nodes.ledger.entries().length).toBe(sent);
  }, 90_000);

  test('through an owner that dies while it hands the channel over: each is sent once', async () => {
    const { owner, asked, third, channelId } = await arrivingElsewhere();
    const held = send(asked, channelId, 'held', true);
    await until('the owner to hold it', () => owner.holds.has('held'));
    await sendAll([channelId], 64, () => asked);
    await until('its hand-over', () => owner.cluster.host.live(channelId)?.stage === 'draining');
    const meanwhile = [sendOnce(asked, channelId), sendOnce(third, channelId)];
    await nodes.crash(owner);
    const next = await until('the next owner to hold it', () =>
      [asked, third].find(({ holds }) => holds.has('held')),
    );
    next.holds.release('held');
    expect(await Promise.all([held, ...meanwhile])).toEqual(
      Array.from({ length: 3 }, () => ({ status: 'sent' })),
    );
    expect(
      nodes.ledger
        .entries()
        .map(({ messageId }) => messageId)
        .toSorted(),
    ).toEqual(['held', ...Array.from({ length: sent }, (_, n) => `message-${n + 1}`)].toSorted());
    expect(nodes.liveOn(channelId).filter((node) => node !== owner).length).toBe(1);
  }, 90_000);
});
