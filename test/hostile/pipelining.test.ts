/** [faults: 99, I9] Many requests in one packet: each gets its own turn of the event loop. Counted, not timed. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newAccount } from '../support/world.ts';
import { countTurns } from '../support/loop-turns.ts';
import { target, Wire } from './support.ts';
import type { Target } from './support.ts';

let attacked: Target;
beforeAll(async () => {
  attacked = await target();
});
afterAll(() => attacked.close());

test.each(['/healthz', '/nothing', '/portal', '/live/socket.io/?EIO=4&transport=polling'])(
  '%s, 300 times in one packet: 300 turns, and the answers in order',
  async (path) => {
    const wire = new Wire(attacked.port);
    const turns = countTurns();
    await wire.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(300));
    await wire.answers(300);
    expect(turns()).toBeGreaterThanOrEqual(300);
    wire.end();
  },
);

test('pipelined requests of a connection are answered in order, with bodies too', async () => {
  const { key } = await newAccount(attacked.service);
  const body = JSON.stringify({ uri_pattern: 'https://app.example/cb' });
  const add = `POST /api/v1/redirects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const list = `GET /api/v1/redirects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
  const wire = new Wire(attacked.port);
  await wire.write(list + add + 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n' + list);
  await wire.answers(4);
  expect(wire.statuses).toEqual([200, 201, 404, 200]);
  expect(wire.heard.match(/"total":|"redirects":\[\]/g)?.length).toBeGreaterThanOrEqual(1);
  expect(wire.heard.indexOf('"redirects":[]')).toBeLessThan(wire.heard.indexOf('app.example'));
  wire.end();
});

test('a client that disconnects in the middle delays no other', async () => {
  const wire = new Wire(attacked.port);
  await wire.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300));
  wire.end();
  const { status } = await attacked.service.call('GET', '/healthz');
  expect(status).toBe(200);
});
