import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeHttpServer } from '../../src/http/server.ts';
import { ClientGone } from '../../src/http/middleware/error-funnel.ts';
import { readBody } from '../../src/http/middleware/read-body.ts';
import type { Log } from '../../src/kernel/log.ts';
import { routesOver } from '../../src/http/route.ts';
import { noBody } from '../../src/http/validation/request-body.ts';
import { run } from './house.ts';
import { apiKey, optionsOver } from './support.ts';
import type { Running } from './support.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { listening } from '../support/ports.ts';
import { until } from '../support/until.ts';

let service: Running;
const errors: unknown[] = [];
const log: Log = {
  debug() {},
  info() {},
  warn() {},
  error: (fields) => void errors.push(fields),
  child: () => log,
};
beforeAll(async () => {
  service = await run({ log });
});
afterAll(() => service.stop());

const key = `X-API-Key: ${apiKey}\r\n`;
const close = 'Connection: close\r\n';
const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: x\r\n${close}${key}\r\n`;
const post = '/api/v1/messages/send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

/** A route that answers when the test says so. */
const waitingRoute = routesOver<{ waits: () => Promise<void> }>().apiRoute({
  get: '/api/v1/redirects',
  name: 'waits',
  tag: 'Test',
  needs: ['admin'],
  summary: 'Waits',
  body: noBody,
  does: (_call, { world }) => world.waits(),
});

const statusesIn = (answer: string): number[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** The bytes to send, and the statuses of everything that is received. */
const cases: [string, string, number[]][] = [
  [
    'Content-Length with Transfer-Encoding',
    `POST ${post}${key}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`,
    [400],
  ],
  ['two Content-Lengths', `POST ${post}${key}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`, [400]],
  ['an obscured Transfer-Encoding', `POST ${post}${key}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, [400]],
  ['chunked in the middle', `POST ${post}${key}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, [400]],
  ['a bad chunk size', `POST ${post}${key}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, [400]],
  ['a bare line feed in a header', 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\nInjected: c\r\n\r\n', [400]],
  ['a space before the colon', 'GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n', [400]],
  ['NUL in a header', 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n', [400]],
  ['no Host', `GET /healthz HTTP/1.1\r\n${close}\r\n`, [400]],
  ['an unknown Expect', `GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n${close}\r\n`, [200]],
  ['HTTP/1.0', 'GET /healthz HTTP/1.0\r\n\r\n', [200]],
  ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  ['no HTTP at all', '\x16\x03\x01\x02\x00', [400]],
  ['16 KB of headers', `GET /healthz HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, [431]],
  ['an absolute target', get('http://other.example/api/v1/redirects'), [200]],
  ['an absolute target of an unknown path', get('http://other.example/api/v1/nothing'), [404]],
  ['an absolute target without a path', get('http://other.example'), [200]],
  ['an unknown scheme', get('gopher://x/'), [200]],
  ['%00 in a path', get('/api/v1/channels/%00'), [404]],
  ['%00 after an id', get('/api/v1/channels/33333333-3333-4333-8333-333333333333%00'), [404]],
  ['a broken escape', get('/api/v1/channels/%zz'), [400]],
  ['overlong UTF-8', get('/api/v1/channels/%c0%ae%c0%ae'), [400]],
  ['dots', get('/api/v1/channels/../../admin/v1/nodes'), [404]],
  ['escaped dots', get('/api/v1/%2e%2e/%2e%2e/admin/v1/nodes'), [404]],
  ['an escaped slash', get('/api/v1/channels%2fx'), [404]],
  ['a backslash', get('/api\\v1\\channels'), [404]],
  ['two slashes', get('//api/v1/channels'), [404]],
  ['a query of broken escapes', get('/api/v1/redirects?limit=%zz&cursor=%c0'), [422]],
  ['15 KB of query', get(`/api/v1/redirects?${'a=b&'.repeat(3_800)}`), [200]],
  ['a raw high byte in the target', get('/api/v1/channels/\xff'), [400]],
  ['an asterisk', `OPTIONS * HTTP/1.1\r\nHost: x\r\n${close}\r\n`, [404]],
  ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', []],
  ['TRACE', `TRACE /api/v1/redirects HTTP/1.1\r\nHost: x\r\n${close}\r\n`, [405]],
  ['an unknown method', 'BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n', [400]],
  ['an upgrade that nobody takes', `GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n${close}\r\n`, [200]],
  [
    '__proto__ as a header and a parameter',
    get('/api/v1/redirects?__proto__[x]=1').replace('Host', '__proto__: 1\r\nHost'),
    [200],
  ],
  ['a pipeline', `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n${get('/api/v1/redirects')}`, [200, 200]],
];

test.each(cases)('%s is never a 500', async (_name, bytes, statuses) => {
  errors.length = 0;
  expect(statusesIn(await service.raw(bytes))).toEqual(statuses);
  expect(errors).toEqual([]);
});

describe('[faults: 214] bytes that are no HTTP behind a complete request', () => {
  const list = `GET /api/v1/redirects HTTP/1.1\r\nHost: x\r\n${key}\r\n`;
  const garbage = ['x', '\0', 'GET / HTTP/9\r\n\r\n', 'GET / HTTP/1.1\r\nA b\r\n\r\n'];

  test.each(garbage)('%j in its packet: the request is answered, then the rest', async (rest) => {
    const answer = await service.raw(list + rest);
    expect(statusesIn(answer)).toEqual([200, 400]);
    expect(answer).toMatch(/\r\n\r\n\{"redirects":\[\]\}HTTP\/1\.1 400 /);
  });

  test('behind several requests: each is answered, in order', async () => {
    const answer = await service.raw(`${list}GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n${list}${garbage[0]}`);
    expect(statusesIn(answer)).toEqual([200, 404, 200, 400]);
  });

  test('behind a request whose answer closes the connection: the answer arrives', async () => {
    expect(statusesIn(await service.raw(get('/api/v1/redirects') + garbage[0]))).toEqual([200]);
  });

  test('behind the unfinished body of a later request: that request is refused', async () => {
    const unfinished = `POST ${post}${key}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
    expect(statusesIn(await service.raw(list + unfinished))).toEqual([200, 400]);
  });

  test('in packets of their own, while the request is handled', async () => {
    const answers: (() => void)[] = [];
    const waits = () => new Promise<void>((answer) => void answers.push(answer));
    const server = makeHttpServer(optionsOver({ routes: [waitingRoute], world: { waits } }, { log }));
    const socket = net.connect(await listening(server), '127.0.0.1');
    let heard = '';
    socket.setEncoding('latin1').on('data', (text: string) => (heard += text));
    socket.write(list);
    await until('the request', () => answers.length === 1);
    socket.write('garbage');
    await once(server, 'clientError');
    answers[0]?.();
    await once(socket, 'close');
    expect(statusesIn(heard)).toEqual([200, 400]);
    server.close();
  });
});

