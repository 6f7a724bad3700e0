/** [faults: 92, 93, 110] Expensive bodies, from anonymous clients and from one with a key. */
import { createHmac } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import { target, Wire } from './support.ts';
import type { Target } from './support.ts';

let attacked: Target;
let key: string;
beforeAll(async () => {
  attacked = await target();
  ({ key } = await newAccount(attacked.service));
});
afterAll(() => attacked.close());

const singleBytes = (count: number): string => '1\r\n \r\n'.repeat(count);
const chunked = (path: string, headers: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}Transfer-Encoding: chunked\r\n\r\n`;
const wellFormed = `X-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n`;

describe('a body in chunks of one byte', () => {
  test.each([
    ['without a key', '/api/v1/messages/send', '', 401],
    ['to the upstream route, unsigned', '/upstream/webhooks', '', 401],
    ['with a signature that is none', '/upstream/webhooks', 'X-Hub-Signature-256: sha256=0\r\n', 401],
    ['with two signatures', '/upstream/webhooks', wellFormed + wellFormed, 401],
    ['with a wrong signature', '/upstream/webhooks', wellFormed, 413],
  ])('%s: refused, and the connection ends after 10,000 chunks', async (_, path, headers, status) => {
    const wire = new Wire(attacked.port);
    await wire.write(chunked(path, headers));
    for (let sent = 0; sent < 40_000; sent += 2_000) await wire.write(singleBytes(2_000));
    await wire.closed();
    expect(wire.statuses).toEqual([status]);
    expect(await wire.refusesBytes()).toBe(true);
  });

  test('with a key: too large as well', async () => {
    const wire = new Wire(attacked.port);
    await wire.write(chunked('/api/v1/redirects', `X-API-Key: ${key}\r\n`));
    await wire.write(singleBytes(10_001));
    await wire.answers(1);
    expect(wire.statuses).toEqual([413]);
    wire.end();
  });

  test('up to 10,000 chunks are accepted', async () => {
    const wire = new Wire(attacked.port);
    const body = JSON.stringify({ uri_pattern: 'https://app.example/cb' });
    const chunks = body
      .split('')
      .map((character) => `1\r\n${character}\r\n`)
      .join('');
    await wire.write(chunked('/api/v1/redirects', `X-API-Key: ${key}\r\nConnection: close\r\n`));
    await wire.write(`${chunks}${singleBytes(9_000)}0\r\n\r\n`);
    await wire.closed();
    expect(wire.statuses).toEqual([201]);
  });
});

describe('incomplete bodies in chunks of one byte', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const bodies = 20;
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const untilHeld = (counted: string, bytes: number): Promise<unknown> =>
    until(`${counted} to be ${bytes}`, async () => {
      const { text } = await attacked.service.call('GET', '/metrics');
      return text.includes(`\n${counted} ${bytes}\n`);
    });

  test.each([
    ['under one key', '/api/v1/redirects', () => `X-API-Key: ${key}\r\n`, 'trunkline_api_bodies_bytes'],
    ['with a wrong signature', '/upstream/webhooks', () => wellFormed, 'trunkline_upstream_bodies_bytes'],
  ])('%s: 20 of them use less than 0.5 MB each', async (_, path, headers, counted) => {
    const before = heap();
    const wires = Array.from({ length: bodies }, () => new Wire(attacked.port));
    for (const wire of wires) await wire.write(chunked(path, headers()) + singleBytes(9_990));
    await untilHeld(counted, bodies * 9_990);
    const held = heap() - before;
    for (const wire of wires) wire.end();
    await untilHeld(counted, 0);
    expect(held).toBeLessThan(bodies * 500_000);
    expect(wires.flatMap(({ statuses }) => statuses)).toEqual([]);
  });
});

test.each(['/api/v1/messages/send', '/api/v1/redirects'])(
  "%s: a key that is revoked while its request's body arrives cannot complete the request [faults: 175]",
  async (path) => {
    const { key: own, apiKeyId } = await newAccount(attacked.service);
    const body = JSON.stringify({ uri_pattern: 'https://app.example.com/*' });
    const wire = new Wire(attacked.port);
    await wire.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${own}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body.slice(0, -1)}`,
    );
    expect((await attacked.service.call('GET', '/api/v1/redirects', { key: own })).status).toBe(200);
    expect((await attacked.service.admin('DELETE', `/keys/${apiKeyId}`)).status).toBe(200);
    const revokedAt = performance.now();
    await until('a second to be over', () => performance.now() - revokedAt > 1_000);
    await wire.write(body.slice(-1));
    await wire.closed();
    expect(wire.statuses).toEqual([401]);
  },
);

