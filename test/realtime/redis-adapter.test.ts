import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Socket } from 'socket.io-client';
import { Redis } from 'ioredis';
import { redisAdapter } from '../../src/adapters/realtime/redis-adapter.ts';
import { makeLog, silentLog } from '../../src/kernel/log.ts';
import { RedisServer, describeWithRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { eventOf, liveServer, missedOf, next, subscribe } from './support.ts';

/** Ids in the order of their arrival. */
function idsOf(socket: Socket): string[] {
  const ids: string[] = [];
  socket.on('event', ({ data }) => ids.push(data.message_id));
  return ids;
}

const question = 'are you there';
const isNews = (id: string): boolean => id !== question;

describeWithRedis('the live feed of several nodes [architecture §8]', () => {
  let server: RedisServer;
  let cleanups: (() => unknown)[];
  beforeEach(async () => {
    cleanups = [];
    server = await RedisServer.start();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
    await server.stop();
  });

  async function node(log = silentLog): ReturnType<typeof liveServer> {
    const bridge = await redisAdapter(server.url, log);
    const made = await liveServer({ adapter: bridge, log });
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

  /** A feed that had nobody to speak to begins within 100 ms: spoken to until it is heard. */
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

  test('a node with subscribers of its own reaches those of the others too', async () => {
    const [a, b] = [await node(), await node()];
    const onA = idsOf(await connected(a.url, 'key-a'));
    const onB = idsOf(await connected(b.url, 'key-a'));
    await untilHeard(a.feed, 'account-a', onB);

    a.feed.publish('account-a', eventOf('m1'));
    await until('the event on both', () => onA.includes('m1') && onB.includes('m1'));

    expect([onA.filter(isNews), onB.filter(isNews)]).toEqual([['m1'], ['m1']]);
  });

  test.each(['empty', 'same'] as const)(
    'Redis killed and back (%s): the feed recovers by itself',
    async (memory) => {
      const logged: string[] = [];
      const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line).msg) });
      const [a, b] = [await node(log), await node()];
      const onB = idsOf(await connected(b.url, 'key-a'));
      await untilHeard(a.feed, 'account-a', onB);

      await server.kill9();
      await until('the loss to be seen', () => logged.includes('live.redis-away'));
      a.feed.publish('account-a', eventOf('lost'));
      b.feed.publish('account-a', eventOf('of its own node'));
      await until('the event of its own node', () => onB.includes('of its own node'));
      await server.restart(memory);
      onB.length = 0;

      expect(await untilHeard(a.feed, 'account-a', onB)).toBe(question);
      expect(logged).toEqual(['live.redis-away', 'live.redis-back']);
    },
  );

  test('what other nodes said while Redis was away is said again from the log when it is back', async () => {
    const asked: number[] = [];
    const bridge = await redisAdapter(server.url, silentLog);
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

  test('a node that starts without Redis has a feed once Redis is there', async () => {
    await server.kill9();
    const [a, b] = [await node(), await node()];
    const onB = idsOf(await connected(b.url, 'key-a'));

    await server.restart('empty');

    expect(await untilHeard(a.feed, 'account-a', onB)).toBe(question);
  });

  test('what is no packet ends nothing', async () => {
    const [a, b] = [await node(), await node()];
    const onB = idsOf(await connected(b.url, 'key-a'));
    await untilHeard(a.feed, 'account-a', onB);
    const stranger = new Redis(server.url);
    cleanups.push(() => stranger.disconnect());

    for (const bytes of ['{', '[]', '["x"]', 'null', Buffer.from([0xc1, 0xff])]) {
      await stranger.publish('trunkline:live#/live#account-a#', bytes);
      await stranger.publish('trunkline:live-request#/live#', bytes);
    }
    onB.length = 0;

    expect(await untilHeard(a.feed, 'account-a', onB)).toBe(question);
  });
});
