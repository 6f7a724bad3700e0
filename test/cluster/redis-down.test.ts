import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { Nodes, channelIds, inspect, send } from './support/nodes.ts';
import type { TestNode } from './support/nodes.ts';

const leaseTtlMs = 2_000;

/** [architecture §7, Redis down or slow] */
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

  /** Every channel is served from both nodes, by one owner, and nothing is there twice. */
  async function recovers(round: string): Promise<void> {
    await until('leases', () => one.cluster.leaseIsValid && two.cluster.leaseIsValid);
    await nodes.connected([one, two]);
    await until('an answer from everywhere', () =>
      Promise.all(
        channels.flatMap((id) => [send(one, id, `${round}-1-${id}`), send(two, id, `${round}-2-${id}`)]),
      ).catch(() => null),
    );
    expect(channels.filter((id) => nodes.liveOn(id).length !== 1)).toEqual([]);
    const written = nodes.ledger.entries().filter(({ messageId }) => messageId.startsWith(round));
    expect(written).toHaveLength(2 * channels.length);
    for (const id of channels) {
      const epochs = nodes.ledger.minted.get(id) ?? [];
      expect(epochs).toEqual(epochs.toSorted((left, right) => left - right));
      expect(new Set(epochs).size).toBe(epochs.length);
    }
  }

  const epochs = (): number[] => channels.map((id) => nodes.ledger.epochOf(id));

  test('killed and restarted empty: everything recovers by itself, epochs grow, nobody claims twice', async () => {
    const before = epochs();
    await redis.restart('empty');
    await until('both to notice', () => [one, two].every(({ events }) => events.includes('lease.lost')));
    await recovers('after');
    expect(epochs().filter((epoch, index) => epoch <= (before[index] ?? 0))).toEqual([]);
    expect([one, two].map(({ events }) => events.filter((event) => event === 'node.dead').length)).toEqual([
      0, 0,
    ]);
  }, 90_000);

  test('restarted empty five times in a row under asks: one owner at the end, every ask answered or refused whole', async () => {
    for (let round = 0; round < 5; round += 1) {
      const asks = channels.map((id) => send(one, id, `storm-${round}-${id}`).then(() => true, () => false)); // prettier-ignore
      await redis.restart('empty');
      await Promise.all(asks);
    }
    await recovers('after');
  }, 60_000);

  test('restarted with its memory: nothing is lost, no epoch is minted', async () => {
    const before = epochs();
    await redis.restart('same');
    await recovers('after');
    expect(epochs()).toEqual(before);
    expect([one.cluster.insight().losses, two.cluster.insight().losses]).toEqual([0, 0]);
  }, 90_000);

  test('down: known owners go on until their margin ends, then 503; back: they serve again', async () => {
    const [unknown = ''] = channelIds(1);
    await redis.kill9();
    await until('the connection to end', () => one.redis.main.status !== 'ready');
    await expect(send(one, unknown, 'x')).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      retryAfterSeconds: 1,
    });
    const served = await Promise.all(channels.map((id) => send(one, id, `down-${id}`)));
    expect(served).toEqual(channels.map(() => ({ status: 'sent' })));

    await until('the margins to end', () => !one.cluster.leaseIsValid && !two.cluster.leaseIsValid);
    const refused = await Promise.allSettled(channels.map((id) => send(one, id, `late-${id}`)));
    expect(
      new Set(refused.map((result) => (result.status === 'rejected' ? String(result.reason) : 'answered'))),
    ).toEqual(
      new Set(['Fault: Temporarily unavailable; nothing was sent. Retry after the time in Retry-After']),
    );
    expect([one.cluster.host.size, two.cluster.host.size]).toEqual([0, 0]);
    expect(nodes.ledger.entries().some(({ messageId }) => messageId.startsWith('late'))).toBe(false);

    await redis.restart('empty');
    await recovers('after');
  }, 90_000);

  test('down from the start: a node starts, answers 503, and serves once Redis is there', async () => {
    await redis.kill9();
    await until('the loss', () => !one.cluster.leaseIsValid);
    const early = await nodes.start({ leaseTtlMs });
    await expect(send(early, channels[0]!, 'x')).rejects.toMatchObject({ code: 'unavailable' });
    await redis.restart('empty');
    await until('its lease', () => early.cluster.leaseIsValid);
    await nodes.connected([one, two, early]);
    expect(await send(early, channels[0]!, 'y')).toEqual({ status: 'sent' });
  }, 90_000);

  test('hanging: owners suspend before their lease ends, asks are refused within a bound, and all recovers', async () => {
    redis.freeze();
    await until('the margins to end', () => !one.cluster.leaseIsValid && !two.cluster.leaseIsValid);
    await until('both to suspend', () => one.cluster.host.size + two.cluster.host.size === 0);
    await expect(send(one, channels[0]!, 'x')).rejects.toMatchObject({ code: 'unavailable' });
    redis.thaw();
    await recovers('after');
  }, 90_000);

  test('hanging for less than the margin: nobody notices', async () => {
    // Of a lease of 2 s a busy machine may take what is left of the margin for itself.
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
    await recovers('after');
    expect(epochs()).toEqual(before);
  }, 90_000);

  test.each([
    'OOM command not allowed when used memory is above the maximum',
    "READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    'NOSCRIPT No matching script. Please use EVAL.',
    'MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk',
  ])(
    'answering %s: nothing counts as acquired, and it passes',
    async (error) => {
      const [unknown = ''] = channelIds(1);
      one.redisProxy.answerWith(error);
      await expect(one.cluster.host.activate(unknown)).rejects.toMatchObject({ name: 'StoreUnavailable' });
      expect(one.redisProxy.fired).toBeGreaterThan(0);
      expect(nodes.ledger.minted.has(unknown)).toBe(false);
      await until('the suspension', () => one.cluster.host.size === 0 && !one.cluster.leaseIsValid);
      expect(await send(two, channels[0]!, 'meanwhile')).toEqual({ status: 'sent' });
      one.redisProxy.heal();
      await recovers('after');
    },
    90_000,
  );

  test('out of reach for one node only: the other takes over, and both serve again after', async () => {
    one.redisProxy.blackHole();
    await until('the suspension', () => !one.cluster.leaseIsValid && one.cluster.host.size === 0);
    await Promise.all(channels.map((id) => send(two, id, `meanwhile-${id}`)));
    one.redisProxy.heal();
    await recovers('after');
  }, 90_000);

  test('losing the reply to a claim: the channel is served all the same', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [fresh = ''] = channelIds(1);
      one.redisProxy.swallowNextReply();
      await send(one, fresh, `a-${fresh}`).catch(() => null);
      await until('an answer', () => send(one, fresh, `b-${fresh}`).catch(() => null));
      expect(nodes.liveOn(fresh)).toHaveLength(1);
    }
    expect(one.redisProxy.fired).toBe(10);
  }, 90_000);
});
