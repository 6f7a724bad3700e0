/** [faults: 91] One request stays one request, whatever upgrade it offers. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newAccount } from '../support/world.ts';
import { converse, target, Wire } from './support.ts';
import type { Target } from './support.ts';

let attacked: Target;
let key: string;
beforeAll(async () => {
  attacked = await target();
  ({ key } = await newAccount(attacked.service));
});
afterAll(() => attacked.close());

const offer = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
/** A complete request inside a body: if it were executed, it would add a redirect pattern. */
const smuggled = (): string => {
  const body = JSON.stringify({ uri_pattern: 'https://smuggled.example/cb' });
  return (
    `POST /api/v1/redirects HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  );
};
const padding = (count: number): string =>
  Array.from({ length: count }, (_, n) => `X-Pad-${n}: a\r\n`).join('');

async function redirects(): Promise<unknown> {
  return (await attacked.service.call('GET', '/api/v1/redirects', { key })).body.redirects;
}

describe.each([
  ['h2c', offer],
  ['a websocket where there is none', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
  ['another protocol among two', 'Connection: keep-alive, Upgrade\r\nUpgrade: TLS/1.2, h2c\r\n'],
])('an upgrade offer: %s', (_, offered) => {
  test.each([0, 90, 110, 130, 400])(
    'with a body and %i headers: the body is not executed as a request',
    async (count) => {
      const body = smuggled();
      const { statuses } = await converse(
        attacked.port,
        `POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\n${offered}${padding(count)}Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      expect(statuses).toEqual([count < 95 ? 401 : 431]);
      expect(await redirects()).toEqual([]);
    },
  );

  test('with a chunked body', async () => {
    const body = smuggled();
    const { statuses } = await converse(
      attacked.port,
      `POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\n${offered}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    expect(statuses).toEqual([401]);
    expect(await redirects()).toEqual([]);
  });

  test('is answered as if it offered none, and the connection closes, so that nobody waits for a pipelined request', async () => {
    const { statuses, heard } = await converse(
      attacked.port,
      `GET /healthz HTTP/1.1\r\nHost: x\r\n${offered}\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect(statuses).toEqual([200]);
    expect(heard).toMatch(/^Connection: close\r$/m);
  });
});

test('a body that arrives in pieces is read completely', async () => {
  const wire = new Wire(attacked.port);
  const body = JSON.stringify({ uri_pattern: 'https://app.example/cb' });
  const head = `POST /api/v1/redirects HTTP/1.1\r\nHost: x\r\n${offer}X-API-Key: ${key}\r\nContent-Type: application/json\r\n`;
  for (const piece of [`${head}Content-Length: ${body.length}\r\n\r\n`, body.slice(0, 9), body.slice(9)])
    await wire.write(piece);
  await wire.closed();
  expect(wire.statuses).toEqual([201]);
});

test('a handshake of the live feed with a body is refused', async () => {
  const body = smuggled();
  const path = '/live/socket.io/?EIO=4&transport=websocket';
  const { statuses } = await converse(
    attacked.port,
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(statuses).toEqual([400]);
});

test.each([0, 90, 110, 400])('pipelined behind a plain request, with %i headers', async (count) => {
  const body = smuggled();
  const { statuses } = await converse(
    attacked.port,
    `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /healthz HTTP/1.1\r\nHost: x\r\n${offer}${padding(count)}Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(statuses).toEqual([200, count < 95 ? 405 : 431]);
  expect(JSON.stringify(await redirects())).not.toContain('smuggled');
});
