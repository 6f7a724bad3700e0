import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket as NetSocket } from 'node:net';
import { setImmediate as anotherTurn } from 'node:timers/promises';
import { describe, expect, jest, test } from '@jest/globals';
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import { makeLog } from '../../../src/kernel/log.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { countTurns } from '../../support/loop-turns.ts';
import { until } from '../../support/until.ts';
import {
  envelope,
  eventOf,
  frame,
  newcomer,
  next,
  openedForTest,
  stalledSubscriber,
  subscribe,
  webSocket,
  refusalOf,
} from './support.ts';

const { closeLater, served, client } = openedForTest();

async function connected(...args: Parameters<typeof subscribe>): Promise<Socket> {
  const socket = client(...args);
  await next(socket, 'connect');
  return socket;
}

function idsUntilEnd(socket: Socket): Promise<string[]> {
  const ids: string[] = [];
  return new Promise((resolve) => {
    socket.on('event', ({ data }) => {
      ids.push(data.message_id);
      if (data.message_id.startsWith('end')) resolve(ids);
    });
  });
}

const fiftyAndEnd = (letter: string): string[] => [
  ...Array.from({ length: 50 }, (_, count) => letter + count),
  `end-${letter}`,
];

describe('the live feed of an account [architecture §8]', () => {
  test.each([[['polling', 'websocket']], [['websocket']], [['polling']]])(
    'carries the unchanged envelope, over %j',
    async (transports) => {
      const { url, feed } = await served();
      const socket = await connected(url, 'key-a', { transports });
      const arrived = next(socket, 'event');

      feed.publish('account-a', eventOf('m1'));

      const unsigned = { signature: null, webhook_timestamp: null, webhook_signature: null };
      const delivery = { webhook_id: 'delivery of m1', ...unsigned, at: expect.stringMatching(/Z$/) };
      expect(await arrived).toEqual([envelope('m1'), delivery]);
    },
  );

  test("no account sees another account's events", async () => {
    const { url, feed } = await served();
    const sockets = await Promise.all([
      connected(url, 'key-a'),
      connected(url, 'key-a'),
      connected(url, 'key-b', { transports: ['websocket'] }),
    ]);
    const seen = Promise.all(sockets.map(idsUntilEnd));

    for (let count = 0; count < 50; count += 1) {
      feed.publish('account-a', eventOf(`a${count}`));
      feed.publish('account-b', eventOf(`b${count}`));
    }
    feed.publish('account-a', eventOf('end-a'));
    feed.publish('account-b', eventOf('end-b'));

    expect(await seen).toEqual([fiftyAndEnd('a'), fiftyAndEnd('a'), fiftyAndEnd('b')]);
  });

  test.each([
    ['a wrong key', 'key-c'],
    ['no key', undefined],
    ['a key that is no text', { $ne: null }],
  ])('%s is a connect_error', async (_, apiKey) => {
    const { url } = await served();

    expect(await refusalOf(client(url, apiKey))).toEqual({ code: 'unauthorized' });
  });

  test('a key that may not read messages gets no events', async () => {
    const { url } = await served();

    expect(await refusalOf(client(url, 'key-blind'))).toEqual({ code: 'scope_missing' });
  });

  test('while keys cannot be looked up the answer is to try again', async () => {
    const { url } = await served({ authenticate: () => Promise.reject(new Error('store away')) });

    expect(await refusalOf(client(url, 'key-a'))).toEqual({ code: 'unavailable' });
  });

  test('no other namespace accepts connections', async () => {
    const { url } = await served();

    const socket = io(url, { path: '/live/socket.io', reconnection: false, auth: { apiKey: 'key-a' } });
    closeLater(() => socket.disconnect());

    expect(await refusalOf(socket)).toEqual({ code: 'unknown_namespace' });
  });

  test('[faults: 95] a message that arrives byte by byte ends the connection: 1008', async () => {
    const { port } = await served();
    const { socket } = await newcomer(port);
    const heard: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => heard.push(bytes));
    const [begins, goesOn] = [0x01, 0x00].map((head) => Buffer.from([head, 0x81, 0, 0, 0, 0, 0x34]));
    socket.write(
      Buffer.concat([begins ?? Buffer.of(), ...Array.from({ length: 20 }, () => goesOn ?? Buffer.of())]),
    );
    await once(socket, 'close');
    expect(Buffer.concat(heard).includes(Buffer.from([0x88, 0x02, 0x03, 0xf0]))).toBe(true);
  });

  test('a revoked key is served no longer than 5 s', async () => {
    const clock = new FakeClock();
    const { url, keys } = await served({ clock });
    const revoked = await connected(url, 'key-a');
    const kept = await connected(url, 'key-b');
    const gone = next(revoked, 'disconnect');

    keys.delete('key-a');
    await clock.pass(5_000);

    expect(await gone).toEqual(['io server disconnect', undefined]);
    expect(kept.connected).toBe(true);
  });

  test('an account may have twenty connections', async () => {
    const { url } = await served();
    const options = { transports: ['websocket'] };
    await Promise.all(Array.from({ length: 20 }, () => connected(url, 'key-a', options)));

    expect(await refusalOf(client(url, 'key-a', options))).toEqual({ code: 'too_many' });
    await connected(url, 'key-b', options);
  });
});

