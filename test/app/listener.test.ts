/** [operator-interface §2 DRAIN_TIMEOUT_MS] How long a request in flight may delay the stop. */
import http from 'node:http';
import { expect, test } from '@jest/globals';
import { listen, StartError, stopListening } from '../../src/app/listener.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { listening } from '../support/ports.ts';

/** A server with one request in flight that is told to stop within `leftMs`. */
async function stopping(leftMs: number, lastCall?: () => void) {
  const clock = new FakeClock();
  const server = http.createServer();
  const underWay = new Promise<http.ServerResponse>((resolve) =>
    server.once('request', (_, response) => resolve(response)),
  );
  const url = `http://127.0.0.1:${await listening(server)}`;
  const answer = fetch(url).then(
    ({ status }) => status,
    () => 'cut off',
  );
  const response = await underWay;
  return { clock, answer, response, stopped: stopListening(server, clock, leftMs, lastCall) };
}

test('a request in flight may take as long as the whole stop', async () => {
  const { clock, answer, response, stopped } = await stopping(60_000);
  clock.advance(58_000);
  response.end();
  expect(await answer).toBe(200);
  await stopped;
});

test('a request in flight may not take longer than the stop', async () => {
  const { clock, answer, stopped } = await stopping(60_000);
  clock.advance(59_000);
  expect(await answer).toBe('cut off');
  await stopped;
});

test('the request that delays the stop is logged a second before its end', async () => {
  let told = 0;
  const { clock, answer, response, stopped } = await stopping(60_000, () => (told += 1));
  clock.advance(57_999);
  expect(told).toBe(0);
  clock.advance(1);
  expect(told).toBe(1);
  response.end();
  expect(await answer).toBe(200);
  await stopped;
});

test('a port in use ends the start; later errors of the server are logged, each time, and it continues', async () => {
  const server = http.createServer((_, response) => response.end('here'));
  const told: string[] = [];
  const tell = (error: Error): void => void told.push(error.message);
  const url = await listen(server, { host: '127.0.0.1', port: 0 }, tell);
  const { port } = new URL(url);
  const second = listen(http.createServer(), { host: '127.0.0.1', port: Number(port) }, tell);
  await expect(second).rejects.toBeInstanceOf(StartError);
  for (const message of ['EMFILE', 'ENFILE']) server.emit('error', new Error(message));
  expect(told).toEqual(['EMFILE', 'ENFILE']);
  expect(await (await fetch(url)).text()).toBe('here');
  await stopListening(server, new FakeClock(), 60_000);
});
