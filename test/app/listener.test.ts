/** [operator-interface §2 DRAIN_TIMEOUT_MS] How long a request under way may hold the stop back. */
import http from 'node:http';
import { expect, test } from '@jest/globals';
import { listen, StartError, stopListening } from '../../src/app/listener.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { listening } from '../support/ports.ts';

/** A server with one request under way, told to stop within `leftMs`. */
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

test('as long as the stop as a whole may take', async () => {
  const { clock, answer, response, stopped } = await stopping(60_000);
  clock.advance(58_000);
  response.end();
  expect(await answer).toBe(200);
  await stopped;
});

test('and no longer', async () => {
  const { clock, answer, stopped } = await stopping(60_000);
  clock.advance(59_000);
  expect(await answer).toBe('cut off');
  await stopped;
});

test('what holds it up is told a second before', async () => {
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

test('a port that is taken ends the start; what a server says of itself later is told, each time, and it goes on', async () => {
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
