/**
 * [operator-interface §2 DRAIN_TIMEOUT_MS; faults: 440-442] A listener that stops: how long a request in flight may delay it, every connection
 * that the kernel has made is answered, and nobody who only connects delays it.
 */
import http from 'node:http';
import net from 'node:net';
import { expect, test } from '@jest/globals';
import { closeEmptied } from '../../src/app/close-emptied.ts';
import { endWithAnswers, stopListening } from '../../src/app/stop-listening.ts';
import { ConnectionShares } from '../../src/kernel/connection-shares.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { listening } from '../support/ports.ts';
import { until } from '../support/until.ts';

/** A server with one request in flight that is told to stop within a minute. */
async function stopping(lastCall = (): void => undefined) {
  const clock = new FakeClock();
  const connections = new ConnectionShares(10, () => undefined);
  const server = http.createServer((...asked) => connections.asked(...asked));
  connections.guard(server);
  const underWay = new Promise<http.ServerResponse>((resolve) =>
    server.once('request', (_, response) => resolve(response)),
  );
  const url = `http://127.0.0.1:${await listening(server)}`;
  const answer = fetch(url).then(
    ({ status }) => status,
    () => 'cut off',
  );
  const response = await underWay;
  return {
    clock,
    answer,
    response,
    stopped: stopListening(server, connections, { clock, leftMs: 60_000, lastCall }),
  };
}

test('a request in flight may take as long as the whole stop', async () => {
  const { clock, answer, response, stopped } = await stopping();
  clock.advance(58_000);
  response.end();
  expect(await answer).toBe(200);
  await stopped;
});

test('a request in flight may not take longer than the stop', async () => {
  const { clock, answer, stopped } = await stopping();
  clock.advance(59_000);
  expect(await answer).toBe('cut off');
  await stopped;
});

test('a listener that ends with its answers already is not told a second time', async () => {
  const server = http.createServer();
  await listening(server);
  endWithAnswers(server);
  const connections = new ConnectionShares(10, () => undefined);
  const stopped = stopListening(server, connections, { clock: systemClock, leftMs: 2_000 });
  expect(server.listenerCount('request')).toBe(1);
  await stopped;
});

test('those who wait for other nodes are answered a second before open requests are cut off', async () => {
  let told = 0;
  const { clock, answer, response, stopped } = await stopping(() => (told += 1));
  clock.advance(57_999);
  expect(told).toBe(0);
  clock.advance(1);
  expect(told).toBe(1);
  response.end();
  expect(await answer).toBe(200);
  await stopped;
});

const stopMs = 60_000;
const post = 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nhi';

/** A server that answers each request `answerMs` after its last byte. */
async function answering(answerMs = 0) {
  const connections = new ConnectionShares(1_000, () => undefined);
  const server = http.createServer((request, response) => {
    connections.asked(request, response);
    request.resume().on('end', () => setTimeout(() => response.end('here'), answerMs));
  });
  connections.guard(server);
  return { server, connections, port: await listening(server) };
}

interface Talk {
  socket: net.Socket;
  /** What the server said until the end of the connection; `refused`: there was none; `reset`: it broke. */
  said: Promise<string>;
}

function talk(port: number, bytes: string): Talk {
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  if (bytes !== '') socket.write(bytes);
  const said = new Promise<string>((resolve) => {
    socket.on('end', () => resolve(text)).on('close', () => resolve(text));
    // The kernel may have made and broken it before this process hears of either.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'reset'),
    );
  });
  return { socket, said };
}

const isAnswer = (said: string): boolean =>
  /^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n[^]*here/.test(said);

test('connections that wait to be accepted when the stop begins are answered', async () => {
  const { server, connections, port } = await answering();
  const talks = Array.from({ length: 50 }, () => talk(port, post));
  // The kernel has made them by then, and nobody has accepted them: both happen in this turn of the event loop.
  const stopped = new Promise((resolve) =>
    process.nextTick(() =>
      resolve(stopListening(server, connections, { clock: systemClock, leftMs: stopMs })),
    ),
  );
  const said = await Promise.all(talks.map((one) => one.said));
  expect(said.filter((text) => !isAnswer(text))).toEqual([]);
  await stopped;
  expect(await talk(port, post).said).toBe('refused');
});

test('a connection that the kernel makes in a long turn of the event loop, after its look for new ones, is answered', async () => {
  const { server, port } = await answering();
  const talks: Talk[] = [];
  /** Each wait is followed by a turn that is as long as the listener has to be quiet, and brings a connection at its end; once. */
  const clock: Clock = {
    ...systemClock,
    after(_, fire) {
      setImmediate(() => {
        fire();
        setImmediate(() => setImmediate(longTurn));
      });
      return () => undefined;
    },
  };
  const longTurn = (): void => {
    if (talks.length > 0) return;
    for (const end = systemClock.monotonic() + 6; systemClock.monotonic() < end;);
    talks.push(talk(port, post));
  };
  await closeEmptied(server, clock, stopMs);
  expect(talks).toHaveLength(1);
  const said = await Promise.all(talks.map((one) => one.said));
  expect(said.filter((text) => !text.startsWith('HTTP/1.1 200'))).toEqual([]);
});

test('clients that connect again after each answer are answered or refused, none is reset', async () => {
  const { server, connections, port } = await answering(2);
  const said: string[] = [];
  const client = async (): Promise<void> => {
    while (said.at(-1) !== 'refused')
      said.push(await talk(port, post.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')).said);
  };
  const clients = Promise.all(Array.from({ length: 32 }, client));
  await until('some to be answered', () => said.length > 200);
  await stopListening(server, connections, { clock: systemClock, leftMs: stopMs });
  await clients;
  expect(said.filter((text) => text !== 'refused' && !isAnswer(text))).toEqual([]);
});

test('a request that has arrived on an idle connection when the stop begins is answered', async () => {
  const { server, connections, port } = await answering();
  const { socket, said } = talk(port, post);
  await new Promise((resolve) => socket.once('data', resolve));
  // In the same turn of the event loop: it lies in the receive buffer.
  socket.write(post);
  await stopListening(server, connections, { clock: systemClock, leftMs: stopMs });
  const [first, second] = (await said).split(/(?=HTTP)/);
  expect([first, second].map((text = '') => isAnswer(text))).toEqual([false, true]);
});

test.each([
  ['that has never asked', ''],
  ['whose headers do not end', 'POST / HTTP/1.1\r\nHost: here\r\nX-Slow: '],
  ['whose next request does not get beyond its headers', `${post}POST / HTTP/1.1\r\nHost: `],
])('a connection %s delays the stop by two seconds', async (_, bytes) => {
  const clock = new FakeClock();
  const { server, connections, port } = await answering();
  const { socket, said } = talk(port, bytes);
  const accepted = new Promise((resolve) => server.once('connection', resolve));
  await accepted;
  if (bytes.startsWith(post)) await new Promise((resolve) => socket.once('data', resolve));
  let isStopped = false;
  const stopped = stopListening(server, connections, { clock, leftMs: stopMs }).then(
    () => (isStopped = true),
  );
  // In steps, because what a timer began goes on only after the event loop has looked at the sockets.
  for (let ms = 0; ms < 1_950; ms += 50) await clock.pass(50);
  expect(isStopped).toBe(false);
  for (let ms = 0; ms < 500; ms += 50) await clock.pass(50);
  await stopped;
  await said;
});
