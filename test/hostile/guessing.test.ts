/** [faults: 95, 99] Guessing keys over the API and the live feed, and locking others out of them. */
import net from 'node:net';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { apiKeyPrefix } from '../../src/rules/api-key.ts';
import { next, subscribe } from '../features/live/support.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import { target, Wire } from './support.ts';
import type { Target } from './support.ts';

jest.setTimeout(60_000);

let attacked: Target;
let key: string;
const ends: (() => void)[] = [];
beforeEach(async () => {
  attacked = await target();
  ({ key } = await newAccount(attacked.service));
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await attacked.close();
});

const guess = (n: number): string => apiKeyPrefix + String(n).padStart(43, 'w');
const ask = (apiKey: string): string =>
  `GET /api/v1/redirects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\n\r\n`;

test('12,000 wrong keys pipelined over 12 connections: a valid key that is used for the first time does not wait for them', async () => {
  const wires = Array.from({ length: 12 }, () => new Wire(attacked.port));
  ends.push(...wires.map((wire) => () => wire.end()));
  for (const [index, wire] of wires.entries()) {
    void wire.write(Array.from({ length: 1_000 }, (_, n) => ask(guess(index * 1_000 + n))).join(''));
  }
  await wires[11]?.answers(1);
  const { status } = await attacked.service.call('GET', '/api/v1/redirects', { key });
  expect(status).toBe(200);
  await Promise.all(wires.map((wire) => wire.closed()));
  const looked = wires.flatMap(({ statuses }) => statuses).filter((one) => one === 401).length;
  // 100 at once, and ten more for each second of the test.
  expect(looked).toBeLessThan(1_000);
});

const engine = '/live/socket.io/?EIO=4&transport=polling';

/** The id of a new live-feed session without a key. */
async function session(): Promise<string> {
  const text = await (await fetch(attacked.service.url + engine)).text();
  return JSON.parse(text.slice(1)).sid;
}

test('1,000 handshakes without a key do not lock out a paying tenant', async () => {
  for (let n = 0; n < 1_000; n += 50) await Promise.all(Array.from({ length: 50 }, session));
  const socket = subscribe(attacked.service.url, key, { transports: ['websocket'] });
  ends.push(() => socket.disconnect());
  await next(socket, 'connect');
});

/** The engine.io packet that tells a session that the service has closed it. */
const sessionEnded = '1';

test('the oldest session without a key is closed if there are too many', async () => {
  await until('one to be forgotten before its own time is over', async () => {
    const first = await session();
    for (let n = 0; n < 500; n += 50) await Promise.all(Array.from({ length: 50 }, session));
    const answer = await fetch(`${attacked.service.url}${engine}&sid=${first}`);
    const said = await answer.text();
    // A session without a key lasts five seconds: a slow machine needs longer to open 500.
    if (answer.status === 200 && said === sessionEnded) return null;
    expect([answer.status, said]).toEqual([400, expect.stringContaining('Session ID unknown')]);
    return true;
  });
});

/** A WebSocket of the live feed, as bytes. */
async function feedSocket(): Promise<net.Socket> {
  const socket = net.connect(attacked.port, '127.0.0.1');
  ends.push(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(
    `GET /live/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
  );
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('"sid"')) resolve();
    });
  });
  return socket;
}

/** A masked text frame of less than 126 bytes; the mask is zero. */
const frame = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);

test("20,000 guesses over one socket: it is closed, and they count against the API's guess limit", async () => {
  const socket = await feedSocket();
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    Buffer.concat(
      Array.from({ length: 20_000 }, (_, n) => frame(`40/live,${JSON.stringify({ apiKey: guess(n) })}`)),
    ),
  );
  await closed;
  expect(heard.match(/"unauthorized"/g)?.length ?? 0).toBeLessThan(1_000);
});

test('guesses over sockets and over the API count together', async () => {
  let guesses = 0;
  let isOver = false;
  // The limit forgives ten a second, so the API's guesses continue until the socket has been answered.
  const guessOverApi = async (): Promise<void> => {
    while (!isOver) {
      const wire = new Wire(attacked.port);
      ends.push(() => wire.end());
      await wire.write(Array.from({ length: 200 }, () => ask(guess((guesses += 1)))).join(''));
      await wire.closed();
      wire.end();
    }
  };
  const guessing = guessOverApi();
  await until('a guess over a socket to be too many', async () => {
    const guesser = subscribe(attacked.service.url, guess(1_000_000 + (guesses += 1)), { forceNew: true });
    const [error] = await next(guesser, 'connect_error');
    guesser.disconnect();
    return error instanceof Error && 'data' in error && Object(error.data).code === 'too_many';
  });
  isOver = true;
  await guessing;
  const tenant = subscribe(attacked.service.url, key);
  ends.push(() => tenant.disconnect());
  await next(tenant, 'connect');
});

test('a refused socket is closed although the client does not close it', async () => {
  const socket = await feedSocket();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(frame(`40/live,${JSON.stringify({ apiKey: guess(1) })}`));
  await closed;
});
