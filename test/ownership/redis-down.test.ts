import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { keys } from '../../src/ownership/keys.ts';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { Nodes, channelIds, inspect, send } from './support/nodes.ts';
import type { TestNode } from './support/nodes.ts';

const leaseTtlMs = 2_000;

/** [architecture §7, Redis down] */
describeWithRedis('when Redis is', () => {
  let redis: RedisServer;
  let nodes: Nodes;
  let one: TestNode;
  let two: TestNode;
  let channels: string[];

  beforeEach(async () => {
    redis = await RedisServer.start();
    await startBoth(leaseTtlMs);
  }, 60_000);

  async function startBoth(withLeaseMs: number): Promise<void> {
    nodes = new Nodes(redis);
    [one, two] = await nodes.startAll(2, { leaseTtlMs: withLeaseMs });
    channels = channelIds(40);
    await Promise.all(channels.map((id) => send(one, id, `first-${id}`)));
    await Promise.all(channels.map((id) => send(two, id, `second-${id}`)));
  }

  afterEach(async () => {
    redis.thaw();
    await nodes.close();
    await redis.stop();
  }, 15_000);

  /** Checks that every channel is served from both nodes, by one owner, and nothing is performed twice. */
  async function recovers(): Promise<void> {
    await until('leases', () => one.cluster.leaseIsValid && two.cluster.leaseIsValid);
    await nodes.connected([one, two]);
    await until('an answer from everywhere', () =>
      Promise.all(
        channels.flatMap((id) => [send(one, id, `after-1-${id}`), send(two, id, `after-2-${id}`)]),
      ).catch(() => null),
    );
    expect(channels.filter((id) => nodes.liveOn(id).length !== 1)).toEqual([]);
    const written = nodes.ledger.entries().filter(({ messageId }) => messageId.startsWith('after'));
    expect(written).toHaveLength(2 * channels.length);
    for (const id of channels) {
      const epochs = nodes.ledger.minted.get(id) ?? [];
      expect(epochs).toEqual(epochs.toSorted((left, right) => left - right));
      expect(new Set(epochs).size).toBe(epochs.length);
    }
  }

  const epochs = (): number[] => channels.map((id) => nodes.ledger.epochOf(id));

  /** Checks that the outage had no effect: no node was declared dead, no lease lost, no activation ended. */
  function undisturbed(): void {
    for (const { events, cluster } of [one, two]) {
      expect(
        events.filter((event) => ['node.dead', 'lease.lost', 'channel.activation-ended'].includes(event)),
      ).toEqual([]);
      expect(cluster.insight().losses).toBe(0);
    }
  }

  test('killed and restarted empty: owned channels stay owned, no epoch is issued', async () => {
    const before = epochs();
    await redis.restart('empty');
    await until('a new lease', async () => (await one.redis.main.exists(keys.lease(one.incarnation))) === 1);
    await recovers();
    expect(epochs()).toEqual(before);
    undisturbed();
  }, 90_000);

  test('restarted empty five times in a row under load: one owner at the end, every ask is either answered or refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const asks = channels.map((id) => send(one, id, `storm-${round}-${id}`).then(() => true, () => false)); // oxfmt-ignore
      await redis.restart('empty');
      await Promise.all(asks);
    }
    await recovers();
  }, 60_000);

  test('restarted with its data: nothing is lost, no epoch is issued', async () => {
    const before = epochs();
    await redis.restart('same');
    await recovers();
    expect(epochs()).toEqual(before);
    expect([one.cluster.insight().losses, two.cluster.insight().losses]).toEqual([0, 0]);
  }, 90_000);

  /** Checks that every channel is served from both nodes while no node is sure of its lease. */
  async function servedAllTheSame(): Promise<void> {
    const before = epochs();
    await until('the margins to end', () => !one.cluster.leaseIsSure && !two.cluster.leaseIsSure);
    const answers = await Promise.all(
      channels.flatMap((id) => [send(one, id, `away-1-${id}`), send(two, id, `away-2-${id}`)]),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['sent']));
    expect(epochs()).toEqual(before);
    const fresh = channelIds(20);
    const first = await Promise.all(
      fresh.flatMap((id) => [send(one, id, `fresh-1-${id}`), send(two, id, `fresh-2-${id}`)]),
    );
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set(['sent']));
    expect(fresh.map((id) => [nodes.liveOn(id).length, nodes.ledger.epochOf(id)])).toEqual(
      fresh.map(() => [1, 1]),
    );
    expect(new Set(fresh.flatMap((id) => nodes.liveOn(id))).size).toBe(2); // by placement
    channels.push(...fresh);
  }

  test('down: owners continue for any time, and a channel without an owner is taken under an epoch of the store', async () => {
    await redis.kill9();
    await servedAllTheSame();
    const during = epochs();
    await redis.restart('empty');
    await until('both to be sure', () => one.cluster.leaseIsSure && two.cluster.leaseIsSure);
    await recovers();
    expect(epochs()).toEqual(during);
    undisturbed();
  }, 90_000);

  test('hanging: owners continue, asks are answered within a bound, and its return has no effect', async () => {
    redis.freeze();
    await servedAllTheSame();
    const during = epochs();
    redis.thaw();
    await until('both to be sure', () => one.cluster.leaseIsSure && two.cluster.leaseIsSure);
    await recovers();
    expect(epochs()).toEqual(during);
    undisturbed();
  }, 90_000);

  test('down while a node dies: the others take over its channels, each once', async () => {
    await redis.kill9();
    const its = channels.filter((id) => two.cluster.host.live(id) !== undefined);
    await nodes.crash(two);
    await until('the verdict', () => one.counters.get('peers_dead_total') === 1);
    const answers = await Promise.all(channels.map((id) => send(one, id, `after-${id}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['sent']));
    expect(its.map((id) => nodes.ledger.epochOf(id))).toEqual(its.map(() => 2));
  }, 90_000);

  test('down while two nodes lose contact: they take turns once, and the store refuses the one that lost its turn', async () => {
    await redis.kill9();
    for (const { linkProxy } of [one, two]) linkProxy.blackHole();
    await until(
      'the link to be missed',
      () => one.cluster.insight().links + two.cluster.insight().links === 0,
    );
    const before = epochs();
    const asked = channels.slice(0, 8);
    for (let round = 0; round < 3; round += 1)
      for (const node of [one, two])
        await Promise.all(asked.map((id) => send(node, id, `cut-${round}-${node.nodeId}-${id}`).catch(() => null))); // oxfmt-ignore
    const turns = asked.map((id) => nodes.ledger.epochOf(id) - (before[channels.indexOf(id)] ?? 0));
    expect(turns.filter((turn) => turn > 2)).toEqual([]);
    expect(turns.some((turn) => turn > 0)).toBe(true);
    const written = nodes.ledger.entries().filter(({ messageId }) => messageId.startsWith('cut-'));
    expect(written.length).toBeGreaterThan(0);
    for (const { linkProxy } of [one, two]) linkProxy.heal();
    await redis.restart('empty');
    await recovers();
  }, 90_000);

  test('down from the start: a node starts, answers 503, and serves once Redis is up', async () => {
    await redis.kill9();
    await until('the outage', () => !one.cluster.leaseIsSure);
    const early = await nodes.start({ leaseTtlMs });
    await expect(send(early, channels[0]!, 'x')).rejects.toMatchObject({ code: 'unavailable' });
    await redis.restart('empty');
    await until('its lease', () => early.cluster.leaseIsValid);
    await nodes.connected([one, two, early]);
    expect(await send(early, channels[0]!, 'y')).toEqual({ status: 'sent' });
  }, 90_000);

  test('hanging for less than the margin: no effect', async () => {
    // With a lease of 2 s, a busy machine may use up the rest of the margin.
    const longerMs = 12_000;
    await nodes.close();
    await startBoth(longerMs);
    const before = epochs();
    await until('a renewal', () => one.cluster.insight().renewals > 1 && two.cluster.insight().renewals > 1);
    redis.freeze();
    const since = performance.now();
    await until('some of the margin', () => performance.now() - since > longerMs * 0.3);
    const served = await Promise.all(channels.map((id) => inspect(two, id)));
    redis.thaw();
    expect(served.map(({ epoch }) => epoch)).toEqual(before);
    await recovers();
    expect(epochs()).toEqual(before);
  }, 90_000);

  test.each([
    'OOM command not allowed when used memory is above the maximum',
    "READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    'NOSCRIPT No matching script. Please use EVAL.',
    'MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk',
  ])(
    'answering %s to one node: no answer counts, the node continues, and recovers',
    async (error) => {
      const [unknown = ''] = channelIds(1);
      one.redisProxy.answerWith(error);
      await until('an answer', () => one.redisProxy.fired > 0 && !one.cluster.leaseIsSure);
      const mine = channels.filter((id) => one.cluster.host.live(id) !== undefined);
      const { grant } = await one.cluster.host.activate(unknown);
      expect([grant.epoch, grant.isValid(), grant.isSure()]).toEqual([1, true, false]);
      const answers = await Promise.all(
        channels.flatMap((id) => [send(one, id, `away-1-${id}`), send(two, id, `away-2-${id}`)]),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['sent']));
      expect(mine.filter((id) => one.cluster.host.live(id) === undefined)).toEqual([]);
      one.redisProxy.heal();
      await until('a word of Redis', () => grant.isSure());
      await recovers();
    },
    90_000,
  );

  test('unreachable for one node only: it continues with what it owns, and forwards the rest', async () => {
    one.redisProxy.blackHole();
    await until('the margin to end', () => !one.cluster.leaseIsSure);
    await until('its lease to end', async () => (await two.redis.main.exists(keys.lease(one.incarnation))) === 0); // oxfmt-ignore
    const [fresh = ''] = channelIds(1);
    const answers = await Promise.all(
      [...channels, fresh].flatMap((id) => [send(one, id, `out-1-${id}`), send(two, id, `out-2-${id}`)]),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['sent']));
    one.redisProxy.heal();
    await recovers();
    undisturbed();
  }, 90_000);

  test('losing the reply to a claim: the channel is served nevertheless', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [fresh = ''] = channelIds(1);
      one.redisProxy.swallowNextReply();
      await send(one, fresh, `a-${fresh}`).catch(() => null);
      await until('a reply to be lost', () => one.redisProxy.fired > round);
      await until('an answer', () => send(one, fresh, `b-${fresh}`).catch(() => null));
      expect(nodes.liveOn(fresh)).toHaveLength(1);
    }
    expect(one.redisProxy.fired).toBe(10);
  }, 90_000);
});