test('an unsigned webhook is answered before a byte of it has arrived', async () => {
  const wire = new Wire(attacked.port);
  await wire.write('POST /upstream/webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  await wire.answers(1);
  expect(wire.statuses).toEqual([401]);
  wire.end();
});

test("incomplete unsigned bodies: the oldest are answered 503, and upstream's webhooks are accepted", async () => {
  const body = 'x'.repeat(2_900_000);
  const wires = Array.from({ length: 30 }, () => new Wire(attacked.port));
  for (const wire of wires) {
    await wire.write(
      `POST /upstream/webhooks HTTP/1.1\r\nHost: x\r\n${wellFormed}Content-Length: 3000000\r\n\r\n`,
    );
    await wire.write(body);
  }
  // 64 MB hold 22 of them.
  await until('some to be refused', () => wires.filter(({ statuses }) => statuses.length > 0).length >= 7);
  const refused = wires.flatMap(({ statuses }, index) =>
    statuses.length === 0 ? [] : [[index, ...statuses]],
  );
  expect(refused.map(([, ...statuses]) => statuses)).toEqual(refused.map(() => [503]));
  expect(refused[0]?.[0]).toBe(0);
  const raw = JSON.stringify({ object: 'page', entry: [] });
  const signature = createHmac('sha256', 'example-app-secret-0001').update(raw).digest('hex');
  const answer = await attacked.service.call('POST', '/upstream/webhooks', {
    raw,
    headers: { 'x-hub-signature-256': `sha256=${signature}` },
  });
  expect(answer.status).toBe(200);
  const { text } = await attacked.service.call('GET', '/metrics');
  expect(Number(/^trunkline_upstream_bodies_bytes(?:\{\})? (\d+)$/m.exec(text)?.[1])).toBeLessThanOrEqual(
    64 * 1024 * 1024,
  );
  for (const wire of wires) wire.end();
});

test('incomplete large sends of one key: an account may use 16 MB, and other accounts send', async () => {
  const wires = Array.from({ length: 40 }, () => new Wire(attacked.port));
  for (const wire of wires) {
    await wire.write(
      `POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n',
    );
    await wire.write(' '.repeat(900_000));
  }
  await until(
    'all but 16 to be refused',
    () => wires.filter(({ statuses }) => statuses[0] === 429).length === 24,
  );
  const other = await newAccount(attacked.service);
  const body = { channel_id: other.accountId, recipient: '4915900000777', text: 'Hello' };
  const answer = await attacked.service.call('POST', '/api/v1/messages/send', { key: other.key, body });
  expect(answer.status).toBe(404);
  const { text } = await attacked.service.call('GET', '/metrics');
  expect(text).toMatch(/^trunkline_api_bodies_bytes(?:\{\})? 16000000$/m);
  for (const wire of wires) wire.end();
});

describe('clients that never finish', () => {
  test.each([
    [
      'a refused body',
      'POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n{',
      401,
    ],
    ['a body where none belongs', 'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n{', 200],
    [
      'a body of an unknown path',
      'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n{',
      404,
    ],
    ['malformed HTTP', 'NONSENSE\r\n\r\n', 400],
  ])(
    '%s: answered, and the connection is closed soon after, whether the client closes it or not',
    async (_, bytes, status) => {
      const wires = Array.from({ length: 60 }, () => new Wire(attacked.port));
      await Promise.all(wires.map((wire) => wire.write(bytes)));
      await Promise.all(wires.map((wire) => wire.answers(1)));
      expect(new Set(wires.flatMap(({ statuses }) => statuses))).toEqual(new Set([status]));
      await Promise.all(wires.map((wire) => wire.refusesBytes()));
    },
  );

  test('a client that finishes in time keeps its connection', async () => {
    const wire = new Wire(attacked.port);
    await wire.write('POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{');
    await wire.answers(1);
    await wire.write('}   GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await wire.answers(2);
    expect(wire.statuses).toEqual([401, 200]);
    wire.end();
  });
});