test('every error on the wire has a detail', async () => {
  for (const [name, bytes, [status = 0]] of cases) {
    if (status < 400) continue;
    expect([name, (await service.raw(bytes)).includes('{"detail":')]).toEqual([name, true]);
  }
});

/** Seconds. Google's balancers, whose idle time nobody can change, have the longest of all. */
const longestIdleTime = 600;

test('a kept connection outlives the idle time of load balancers [faults: 523]', async () => {
  const answer = await fetch(`http://127.0.0.1:${service.port}/healthz`);

  const [, seconds] = /^timeout=(\d+)$/.exec(answer.headers.get('keep-alive') ?? '') ?? [];
  expect(Number(seconds)).toBeGreaterThan(longestIdleTime);
});

test('a client that disconnects during its body is neither answered nor logged', async () => {
  errors.length = 0;
  const head = `POST ${post}${key}Content-Length: 1000\r\n\r\n{"channel`;
  await new Promise<void>((resolve) => {
    const socket = net.connect(service.port, '127.0.0.1', () => socket.write(head, () => socket.destroy()));
    socket.on('close', () => resolve());
  });
  expect((await service.ask('/healthz')).status).toBe(200);
  expect(errors).toEqual([]);
});

test.each([
  ['GET /healthz', 200],
  ['POST /nothing', 404],
])(
  '[faults: 92] a body in chunks of a byte that follows the answer to %s ends within a second',
  async (asked, status) => {
    const clock = new FakeClock();
    const server = await run({ clock });
    const head = `${asked} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { heard, closed } = listenTo(server.port, head + '1\r\nx\r\n'.repeat(30_000));
    await until('the answer', () => heard().startsWith(`HTTP/1.1 ${status} `));
    clock.advance(1_000);
    await closed;
    // Not 408 as well: it was not the limit of the whole request that ended it.
    expect(statusesIn(heard())).toEqual([status]);
    await server.stop();
  },
);

/** What a connection that sends these bytes has heard, and its end; a reset is an end too. */
function listenTo(port: number, bytes: string): { heard: () => string; closed: Promise<void> } {
  let heard = '';
  const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
  socket.setEncoding('latin1').on('data', (text: string) => (heard += text));
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  return { heard: () => heard, closed };
}

test('slow headers and slow bodies have a time limit', () => {
  const server = makeHttpServer(optionsOver({ routes: [], world: null }));
  expect([server.headersTimeout, server.requestTimeout, server.maxHeadersCount]).toEqual([
    10_000, 30_000, 100,
  ]);
});

test('a client that disconnected before its body was read is not waited for', async () => {
  const request = new http.IncomingMessage(new net.Socket());
  request.destroy();
  await expect(readBody(request, 10)).rejects.toBeInstanceOf(ClientGone);
});
