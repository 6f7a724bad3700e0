/** [architecture §7, §8] While Redis is down, subscribers of the live feed get the events of other nodes' channels over the links between nodes. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Socket } from 'socket.io-client';
import { next, subscribe } from '../features/live/support.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';
import { redisOutages } from './support/redis-outages.ts';
import type { RedisOutage } from './support/redis-outages.ts';

jest.setTimeout(90_000);

describeCluster('the live feed of two nodes', (source) => {
  let cluster: ServiceCluster;
  let account: Account;
  let channel: Channel;
  let [owner, other]: ClusterNode[] = [];
  let socket: Socket;
  /** The senders of the events on the feed, in order. */
  let heard: string[];
  /** Senders of events that came during a catch-up, which may repeat pending events: the end of the outage before may cause one late. */
  const maybeRepeated = new Set<string>();
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, { nodes: 2 });
    account = await newAccount(cluster.world.service);
    channel = await cluster.world.connect(account, 'chatapp');
    owner = await cluster.ownerOf(channel);
    [other] = await cluster.nonOwnersOf(channel);
    socket = subscribe(other?.url ?? '', account.key);
    heard = [];
    let isCatchingUp = false;
    socket.on('catching_up', () => (isCatchingUp = true));
    socket.on('caught_up', () => (isCatchingUp = false));
    socket.on('event', ({ data: { from = '' } }: { data: { from?: string } }) => {
      heard.push(from);
      if (isCatchingUp) maybeRepeated.add(from);
    });
    await next(socket, 'caught_up');
    await untilHeard();
  }, clusterHookMs);
  afterEach(() => cluster.heal());
  afterAll(async () => {
    socket?.disconnect();
    await cluster.close();
  });

  /** Makes a person write to the channel; resolves once the receiver has the event. */
  async function written(): Promise<string> {
    const from = newPerson('chatapp');
    await cluster.world.write(channel, { text: 'live' }, from);
    await cluster.inbox.next(1, ({ event }) => event.data['from'] === from);
    return from;
  }

  /** Repeats until an event is on the feed: it takes a moment until the nodes know that Redis is down. */
  async function untilHeard(): Promise<void> {
    await until('an event on the feed', async () => heard.includes(await written()));
  }

  test.each(redisOutages.map((outage): [string, RedisOutage] => [outage.name, outage]))(
    "Redis is %s: the owner's events reach the other node's subscriber once",
    async (_name, outage) => {
      await outage.begin(cluster);
      await outage.struck(cluster);
      const people = [await written(), await written(), await written()];
      await until('all of it on the feed', () => people.every((from) => heard.includes(from)));
      const once = people.filter((from) => !maybeRepeated.has(from));
      expect(heard.filter((from) => once.includes(from))).toEqual(once);
      await outage.end(cluster);
      await untilHeard();
    },
  );

  test.each<[string, () => ClusterNode | undefined]>([
    ['the owner', () => owner],
    ["the subscriber's node", () => other],
  ])(
    'only %s is cut off from Redis: its subscribers get events, and miss none afterwards',
    async (_name, pick) => {
      const way = pick()?.proxies.redis;
      way?.blackHole();
      const early = await written();
      await until('a question to Redis that nobody hears', () => (way?.fired ?? 0) > 0);
      await untilHeard();
      way?.heal();
      // From the log of events, if the feed missed it in the first second.
      const logged: unknown[] = [];
      socket.on('logged', ({ message_id: id }) => logged.push(id));
      const [arrival] = cluster.inbox.arrivals.filter(({ event }) => event.data['from'] === early);
      const id = arrival?.event.data['message_id'];
      await until('the first event too', () => heard.includes(early) || logged.includes(id));
    },
  );
});
