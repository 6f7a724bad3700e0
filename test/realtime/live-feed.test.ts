import { once } from 'node:events';
import { setImmediate as anotherTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { io } from 'socket.io-client';
import type { Socket } from 'socket.io-client';
import { makeLog } from '../../src/kernel/log.ts';
import { HandClock } from '../jobs/hand-clock.ts';
import { closedAfterEach } from '../support/closing.ts';
import {
  envelope,
  eventOf,
  frame,
  liveServer,
  newcomer,
  next,
  stalledSubscriber,
  subscribe,
} from './support.ts';

const closeLater = closedAfterEach();

async function served(...args: Parameters<typeof liveServer>) {
  const made = await liveServer(...args);
  closeLater(made.close);
  return made;
}

function client(...args: Parameters<typeof subscribe>): Socket {
  const socket = subscribe(...args);
  closeLater(() => socket.disconnect());
  return socket;
}

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

async function refusalOf(socket: Socket): Promise<unknown> {
  const [error] = await next(socket, 'connect_error');
  return error instanceof Error && 'data' in error ? error.data : String(error);
}

describe('the live feed of an account [architecture §8]', () => {
  test.each([[['polling', 'websocket']], [['websocket']], [['polling']]])(
    'carries the envelope as it is, over %j',
    async (transports) => {
      const { url, feed } = await served();
      const socket = await connected(url, 'key-a', { transports });
      const arrived = next(socket, 'event');

      feed.publish('account-a', eventOf('m1'));

      const delivery = { webhook_id: 'delivery of m1', signature: null, at: expect.stringMatching(/Z$/) };
      expect(await arrived).toEqual([envelope('m1'), delivery]);
    },
  );

  test('two accounts never see each other’s events', async () => {
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

  test('while keys can’t be looked up the answer is to try again', async () => {
    const { url } = await served({ authenticate: () => Promise.reject(new Error('store away')) });

    expect(await refusalOf(client(url, 'key-a'))).toEqual({ code: 'unavailable' });
  });

  test('no other namespace lets anybody in', async () => {
    const { url } = await served();

    const socket = io(url, { path: '/live/socket.io', reconnection: false, auth: { apiKey: 'key-a' } });
    closeLater(() => socket.disconnect());

    expect(await refusalOf(socket)).toEqual({ code: 'unknown_namespace' });
  });

  test('[faults: 95] a message that comes byte by byte ends the connection: 1008', async () => {
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
    const clock = new HandClock();
    const { url, keys } = await served({ clock });
    const revoked = await connected(url, 'key-a');
    const kept = await connected(url, 'key-b');
    const gone = next(revoked, 'disconnect');

    keys.delete('key-a');
    await clock.pass(5_000);

    expect(await gone).toEqual(['io server disconnect', undefined]);
    expect(kept.connected).toBe(true);
  });

  test('twenty connections of an account are the most', async () => {
    const { url } = await served();
    const options = { transports: ['websocket'] };
    await Promise.all(Array.from({ length: 20 }, () => connected(url, 'key-a', options)));

    expect(await refusalOf(client(url, 'key-a', options))).toEqual({ code: 'too_many' });
    await connected(url, 'key-b', options);
  });
});

describe('bounds [faults: I11]', () => {
  test('[faults: 112] who leaves the feed loses the connection: none is held that nobody counts', async () => {
    const { port } = await served();
    const { socket, hears } = await newcomer(port);
    socket.write(frame('40/live,{"apiKey":"key-a"}'));
    await hears('caught_up');
    const closed = once(socket, 'close');

    socket.write(frame('41/live,'));

    expect(await closed).toEqual([false]);
  });

  test('[faults: 112] who is gone before the key was looked up takes no place of the account', async () => {
    const asked = { begun: 0, ended: 0 };
    const { port, url } = await served({
      admit: async (_, { isGone }) => {
        asked.begun += 1;
        while (asked.begun <= 20 && !isGone()) await anotherTurn();
        asked.ended += 1;
        return { accountId: 'account-a' };
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

  test('a subscriber that sends more than 4 KB is dropped', async () => {
    const { url } = await served();
    const socket = await connected(url, 'key-a', { transports: ['websocket'] });
    const gone = next(socket, 'disconnect');

    socket.emit('anything', 'x'.repeat(5_000));

    expect((await gone)[0]).toBe('transport close');
  });

  test('a subscriber that does not read is dropped and holds up nobody', async () => {
    const lines: string[] = [];
    const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) });
    const { port, url, feed } = await served({ log });
    const slow = await stalledSubscriber(port, 'key-a');
    closeLater(() => slow.destroy());
    const healthy = await connected(url, 'key-a', { transports: ['websocket'] });
    let seen = 0;
    healthy.on('event', () => (seen += 1));
    const big = { ...envelope('m'), data: { message_id: 'm', text: 'x'.repeat(50_000) } };

    let published = 0;
    for (; lines.length === 0 && published < 2_000; published += 1) {
      const arrived = next(healthy, 'event');
      feed.publish('account-a', { envelope: big, deliveryId: crypto.randomUUID(), sign: () => null });
      await arrived;
    }

    expect(lines).toEqual(['live.slow-consumer']);
    expect(seen).toBe(published);
    expect(healthy.connected).toBe(true);
  });
});

describe('the server it stands before', () => {
  test('answers everything else as before', async () => {
    const { url } = await served();

    const answer = await fetch(`${url}/live/other`);

    expect([answer.status, await answer.text()]).toEqual([404, 'not here']);
  });

  test('costs nothing until somebody asks for the feed', async () => {
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