describe('bounds [faults: I11]', () => {
  test("[faults: 112] a subscriber that leaves the feed's namespace is disconnected: every open connection is counted", async () => {
    const { port } = await served();
    const { socket, hears } = await newcomer(port);
    socket.write(frame('40/live,{"apiKey":"key-a"}'));
    await hears('caught_up');
    const closed = once(socket, 'close');

    socket.write(frame('41/live,'));

    expect(await closed).toEqual([false]);
  });

  test('[faults: 112] a subscriber that disconnects before its key was looked up does not count for the account', async () => {
    const asked = { begun: 0, ended: 0 };
    const { port, url } = await served({
      admit: async (_, { isGone }) => {
        asked.begun += 1;
        while (asked.begun <= 20 && !isGone()) await anotherTurn();
        asked.ended += 1;
        return { accountId: 'account-a', mayRead: true };
      },
    });
    const leaving = await Promise.all(Array.from({ length: 20 }, () => newcomer(port)));
    for (const { socket } of leaving) socket.write(frame('40/live,{"apiKey":"key-a"}'));
    while (asked.begun < 20) await anotherTurn();
    for (const { socket } of leaving) socket.destroy();
    while (asked.ended < 20) await anotherTurn();

    const socket = client(url, 'key-a');
    expect(await Promise.race([next(socket, 'connect'), refusalOf(socket)])).toEqual([]);
  });

  const admitted = frame('40/live,{"apiKey":"key-a"}');
  const pingFrame = (text: string): Buffer =>
    Buffer.concat([Buffer.from([0x89, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);

  test.each([
    ['answers to no ping', frame('3')],
    ['events', frame('42/live,["x"]')],
    ['pings of its own', pingFrame('')],
  ])('[faults: 186] a subscriber that sends more than its key is disconnected: %s', async (_, said) => {
    const clock = new FakeClock();
    const { port } = await served({ clock });
    const { socket, hears } = await newcomer(port);
    const closed = once(socket, 'close');
    const say = (times: number, last: string): boolean =>
      socket.write(Buffer.concat([...Array.from({ length: times }, () => said), pingFrame(last)]));
    socket.write(admitted);
    await hears('caught_up');

    say(58, 'sixty');
    await hears('sixty');
    await clock.pass(5_000);
    say(9, 'ten more');
    await hears('ten more');
    socket.write(said);

    expect(await closed).toEqual([false]);
  });

  test("[faults: 186] each frame of a new connection's packet gets its own turn of the event loop", async () => {
    const { port } = await served();
    const { socket, hears } = await newcomer(port);
    const turns = countTurns();
    socket.write(Buffer.concat([...Array.from({ length: 59 }, () => frame('3')), admitted]));
    await hears('caught_up');
    expect(turns()).toBeGreaterThanOrEqual(59);
    socket.destroy();
  });

  test('[faults: 186] a poll with hundreds of packets ends its session', async () => {
    const { url } = await served();
    const engine = `${url}/live/socket.io/?EIO=4&transport=polling`;
    const { sid } = JSON.parse((await (await fetch(engine)).text()).slice(1));
    const few = Array<string>(60).fill('3').join('\x1e');
    expect((await fetch(`${engine}&sid=${sid}`, { method: 'POST', body: few })).status).toBe(200);
    expect((await fetch(`${engine}&sid=${sid}`, { method: 'POST', body: few })).status).toBe(200);
    expect((await fetch(`${engine}&sid=${sid}`)).status).toBe(400);
  });

  test('[faults: 95] a refused session ends, though nobody polls for the news', async () => {
    const clock = new FakeClock();
    const { url } = await served({ clock });
    const engine = `${url}/live/socket.io/?EIO=4&transport=polling`;
    const { sid } = JSON.parse((await (await fetch(engine)).text()).slice(1));
    const body = `40/live,${JSON.stringify({ apiKey: 'wrong' })}`;
    expect((await fetch(`${engine}&sid=${sid}`, { method: 'POST', body })).status).toBe(200);
    expect(await (await fetch(`${engine}&sid=${sid}`)).text()).toContain('unauthorized');
    await clock.pass(1_000);
    expect((await fetch(`${engine}&sid=${sid}`)).status).toBe(400);
  });

  test('[faults: 95] a refused session that upgrades before it has ended leaves no timer behind', async () => {
    const clock = new FakeClock();
    const { url, port } = await served({ clock });
    const engine = `${url}/live/socket.io/?EIO=4&transport=polling`;
    const { sid } = JSON.parse((await (await fetch(engine)).text()).slice(1));
    const made = jest.spyOn(globalThis, 'setTimeout');
    const cleared = jest.spyOn(globalThis, 'clearTimeout');
    closeLater(() => jest.restoreAllMocks());
    /** Timers that run: of engine.io for a transport that closes, and of ws for a closing handshake. */
    const halfMinuteTimers = () =>
      made.mock.results
        .filter((_, call) => made.mock.calls[call]?.[1] === 30_000)
        .filter(({ value }) => !cleared.mock.calls.some(([timer]) => timer === value));
    const poll = fetch(`${engine}&sid=${sid}`);
    const body = `40/live,${JSON.stringify({ apiKey: 'wrong' })}`;
    expect((await fetch(`${engine}&sid=${sid}`, { method: 'POST', body })).status).toBe(200);
    expect(await (await poll).text()).toContain('unauthorized');
    await until('the timer of the closing transport', () => halfMinuteTimers().length > 0);

    const { socket, hears } = webSocket(port, sid);
    closeLater(() => socket.destroy());
    const ended = once(socket, 'close');
    socket.write(frame('2probe'));
    await hears('3probe');
    const closingHandshake = once(socket, 'data'); // this client does not answer it
    socket.write(frame('5'));
    await closingHandshake;
    await clock.pass(1_000);

    await ended;
    await until('every timer to end', () => halfMinuteTimers().length === 0, 10_000);
  });

  test.each(['a session', 'no session'])(
    '[faults: 187] a body that continues after its answer ends its connection: %s',
    async (whose) => {
      const { url, port } = await served();
      const engine = '/live/socket.io/?EIO=4&transport=polling';
      const { sid } = JSON.parse((await (await fetch(url + engine)).text()).slice(1));
      const socket = connect(port, '127.0.0.1');
      closeLater(() => socket.destroy());
      const closed = once(socket, 'close');
      socket.on('error', () => undefined).resume();
      socket.write(
        `POST ${engine}&sid=${whose === 'a session' ? sid : 'none'} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `1000\r\n${'x'.repeat(4_096)}\r\n1\r\nx\r\n`,
      );
      await closed;
      expect((await fetch(`${url}/other`)).status).toBe(404);
    },
  );

  test('a subscriber that sends more than 4 KB is disconnected', async () => {
    const { url } = await served();
    const socket = await connected(url, 'key-a', { transports: ['websocket'] });
    const gone = next(socket, 'disconnect');

    socket.emit('anything', 'x'.repeat(5_000));

    expect((await gone)[0]).toBe('transport close');
  });

  /** Subscribers that do not read, with a healthy one; and how many published bytes are still buffered in this process. */
  async function stalled(slowAccounts: readonly string[]) {
    const accountsEnded: unknown[] = [];
    const log = makeLog('info', {
      write: (line) => {
        const { msg, account } = JSON.parse(line);
        if (msg === 'live.slow-consumer') accountsEnded.push(account);
      },
    });
    const { server, port, url, feed, keys } = await served({ log });
    const ends = new Map<number | undefined, NetSocket>();
    server.on('connection', (end: NetSocket) => ends.set(end.remotePort, end));
    const slow: { account: string; end: NetSocket; before: number }[] = [];
    for (const account of slowAccounts) {
      keys.set(account, account);
      const socket = await stalledSubscriber(port, account);
      closeLater(() => socket.destroy());
      const end = ends.get(socket.localPort);
      if (end === undefined) throw new Error('no connection of that port');
      slow.push({ account, end, before: writtenTo(end) });
    }
    const healthy = await connected(url, 'key-a', { transports: ['websocket'] });
    const published = new Map<string, number>();
    const publishTo = (accountId: string): void => {
      const event = { ...envelope('m'), data: { message_id: 'm', text: '€'.repeat(20_000) } };
      published.set(accountId, (published.get(accountId) ?? 0) + Buffer.byteLength(JSON.stringify(event)));
      feed.publish(accountId, { envelope: event, deliveryId: crypto.randomUUID(), sign: () => null });
    };
    const unread = (): number[] =>
      slow
        .filter(({ end }) => !end.destroyed)
        .map(({ account, end, before }) => (published.get(account) ?? 0) - writtenTo(end) + before);
    return { accountsEnded, healthy, publishTo, unread };
  }

  const writtenTo = (end: NetSocket): number => end.bytesWritten - end.writableLength;
  const event = 60_200;
  const mib = 2 ** 20;

  test('[faults: 185] a subscriber that leaves 4 MB unread is disconnected, counted in bytes until its socket accepts them, and delays nobody', async () => {
    const { accountsEnded, healthy, publishTo, unread } = await stalled(['account-a']);
    let most = 0;
    for (let burst = 0; burst < 20 && accountsEnded.length === 0; burst += 1) {
      const heard = howMany(healthy, 40);
      for (let n = 0; n < 40; n += 1) {
        publishTo('account-a');
        most = Math.max(most, ...unread());
      }
      await heard;
    }

    expect([accountsEnded, healthy.connected]).toEqual([['account-a'], true]);
    expect(most).toBeGreaterThan(4 * mib - 2 * event);
    expect(most).toBeLessThan(4 * mib + event);
  });

  test('[faults: 185] if subscribers together leave 64 MB unread, the account that holds most loses its connection with the most bytes', async () => {
    const few = Array.from({ length: 6 }, () => 'slow-few');
    const many = Array.from({ length: 16 }, () => 'slow-many');
    const { accountsEnded, healthy, publishTo, unread } = await stalled([...few, ...many]);
    const inAll = (): number => unread().reduce((sum, bytes) => sum + bytes, 0);
    let most = 0;
    for (let n = 0; n < 1_000 && accountsEnded.length === 0; n += 1) {
      const heard = howMany(healthy, 1);
      for (const account of ['slow-few', 'slow-many', 'account-a']) publishTo(account);
      most = Math.max(most, inAll());
      await heard;
    }

    expect([new Set(accountsEnded), healthy.connected]).toEqual([new Set(['slow-many']), true]);
    expect(most).toBeLessThan(64 * mib + few.length * event);
  });
});

function howMany(socket: Socket, events: number): Promise<void> {
  let left = events;
  return new Promise((resolve) => socket.on('event', () => void ((left -= 1) === 0 && resolve())));
}

describe('the HTTP server behind the feed', () => {
  test('answers everything else as before', async () => {
    const { url } = await served();

    const answer = await fetch(`${url}/live/other`);

    expect([answer.status, await answer.text()]).toEqual([404, 'not here']);
  });

  test('has no cost of the feed until a client connects to it', async () => {
    const { feed, url } = await served();

    feed.publish('account-a', eventOf('m1'));
    await fetch(url);

    expect(await feed.close()).toBe(undefined);
    expect((await fetch(`${url}/live/socket.io/?EIO=4&transport=polling`)).status).toBe(503);
  });

  test('can be closed while feeds are open', async () => {
    const made = await served();
    const socket = await connected(made.url, 'key-a', { transports: ['websocket'] });
    const gone = next(socket, 'disconnect');

    await made.close();

    expect((await gone)[0]).toBe('transport close');
  });
});
