import { expect, test } from '@jest/globals';
import { Directory } from '../../src/ownership/directory.ts';
import { until } from '../support/until.ts';
import { describeWithRedis } from '../support/redis-server.ts';
import { freshNodes } from './support/fresh-nodes.ts';
import { channelIds, send } from './support/nodes.ts';
import type { Nodes, TestNode } from './support/nodes.ts';

/** What grows with the number of channels is counted; bench/ measures how long it takes. */
describeWithRedis('ownership at scale', () => {
  let nodes: Nodes;

  freshNodes((made) => (nodes = made));

  test('a thousand channels of a dead node are taken over, each once', async () => {
    const [one, two, three] = await nodes.startAll(3);
    const channels = channelIds(3_000);
    for (let from = 0; from < channels.length; from += 200)
      await Promise.all(channels.slice(from, from + 200).map((id) => send(one, id, `first-${id}`)));
    const lost = three.cluster.host.keys();
    await nodes.crash(three);
    const isLive = (node: TestNode, id: string): boolean => node.cluster.host.live(id) !== undefined;
    await until('all of them to live', () => lost.every((id) => isLive(one, id) || isLive(two, id)));
    expect(lost.length).toBeGreaterThan(900);
    expect(lost.filter((id) => nodes.ledger.epochOf(id) !== 2)).toEqual([]);
  }, 60_000);

  test('a thousand channels are claimed, and freed, without a command to Redis', async () => {
    const node = await nodes.start();
    const before = await commandsOf(node);
    await Promise.all(channelIds(1_000).map((id) => node.cluster.host.activate(id)));
    expect(nodes.ledger.channelsOf(node.incarnation)).toHaveLength(1_000);
    await node.cluster.drain();
    expect(nodes.ledger.channelsOf(node.incarnation)).toEqual([]);
    // What else runs meanwhile: renewals, looks for members, announcements.
    expect(await commandsOf(node)).toBeLessThan(before + 100);
  }, 60_000);

  test('ten thousand owned channels need a handful of Redis commands to keep', async () => {
    const node = await nodes.start();
    for (let part = 0; part < 10; part += 1)
      await Promise.all(channelIds(1_000).map((id) => node.cluster.host.activate(id)));
    const { share, commands } = await costOf(node);
    const [percent, perSecond] = [(share * 100).toFixed(2), commands.toFixed(1)];
    process.stdout.write(`keeping 10,000 channels: ${percent} % of a core, ${perSecond} Redis commands/s\n`);
    expect(node.cluster.host.size).toBe(10_000);
    expect(commands).toBeLessThan(30);
  }, 60_000);

  test('a node remembers a bounded number of owners, the latest', () => {
    const directory = new Directory();
    const channels = channelIds(100_001);
    for (const id of channels) directory.remember(id, 'somebody');
    expect(directory.remembered(channels[0]!)).toBeUndefined();
    expect(directory.remembered(channels[1]!)).toBe('somebody');
    directory.evictOwner('somebody');
    expect(channels.filter((id) => directory.remembered(id) !== undefined)).toEqual([]);
  }, 90_000);

  /** The least of a few idle periods, because garbage collection of earlier work does not count. */
  async function costOf(node: TestNode): Promise<Cost> {
    let quietest: Cost = { share: Infinity, commands: Infinity };
    for (let window = 0; window < 3; window += 1) {
      const cost = await windowOf(node, 2_000);
      if (cost.share < quietest.share) quietest = cost;
    }
    return quietest;
  }
});

/** The share of a core that this process uses, and its Redis commands per second. */
interface Cost {
  share: number;
  commands: number;
}

async function windowOf(node: TestNode, ms: number): Promise<Cost> {
  const commandsBefore = await commandsOf(node);
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  await new Promise<void>((resolve) => node.clock.after(ms, resolve));
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAt) / 1_000;
  const commands = ((await commandsOf(node)) - commandsBefore - 1) / seconds;
  return { share: (used.user + used.system) / 1e6 / seconds, commands };
}

/** Of all nodes, including the periodic looks. */
async function commandsOf(node: TestNode): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await node.redis.main.info('stats'))?.[1]);
}
