/** [faults: 121, 122; architecture §1] False data in Redis costs at most a delay: no stranger is dialled, and no channel is lost. */
import net from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { keys } from '../../src/ownership/keys.ts';
import { writeAnnouncement } from '../../src/ownership/announcement.ts';
import type { Member } from '../../src/ownership/member.ts';
import { newId } from '../../src/kernel/ids.ts';
import { listening } from '../support/ports.ts';
import { describeWithRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { freshNodes } from './support/fresh-nodes.ts';
import { channelIds, secret, send } from './support/nodes.ts';
import type { Nodes } from './support/nodes.ts';

const leaseTtlMs = 1_000;

describeWithRedis('a Redis with false data', () => {
  let redis: RedisServer;
  let nodes: Nodes;
  let hostile: Redis;

  afterEach(() => {
    hostile.disconnect();
  });
  freshNodes((made, its) => {
    nodes = made;
    redis = its;
  });
  beforeEach(() => {
    hostile = new Redis(redis.url);
  });

  /** Opens an address that counts connections, announced under the name of a live node. */
  async function trap(): Promise<{ member: Member; visitors: () => number; close: () => void }> {
    let count = 0;
    const server = net.createServer((socket) => {
      count += 1;
      socket.on('error', () => socket.destroy());
    });
    const url = `wss://127.0.0.1:${await listening(server)}`;
    // 'zzz' sorts after every incarnation, so a node that believes it dials.
    const member = { nodeId: 'ghost', incarnation: `zzz-${newId()}`, url, startedAt: 1, draining: false };
    await hostile.set(keys.lease(member.incarnation), 'x');
    return {
      member: { ...member, leaseTtlMs },
      visitors: () => count,
      close: () => void server.close(),
    };
  }

  test('a node with a valid signature is dialled; one without, or with a changed address, is not', async () => {
    const [one] = await nodes.startAll(2, { leaseTtlMs });
    const traps = await Promise.all([trap(), trap(), trap(), trap(), trap()]);
    const [proven, plain, foreign, moved, altered] = traps;
    const announce = ({ member }: { member: Member }, text: string): Promise<number> =>
      hostile.hset(keys.members, member.incarnation, text);
    await announce(plain, JSON.stringify(plain.member));
    await announce(foreign, writeAnnouncement('another secret', { member: foreign.member, count: 1 }));
    await announce(moved, writeAnnouncement(secret, { member: altered.member, count: 1 }));
    const text = writeAnnouncement(secret, { member: proven.member, count: 1 });
    await announce(
      altered,
      text.replaceAll(new URL(proven.member.url).port, new URL(altered.member.url).port),
    );
    await announce(proven, text);

    await until('the proven one to be dialled', () => proven.visitors() > 0);
    await until('four refusals', () => one.events.filter((event) => event === 'member.refused').length === 4);
    expect(traps.map(({ visitors }) => visitors() > 0)).toEqual([true, false, false, false, false]);
    for (const { close } of traps) close();
  });

  test('an announcement that is repeated but never renewed is believed for two leases', async () => {
    const [one] = await nodes.startAll(2, { leaseTtlMs });
    const ghost = await trap();
    const keepAlive = setInterval(() => void hostile.set(keys.lease(ghost.member.incarnation), 'x'), 50);
    await hostile.hset(
      keys.members,
      ghost.member.incarnation,
      writeAnnouncement(secret, { member: ghost.member, count: 1 }),
    );
    await until('a third member', () => one.cluster.insight().members === 3);
    await until('two members', () => one.cluster.insight().members === 2);
    clearInterval(keepAlive);
    ghost.close();
  });

  test.each([
    ['somebody', 'nobody'],
    ['a name of 20 MB', 'x'.repeat(20_000_000)],
  ])('that Redis names %s as an owner has no effect: the store has the owners', async (_words, name) => {
    const both = await nodes.startAll(2, { leaseTtlMs });
    const [channel = ''] = channelIds(1);
    await hostile.hset('trunkline:own', channel, name);
    await hostile.set(keys.lease(name), 'x');
    for (const node of both) expect(await send(node, channel, node.nodeId)).toEqual({ status: 'sent' });
    expect(nodes.liveOn(channel)).toHaveLength(1);
  });

  test('an owner that Redis neither lists nor gives a lease to any more keeps its channel while it announces itself', async () => {
    const [one, two] = await nodes.startAll(2, { leaseTtlMs });
    const channels = channelIds(20);
    await Promise.all(channels.map((id) => send(one, id, `first-${id}`)));
    await hostile.flushall();
    await Promise.all(channels.map((id) => send(two, id, `second-${id}`)));
    expect(channels.filter((id) => nodes.ledger.epochOf(id) !== 1)).toEqual([]);
  });

  test.each(['string', 'list'] as const)(
    'keys with other contents (%s) are replaced: both nodes own, serve and see each other',
    async (type) => {
      const both = await nodes.startAll(2, { leaseTtlMs });
      const channels = channelIds(20);
      await Promise.all(channels.map((id) => send(both[0], id, `first-${id}`)));
      for (const key of await hostile.keys('trunkline:*')) {
        await hostile.del(key);
        if (type === 'list') await hostile.rpush(key, 'garbage');
        else await hostile.set(key, 'garbage');
      }
      const answers = (): Promise<unknown> =>
        Promise.all(
          both.flatMap((node) => channels.map((id) => send(node, id, `${node.nodeId}-${id}`))),
        ).catch(() => null);
      const isOwnedOnce = (id: string): boolean => nodes.liveOn(id).length === 1;
      await until(
        'answers from everywhere, of one owner each',
        async () => (await answers()) !== null && channels.every(isOwnedOnce),
      );
      await nodes.connected(both);
      await until('a look to mend the list', async () => (await hostile.type(keys.members)) === 'hash');
    },
  );

  test.each([
    ['longer than any cluster', 5_000, 'x'],
    ['with an entry that no node writes', 1, 'x'.repeat(1_000_000)],
  ])('a list of nodes %s is correct again with the next look', async (_words, count, said) => {
    const both = await nodes.startAll(2, { leaseTtlMs });
    const strangers = Object.fromEntries(Array.from({ length: count }, (_, n) => [`stranger-${n}`, said]));
    for (const name of Object.keys(strangers)) void hostile.set(keys.lease(name), 'x');
    await hostile.hset(keys.members, strangers);
    await until('two on the list', async () => (await hostile.hlen(keys.members)) === 2);
    await nodes.connected(both);
  });

  test("invalid numbers in nodes' announcements do not break a look", async () => {
    const [one] = await nodes.startAll(2, { leaseTtlMs });
    for (const ttl of ['1.5', '1e300', '-1', '"x"', 'null'])
      await hostile.hset(keys.members, `odd-${ttl}`, `{"leaseTtlMs":${ttl}}`);
    for (const ttl of ['1.5', '1e300', '-1', '"x"', 'null']) await hostile.set(keys.lease(`odd-${ttl}`), 'x');
    await hostile.hset(keys.died, one.incarnation, '1e300');
    const three = await nodes.start({ leaseTtlMs });
    await nodes.connected([one, three]);
    await until('a third member', () => one.cluster.insight().members === 3);
  });
});
