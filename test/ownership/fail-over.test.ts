import { expect, test } from '@jest/globals';
import { keys } from '../../src/ownership/keys.ts';
import { describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { freshNodes } from './support/fresh-nodes.ts';
import { channelIds, inspect, send } from './support/nodes.ts';
import type { Nodes, TestNode } from './support/nodes.ts';

/** With 2 s a test process that gets too little CPU loses leases without any fault. */
const leaseTtlMs = 4_000;

describeWithRedis('fail-over', () => {
  let nodes: Nodes;

  freshNodes((made) => (nodes = made));

  /** Channels of this node, each asked once. Of so many, some always belong to it. */
  async function owned(by: TestNode, count: number): Promise<string[]> {
    const channels = channelIds((count + 10) * nodes.all.length * 2);
    await Promise.all(channels.map((id) => send(by, id, `first-${id}`)));
    return channels.filter((id) => by.cluster.host.live(id) !== undefined).slice(0, count);
  }

  test('after kill -9 of the owner the next ask is served by another node, long before the lease ends', async () => {
    const [one, two] = await nodes.startAll(2);
    for (let round = 0; round < 4; round += 1) {
      const victim = await nodes.start({ nodeId: `victim-${round}`, leaseTtlMs: 600_000 });
      await nodes.connected([one, two, victim]);
      const channels = await owned(victim, 5);
      await nodes.crash(victim);
      const answers = await Promise.all(
        channels.map((id, index) => send(index % 2 === 0 ? one : two, id, `after-${id}`)),
      );
      expect(answers).toEqual(channels.map(() => ({ status: 'sent' })));
      expect(channels.map((id) => nodes.ledger.epochOf(id))).toEqual(channels.map(() => 2));
    }
  }, 60_000);

  test('an ask that its owner was processing when it died is answered by the next owner, and performed once', async () => {
    const [one, two] = await nodes.startAll(2);
    const [channel = ''] = await owned(two, 1);
    const answer = send(one, channel, 'held', true);
    await until('the owner to hold it', () => two.holds.has('held'));
    await nodes.crash(two);
    await until('the next owner to hold it', () => one.holds.has('held'));
    one.holds.release('held');
    expect(await answer).toEqual({ status: 'sent' });
    expect(nodes.ledger.entries().filter(({ messageId }) => messageId === 'held')).toEqual([
      { channelId: channel, epoch: 1, messageId: 'held' },
    ]);
  });

  test('a death causes one takeover per channel, logged and counted, and a search for due work', async () => {
    const [one, two] = await nodes.startAll(2);
    const channels = await owned(two, 20);
    await nodes.crash(two);
    await until('the takeover', () => channels.every((id) => one.cluster.host.live(id) !== undefined));
    await until('the look for due work', () => one.orphanCalls > 0);
    const lines = one.events.filter((event) => event === 'channel.taken-over').length;
    const all = nodes.ledger
      .channelsOf(one.incarnation)
      .filter((id) => nodes.ledger.epochOf(id) === 2).length;
    expect([lines, one.counters.get('takeovers_total'), one.counters.get('peers_dead_total')]).toEqual([
      all,
      all,
      1,
    ]);
    expect(one.orphanCalls).toBeLessThanOrEqual(2);
  });

  test('other nodes serve the channels of a frozen owner; when it wakes up it no longer owns them', async () => {
    const [one, two] = await nodes.startAll(2, { leaseTtlMs });
    const [channel = ''] = await owned(two, 1);
    const zombie = two.cluster.host.live(channel)!;
    nodes.freeze(two);
    expect(await send(one, channel, 'meanwhile')).toEqual({ status: 'sent' });
    expect([zombie.stage, zombie.grant.isValid()]).toEqual(['live', false]);

    nodes.thaw(two);
    expect([zombie.stage, two.cluster.host.size]).toEqual(['gone', 0]);
    await until('its lease', () => two.cluster.leaseIsValid);
    const [there, here] = await Promise.all([inspect(two, channel), inspect(one, channel)]);
    expect([there, nodes.ledger.refused]).toEqual([here, 0]);
  }, 90_000);

  test('an ask that a frozen owner was processing is answered by the next owner', async () => {
    const [one, two] = await nodes.startAll(2, { leaseTtlMs });
    const [channel = ''] = await owned(two, 1);
    const answer = send(one, channel, 'held', true);
    await until('the owner to hold it', () => two.holds.has('held'));
    nodes.freeze(two);
    await until('the next owner to hold it', () => one.holds.has('held'));
    one.holds.release('held');
    expect(await answer).toEqual({ status: 'sent' });
  }, 90_000);

  test('[faults: 152] an ask that two owners were processing when they died is not given to a third', async () => {
    const [one, two, three] = await nodes.startAll(3, { leaseTtlMs });
    const channels = await owned(two, 12);
    const answers = channels.map((channel) =>
      send(one, channel, `held-${channel}`, true).catch((error) => error),
    );
    const holders = (node: TestNode) => channels.filter((channel) => node.holds.has(`held-${channel}`));
    await until('the owner to hold them', () => holders(two).length === channels.length);
    await nodes.crash(two);
    await until(
      'the next owners to hold them',
      () => holders(one).length + holders(three).length === channels.length,
    );
    const twice = holders(three);
    expect(twice.length).toBeGreaterThan(0);
    await nodes.crash(three);
    const ended = await Promise.all(answers.filter((_, n) => twice.includes(channels[n] ?? '')));
    expect(ended).toEqual(twice.map(() => expect.objectContaining({ name: 'OwnerLost', nodesGone: 2 })));
    expect(holders(one).filter((channel) => twice.includes(channel))).toEqual([]);
    for (const channel of holders(one)) one.holds.release(`held-${channel}`);
    await Promise.all(answers);
  }, 90_000);

  test("a send does not wait for the end of a frozen owner's lease: the store decides, and keeps it", async () => {
    const [one, two] = await nodes.startAll(2, { leaseTtlMs: 600_000 });
    const [channel = ''] = await owned(two, 1);
    nodes.freeze(two);
    await expect(send(one, channel, 'meanwhile')).rejects.toMatchObject({ name: 'OwnerLost' });
  }, 90_000);

  test('a write of a replaced owner is refused by its epoch, and its activation ends', async () => {
    const [one, two] = await nodes.startAll(2, { leaseTtlMs });
    const [channel = ''] = await owned(two, 1);
    const zombie = two.cluster.host.live(channel)!;
    nodes.freeze(two);
    await send(one, channel, 'meanwhile');
    const late = zombie.ask({
      type: 'send',
      messageId: 'late',
      recipient: 'x',
      content: { type: 'text', text: '' },
    });
    await expect(late).rejects.toMatchObject({ name: 'ActivationGone', untouched: false });
    expect([zombie.stage, two.counters.get('fences_total'), nodes.ledger.refused]).toEqual(['gone', 1, 1]);
    expect(nodes.ledger.entries().map(({ messageId }) => messageId)).not.toContain('late');
  }, 90_000);

  test.each(['deleted', 'given to another'])(
    'after its lease was %s, a node stops all its channels, and gets them back under higher epochs',
    async (how) => {
      const [one, two] = await nodes.startAll(2, { leaseTtlMs });
      const channels = await owned(two, 20);
      const operator = one.redis.main;
      if (how === 'deleted') await operator.del(keys.lease(two.incarnation));
      else await operator.set(keys.lease(two.incarnation), 'x', 'PX', 60_000);
      await until('the loss', () => two.events.includes('lease.lost'));
      await Promise.all(channels.map((id) => send(one, id, `after-${id}`)));
      expect(channels.filter((id) => nodes.ledger.epochOf(id) < 2)).toEqual([]);
      expect(channels.filter((id) => nodes.liveOn(id).length !== 1)).toEqual([]);
      expect(two.events.filter((event) => event === 'channel.activation-ended')).toEqual([]);
    },
    90_000,
  );

  test('a lease without expiry does not keep the channels of a dead node', async () => {
    const [one, two] = await nodes.startAll(2, { leaseTtlMs });
    const [channel = ''] = await owned(two, 1);
    nodes.freeze(two);
    await one.redis.main.persist(keys.lease(two.incarnation));
    expect(await send(one, channel, 'after')).toEqual({ status: 'sent' });
  }, 90_000);

  test('a live node that others declare dead rejoins by itself, and nothing is performed twice', async () => {
    const [one, two] = await nodes.startAll(2);
    const channels = await owned(two, 20);
    await two.linkProxy.refuse(); // its address refuses connections of others, but it is alive and reaches Redis
    for (const { linkProxy } of nodes.all) linkProxy.reset();
    await until('the verdict', () => one.counters.get('peers_dead_total') === 1);
    await Promise.all(channels.map((id) => send(one, id, `after-${id}`)));
    await two.linkProxy.listen();
    await nodes.connected([one, two]);
    await until('its lease', () => two.cluster.leaseIsValid);
    const answers = await Promise.all(channels.flatMap((id) => [inspect(one, id), inspect(two, id)]));
    expect(answers.filter(({ epoch }) => epoch < 2)).toEqual([]);
    expect(channels.filter((id) => nodes.liveOn(id).length !== 1)).toEqual([]);
    expect(new Set(nodes.ledger.entries().map(({ messageId }) => messageId)).size).toBe(
      nodes.ledger.entries().length,
    );
  }, 90_000);

  test('a node that restarts on the same address before anybody noticed: its earlier run is dead at once', async () => {
    const [one, two] = await nodes.startAll(2, { leaseTtlMs: 20_000 });
    const [channel = ''] = await owned(two, 1);
    const port = two.linkProxy.port;
    await nodes.crash(two, { portAnswers: true });
    const again = await nodes.start({ nodeId: two.nodeId, leaseTtlMs: 20_000, linkPort: port });
    expect(await send(one, channel, 'after')).toEqual({ status: 'sent' });
    expect(await send(again, channel, 'again')).toEqual({ status: 'sent' });
  }, 90_000);

  test('nodes whose wall clocks differ by hours agree about everything', async () => {
    const ahead = await nodes.start({ wallAheadMs: 3_600_000, leaseTtlMs });
    const behind = await nodes.start({ wallAheadMs: -3_600_000, leaseTtlMs });
    await nodes.connected([ahead, behind]);
    const channels = await owned(ahead, 10);
    await until(
      'some renewals',
      () => ahead.cluster.insight().renewals > 6 && behind.cluster.insight().renewals > 6,
    );
    expect([ahead.cluster.insight().losses, behind.cluster.insight().losses]).toEqual([0, 0]);
    await nodes.crash(ahead);
    await Promise.all(channels.map((id) => send(behind, id, `after-${id}`)));
    expect(channels.map((id) => nodes.ledger.epochOf(id))).toEqual(channels.map(() => 2));
  }, 90_000);

  test('the channels of two nodes that die together are all taken over', async () => {
    const [one, two, three] = await nodes.startAll(3);
    const channels = [...(await owned(two, 20)), ...(await owned(three, 20))];
    await Promise.all([nodes.crash(two), nodes.crash(three)]);
    await until('the takeover', () => channels.every((id) => one.cluster.host.live(id) !== undefined));
    expect(nodes.ledger.refused).toBe(0);
  }, 90_000);

  test('the channels of a node that dies while Redis does not answer are taken over through the store', async () => {
    const [one, two] = await nodes.startAll(2, { leaseTtlMs: 3_000 });
    const channels = await owned(two, 20);
    one.redisProxy.blackHole();
    await nodes.crash(two);
    await until('the takeover', () => channels.every((id) => one.cluster.host.live(id) !== undefined));
  }, 90_000);

  test('dead nodes are removed from Redis some time after their death', async () => {
    const [one, two] = await nodes.startAll(2);
    const channels = await owned(two, 20);
    await nodes.crash(two);
    await until('the takeover', () => channels.every((id) => one.cluster.host.live(id) !== undefined));
    expect(await one.redis.main.hexists(keys.members, two.incarnation)).toBe(1);
    await one.redis.main.hset(keys.died, two.incarnation, '1'); // long ago
    await until(
      'it to be forgotten',
      async () => (await one.redis.main.hexists(keys.members, two.incarnation)) === 0,
    );
    expect(await one.redis.main.exists(keys.died)).toBe(0);
  }, 90_000);
});
