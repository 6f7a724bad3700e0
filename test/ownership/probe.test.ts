/** [architecture §4, Fail-over] Only a refused connection proves that a node is dead. */
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isRefused } from '../../src/ownership/probe.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { freePort } from '../support/ports.ts';

let clock: FakeClock;
let server: net.Server;
beforeEach(() => {
  clock = new FakeClock();
  server = net.createServer();
});
afterEach(() => void server.close());

test.each(['127.0.0.1', 'localhost', '[::1]'])('a port of %s without a listener refuses', async (host) => {
  expect(await isRefused(`wss://${host}:${await freePort()}`, clock)).toBe(true);
  expect(clock.pending).toBe(0);
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '[::1]'],
])('a port of %s with a listener does not, and the connection is closed at once', async (address, host) => {
  const port = await freePort();
  server.listen(port, address);
  await once(server, 'listening');
  const connected = once(server, 'connection');
  expect(await isRefused(`wss://${host}:${port}`, clock)).toBe(false);
  const [socket] = await connected;
  if (!(socket instanceof net.Socket)) throw new TypeError('the server accepts sockets');
  socket.resume();
  await once(socket, 'close');
  expect(clock.pending).toBe(0);
});

test('an unreachable address proves nothing', async () => {
  expect(await isRefused('wss://255.255.255.255:1', clock)).toBe(false);
});

test('a port that has not refused within a quarter of a second proves nothing', async () => {
  const url = `wss://127.0.0.1:${await freePort()}`;
  const [late, early] = [isRefused(url, clock), new FakeClock()];
  const inTime = isRefused(url, early);
  clock.advance(250);
  early.advance(249);
  expect([await late, await inTime]).toEqual([false, true]);
});
