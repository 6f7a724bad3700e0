import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Socket } from 'socket.io-client';
import { Redis } from 'ioredis';
import { liveDeliveryOf } from '../../../src/features/live/live-socket.ts';
import { redisAdapter } from '../../../src/features/live/redis-adapter.ts';
import { SealedPackets } from '../../../src/features/live/sealed-packets.ts';
import { newSealer } from '../../support/sealing.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { silentLog } from '../../support/silent-log.ts';
import { Outage } from '../../../src/kernel/outage.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RedisServer, describeWithRedis } from '../../support/redis-server.ts';
import { until } from '../../support/until.ts';
import { envelope, eventOf, linkedFeeds, liveServer, missedOf, next, subscribe } from './support.ts';

interface Heard {
  channel: string;
  bytes: Buffer;
}

/** Ids in the order of their arrival. */
function idsOf(socket: Socket): string[] {
  const ids: string[] = [];
  socket.on('event', ({ data }) => ids.push(data.message_id));
  return ids;
}

const sealer = newSealer();
const question = 'are you there';
const isNews = (id: string): boolean => id !== question;

describeWithRedis('the live feed of several nodes [architecture §8]', () => {
  let server: RedisServer;
  let cleanups: (() => unknown)[];
  let links: ReturnType<typeof linkedFeeds>;
  beforeEach(async () => {
    cleanups = [];
    links = linkedFeeds();
    server = await RedisServer.start();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
    await server.stop();
  });

  async function node(log = silentLog, own = links()): ReturnType<typeof liveServer> {
    const outage = new Outage('redis', '', log);
    const bridge = await redisAdapter({ redisUrl: server.url, sealer, outage, links: own });
    const streamSessionIn = ({ headers }: { headers: { cookie?: string } }): string | null =>
      headers.cookie === 'mine' ? 'key-a' : null;
    const made = await liveServer({ adapter: bridge, log, streamSessionIn });
    cleanups.push(() => bridge.close(), made.close);
    return made;
  }

  async function connected(url: string, apiKey: string): Promise<Socket> {
    const socket = subscribe(url, apiKey);
    cleanups.push(() => socket.disconnect());
    await next(socket, 'connect');
    return socket;
  }

  type Feed = Awaited<ReturnType<typeof liveServer>>['feed'];

  /** A node's subscription may reach Redis later than its link tells of it: repeats until an event arrives. */
  function untilHeard(feed: Feed, accountId: string, heard: string[]): Promise<string> {
    return until(`an event of ${accountId}`, () => {
      feed.publish(accountId, { ...eventOf(question), deliveryId: crypto.randomUUID() });
      return heard.shift();
    });
  }

  test('an event of a node reaches the subscribers of its account on every other node, once and in order', async () => {
    const [a, b, c] = [await node(), await node(), await node()];
    const onB = idsOf(await connected(b.url, 'key-a'));
    const onC = idsOf(await connected(c.url, 'key-a'));
    const foreign = idsOf(await connected(b.url, 'key-b'));
    await untilHeard(a.feed, 'account-a', onB);
    await untilHeard(a.feed, 'account-a', onC);

    const sent = Array.from({ length: 20 }, (_, count) => `m${count}`);
    for (const id of sent) a.feed.publish('account-a', eventOf(id));
    a.feed.publish('account-b', eventOf('other'));
    await until(
      'the last events',
      () => [onB, onC].every((ids) => ids.includes('m19')) && foreign.length > 0,
    );

    expect([onB.filter(isNews), onC.filter(isNews), foreign]).toEqual([sent, sent, ['other']]);
  });

  test('a node with its own subscribers also reaches those of other nodes', async () => {
    const [a, b] = [await node(), await node()];
    const onA = idsOf(await connected(a.url, 'key-a'));
    const onB = idsOf(await connected(b.url, 'key-a'));
    await untilHeard(a.feed, 'account-a', onB);

    a.feed.publish('account-a', eventOf('m1'));
    await until('the event on both', () => onA.includes('m1') && onB.includes('m1'));

    expect([onA.filter(isNews), onB.filter(isNews)]).toEqual([['m1'], ['m1']]);
  });

  test('[faults: 176] a stream of the portal gets the events of all nodes, without texts and signatures, also when no socket of its account is on its node', async () => {
    const [a, b] = [await node(), await node()];
    const leaving = new AbortController();
    cleanups.push(() => leaving.abort());
    const stream = await fetch(`${b.url}/portal/live/events`, {
      headers: { cookie: 'mine' },
      signal: leaving.signal,
    });
    const ids: string[] = [];
    let heard = '';
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder();
      for await (const bytes of stream.body ?? []) {
        const text = decoder.decode(bytes);
        heard += text;
        ids.push(...(text.match(/(?<="messageId":")[^"]+/g) ?? []));
      }
    };
    read().catch(() => undefined);
    const said = (id: string) => ({
      ...eventOf(id, 'sha256=s'),
      envelope: { ...envelope(id), data: { message_id: id, text: 'secret words' } },
    });
    await untilHeard(a.feed, 'account-a', ids);
    a.feed.publish('account-b', said('foreign'));
    a.feed.publish('account-a', said('of another'));
    b.feed.publish('account-a', said('of its own'));
    await until('both', () => ['of another', 'of its own'].every((id) => ids.includes(id)));
    expect(ids.filter(isNews).toSorted()).toEqual(['of another', 'of its own']);
    expect(heard).not.toMatch(/secret words|sha256=s/);
  });

  test.each(['empty', 'same'] as const)(
    'Redis is killed and restarted (%s): the feed recovers by itself',
    async (memory) => {
      const logged: string[] = [];
      const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line).msg) });
      const [a, b] = [await node(log), await node()];
      const onB = idsOf(await connected(b.url, 'key-a'));
      await untilHeard(a.feed, 'account-a', onB);

      await server.kill9();
      await until('the loss to be seen', () => logged.includes('redis.away'));
      b.feed.publish('account-a', eventOf('of its own node'));
      await until('the event of its own node', () => onB.includes('of its own node'));
      await server.restart(memory);
      await until('the end of the outage to be told', () => logged.includes('redis.back'));
      onB.length = 0;

      expect(await untilHeard(a.feed, 'account-a', onB)).toBe(question);
      expect(logged).toEqual(['redis.away', 'redis.back']);
    },
  );

  test.each<[string, () => Promise<void> | void]>([
    ['killed', () => server.kill9()],
    ['hanging', () => server.freeze()],
  ])(
    'Redis is %s: events go over the links, once and in order, and over Redis again afterwards',
    async (_name, begin) => {
      const own = links();
      const [a, b] = [await node(silentLog, own), await node()];
      const onB = idsOf(await connected(b.url, 'key-a'));
      await untilHeard(a.feed, 'account-a', onB);
      const before = own.told;

      await begin();
      const sent = Array.from({ length: 20 }, (_, count) => `m${count}`);
      for (const id of sent) a.feed.publish('account-a', eventOf(id));
      await until('the last event', () => onB.includes('m19'));
      a.feed.publish('account-a', eventOf('m20'));
      await until('one more', () => onB.includes('m20'));
      expect(onB.filter(isNews)).toEqual([...sent, 'm20']);
      expect(own.told).toBeGreaterThan(before);

      if (_name === 'killed') await server.restart('same');
      else server.thaw();
      await until('an event that did not go over the links', async () => {
        const told = own.told;
        onB.length = 0;
        await untilHeard(a.feed, 'account-a', onB);
        return own.told === told;
      });
    },
  );

  test('events that other nodes published while Redis was down are repeated from the log when it is back', async () => {
    const asked: number[] = [];
    const bridge = await redisAdapter({
      redisUrl: server.url,
      sealer,
      outage: new Outage('redis', '', silentLog),
      links: links(),
    });
    const b = await liveServer({
      adapter: bridge,
      async *missed(_, since) {
        asked.push(since);
        yield [missedOf('said elsewhere')];
      },
    });
    cleanups.push(() => bridge.close(), b.close);
    const socket = await connected(b.url, 'key-a');
    const before = Date.now();
    const heard = next(socket, 'logged');

    await server.kill9();
    await server.restart('same');

    expect(await heard).toEqual([expect.objectContaining({ message_id: 'said elsewhere' })]);
    expect(asked[0]).toBeGreaterThanOrEqual(before);
  });

  test('a node that starts without Redis has a feed once Redis is up', async () => {
    await server.kill9();
    const [a, b] = [await node(), await node()];
    const onB = idsOf(await connected(b.url, 'key-a'));

    await server.restart('empty');

    expect(await untilHeard(a.feed, 'account-a', onB)).toBe(question);
  });

  /** A client of Redis that is no node, and records what the nodes publish. */
  async function stranger(): Promise<{
    publish: (channel: string, bytes: string | Buffer) => Promise<number>;
    heard: Heard[];
  }> {
    const [speaking, listening] = [new Redis(server.url), new Redis(server.url)];
    cleanups.push(
      () => speaking.disconnect(),
      () => listening.disconnect(),
    );
    const heard: Heard[] = [];
    listening.on('pmessageBuffer', (_: unknown, channel: Buffer, bytes: Buffer) =>
      heard.push({ channel: String(channel), bytes }),
    );
    await listening.psubscribe('*');
    return { publish: (channel, bytes) => speaking.publish(channel, bytes), heard };
  }

  test('what a stranger publishes makes no event, moves or disconnects nobody, and crashes nothing', async () => {
    const [a, b] = [await node(), await node()];
    const socket = await connected(b.url, 'key-a');
    const onB = idsOf(socket);
    await untilHeard(a.feed, 'account-a', onB);
    const { publish } = await stranger();
    const all = { rooms: [], except: [] };
    const packet = { type: 2, nsp: '/live', data: ['event', envelope('forged'), {}] };

    for (const bytes of ['{', '[]', '["x"]', 'null', '["x",{"nsp":"/live"}]', Buffer.from([0xc1, 0xff])])
      for (const channel of ['', '-request', '-response'])
        await publish(`trunkline:live${channel}#/live#account-a#`, bytes);
    for (const rooms of [['account-a'], []])
      await publish('trunkline:live#/live#account-a#', JSON.stringify(['x', packet, { ...all, rooms }]));
    for (let type = 0; type < 10; type += 1)
      for (const opts of [all, undefined])
        await publish(
          'trunkline:live-request#/live#',
          JSON.stringify({ type, opts, rooms: ['account-b'], close: true, packet, data: [], requestId: 'x' }),
        );

    onB.length = 0;
    expect(await untilHeard(a.feed, 'account-a', onB)).toBe(question);
    expect(socket.connected).toBe(true);
    a.feed.publish('account-b', eventOf('of another account'));
    a.feed.publish('account-a', eventOf('last'));
    await until('the last event', () => onB.includes('last'));
    expect(onB.filter(isNews)).toEqual(['last']);
  });

  test('without subscribers Redis is asked with an event once a second, until a peer tells of some', async () => {
    const [clock, own, peer] = [new FakeClock(), links(), links()];
    const outage = new Outage('redis', '', silentLog);
    const bridge = await redisAdapter({ redisUrl: server.url, sealer, outage, links: own, clock });
    const asking = new Redis(server.url);
    cleanups.push(
      () => bridge.close(),
      () => asking.disconnect(),
    );
    const publish = (): void => bridge.publish('account-a', envelope('m1'), liveDeliveryOf('d1', '', null));
    const published = async (): Promise<number> =>
      Number(/cmdstat_publish:calls=(\d+)/.exec(await asking.info('commandstats'))?.[1] ?? 0);
    await until('Redis to be asked', () => {
      clock.advance(1_000);
      publish();
      return published().then((count) => count > 0);
    });

    await until('Redis to find no subscriber', () => !bridge.hasSubscribers());
    const before = await published();
    for (let ms = 0; ms < 10_000; ms += 10) {
      clock.advance(10);
      if (bridge.hasSubscribers()) publish(); // the next ones do not wait for the answer of Redis
    }
    await until('Redis to have counted ten', async () => (await published()) - before >= 10);
    // The first question may be counted late.
    expect([10, 11]).toContain((await published()) - before);

    peer.subscribe('redis');
    expect(bridge.hasSubscribers()).toBe(true);
  });

  test('no message content passes Redis in clear text', async () => {
    const [a, b] = [await node(), await node()];
    const { heard } = await stranger();
    const onB = idsOf(await connected(b.url, 'key-a'));
    await untilHeard(a.feed, 'account-a', onB);
    expect(heard.map(({ bytes }) => String(bytes)).join('\n')).not.toContain('message');
  });

  test("a recorded packet that is replayed, or published to another account's channel, reaches nobody", async () => {
    const [a, b] = [await node(), await node()];
    const { publish, heard } = await stranger();
    const onB = idsOf(await connected(b.url, 'key-a'));
    const foreign = idsOf(await connected(b.url, 'key-b'));
    await untilHeard(a.feed, 'account-a', onB);
    a.feed.publish('account-a', eventOf('m1'));
    await until('the event', () => onB.includes('m1'));

    for (const { channel, bytes } of heard.slice()) {
      await publish(channel, bytes);
      await publish(channel.replace('account-a', 'account-b'), bytes);
      await publish('trunkline:live#/live#', bytes);
    }
    a.feed.publish('account-b', eventOf('other'));
    a.feed.publish('account-a', eventOf('m2'));
    await until('the last events', () => onB.includes('m2') && foreign.length > 0);

    expect([onB.filter(isNews), foreign]).toEqual([['m1', 'm2'], ['other']]);
  });

  test('a packet is accepted once, whichever way and in whatever order it comes', () => {
    const clock = new FakeClock();
    const [speaker, hearer] = [new SealedPackets(sealer, clock), new SealedPackets(sealer, clock)];
    const packets = Array.from({ length: 400 }, (_, data) =>
      speaker.seal('channel', { uid: 'a', data: [data] }),
    );
    const heard = (...which: number[]): unknown[] =>
      which.map((n) => hearer.open('channel', packets[n] ?? Buffer.alloc(0))?.data[0]);
    expect(heard(3, 5, 4, 4, 5, 3, 6)).toEqual([3, 5, 4, undefined, undefined, undefined, 6]);
    // Neither older than the first one, nor too old.
    expect(heard(2, 399, 398, 7, 398)).toEqual([undefined, 399, 398, undefined, undefined]);
  });

  test('[faults: 292] a packet of a machine that slept is accepted: the time of its decisions lags, its wall clock does not', () => {
    const clock = new FakeClock();
    const speaker = new SealedPackets(sealer, {
      now: () => clock.now() - 3_600_000,
      wall: () => clock.wall(),
      monotonic: () => clock.monotonic(),
      after: (ms, fire) => clock.after(ms, fire),
    });
    const sealed = speaker.seal('channel', { uid: 'a', data: ['event'] });
    expect(new SealedPackets(sealer, clock).open('channel', sealed)).toEqual({
      uid: 'a',
      data: ['event'],
      isOwn: false,
    });
  });

  test('a recording from before a node started is rejected by its age', () => {
    const clock = new FakeClock();
    const sealed = new SealedPackets(sealer, clock).seal('channel', { uid: 'a', data: ['event'] });
    const newcomer = (): SealedPackets => new SealedPackets(sealer, clock);
    expect(newcomer().open('channel', sealed)).toEqual({ uid: 'a', data: ['event'], isOwn: false });
    clock.advance(6 * 60_000);
    expect(newcomer().open('channel', sealed)).toBeNull();
  });
});
