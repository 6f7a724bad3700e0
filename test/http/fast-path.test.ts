/** Webhooks of upstream are answered before Express: each request is made twice, by the fast path and (with a bare `?`) through Express. */
import type { UpstreamParser } from '../../src/upstream/parse.ts';
import { createHmac } from 'node:crypto';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hopHeader } from '../../src/rules/webhooks/url.ts';
import { BodyBudget } from '../../src/http/middleware/body-budget.ts';
import { isSameSecret } from '../../src/kernel/ids.ts';
import { fault, StoreUnavailable } from '../../src/kernel/faults.ts';
import { until } from '../support/until.ts';
import { inboundOf } from '../rules/samples.ts';
import { connect, openHouse } from './house.ts';
import type { House } from './house.ts';
import { apiKey, same } from './support.ts';
import type { Running } from './support.ts';

const path = '/upstream/webhooks';
const body = '{"object":"page","entry":[]}';
const signatureOf = (sent: string) =>
  `sha256=${createHmac('sha256', 'example-app-secret').update(sent).digest('hex')}`;

let house: House;
let identity: string;
beforeAll(async () => {
  house = await openHouse();
  identity = (await connect(house, 'pagechat')).identity ?? '';
});
afterAll(() => house.close());

let service: Running;
let bodyBudget: BodyBudget;
let outcome: () => Promise<void>;
let received: string[];
let ended: [route: string, status: number][];
beforeEach(async () => {
  outcome = () => Promise.resolve();
  received = [];
  ended = [];
  house.router.asked.length = 0;
  bodyBudget = BodyBudget.forAnonymous(undefined, { total: 200 });
  const parser: UpstreamParser = {
    async parse(raw) {
      received.push(Buffer.from(raw).toString());
      await outcome();
      const facts = [inboundOf({ channelType: 'pagechat', identity })];
      return { facts, malformed: 0, ignored: 0, unparsed: [], notices: [] };
    },
  };
  service = await house.run({
    bodyBudget,
    requestEnded: (route, status) => void ended.push([route, status]),
    verifyUpstreamSignature: (raw, header) =>
      typeof header === 'string' && isSameSecret(header, signatureOf(Buffer.from(raw).toString())),
    world: { ...house.world, parser },
  });
});
afterEach(() => service.stop());

interface Asked {
  method?: string;
  /** Replaces the version, host, length and signature of a normal POST. */
  version?: string;
  head?: string[];
  more?: string[];
  /** Pieces that are written one after another, each once the previous one was sent. */
  pieces?: string[];
  /** The client disconnects instead of reading. */
  leaves?: boolean;
}

function headOf(target: string, { method = 'POST', version = '1.1', head, more = [] }: Asked): string {
  const usual = [
    'Host: service',
    `Content-Length: ${body.length}`,
    `X-Hub-Signature-256: ${signatureOf(body)}`,
  ];
  const lines = [`${method} ${target} HTTP/${version}`, ...(head ?? usual), ...more];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Everything that is received until the connection ends. */
function exchange(target: string, asked: Asked): Promise<string> {
  const pieces = [...(asked.pieces ?? [headOf(target, asked) + body])];
  return new Promise((resolve) => {
    const socket = net.connect(service.port, '127.0.0.1', write);
    socket.setNoDelay(true);
    let answer = '';
    function write(): void {
      const piece = pieces.shift();
      if (piece === undefined) return asked.leaves === true ? void socket.destroy() : undefined;
      socket.write(piece.replaceAll('TARGET', target), 'latin1', () => setImmediate(write));
    }
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('close', () => resolve(answer));
    socket.on('error', () => {}); // a reset after the answer is fine
  });
}

const close = 'Connection: close';
const own = ['Host: service', close];

const requests: [string, Asked][] = [
  ['a post', { more: [close] }],
  ['with an id of its own', { more: [close, 'X-Request-Id: platform-1'] }],
  ['with an id that is no word', { more: [close, 'X-Request-Id: <b>'] }],
  ['no signature', { head: [...own, `Content-Length: ${body.length}`] }],
  [
    'a signature of something else',
    { head: [...own, `Content-Length: ${body.length}`, `X-Hub-Signature-256: ${signatureOf('x')}`] },
  ],
  ['two signatures', { more: [close, `X-Hub-Signature-256: ${signatureOf(body)}`] }],
  ['an API key does not help', { head: [...own, `Content-Length: ${body.length}`, `X-API-Key: ${apiKey}`] }],
  [
    'too long, as it says itself',
    { head: [...own, 'Content-Length: 9999999', `X-Hub-Signature-256: ${signatureOf(body)}`] },
  ],
  ['no body', { head: [...own, 'Content-Length: 0', `X-Hub-Signature-256: ${signatureOf('')}`] }],
  ['HTTP/1.0', { version: '1.0' }],
  [
    'no Host',
    { head: [close, `Content-Length: ${body.length}`, `X-Hub-Signature-256: ${signatureOf(body)}`] },
  ],
  ['our own webhook, come back', { more: [close, `${hopHeader}: 1`] }],
  ['an upgrade that nobody takes', { more: ['Connection: upgrade', 'Upgrade: websocket'] }],
  ['more than 100 headers', { more: [close, ...Array.from({ length: 120 }, (_, n) => `X-H${n}: 1`)] }],
  ['an Expect that nobody knows', { more: [close, 'Expect: wonders'] }],
  ['HEAD', { method: 'HEAD', head: own, pieces: [headOf('TARGET', { method: 'HEAD', head: own })] }],
  [
    'GET without a token',
    { method: 'GET', head: own, pieces: [headOf('TARGET', { method: 'GET', head: own })] },
  ],
  ['PUT', { method: 'PUT', more: [close] }],
  ['OPTIONS', { method: 'OPTIONS', head: own, pieces: [headOf('TARGET', { method: 'OPTIONS', head: own })] }],
  ['byte by byte', { pieces: [headOf('TARGET', { more: [close] }), ...body.split('')] }],
  [
    'in chunks',
    {
      pieces: [
        headOf('TARGET', {
          head: [...own, 'Transfer-Encoding: chunked', `X-Hub-Signature-256: ${signatureOf(body)}`],
        }),
        `5\r\n${body.slice(0, 5)}\r\n`,
        `${(body.length - 5).toString(16)}\r\n${body.slice(5)}\r\n0\r\n\r\n`,
      ],
    },
  ],
  [
    'more than there is room for',
    {
      pieces: [
        headOf('TARGET', {
          head: [...own, 'Content-Length: 500', `X-Hub-Signature-256: ${signatureOf(body)}`],
        }),
        'x'.repeat(150),
        'x'.repeat(150),
        'x'.repeat(200),
      ],
    },
  ],
  [
    'two behind one another, the second refused',
    {
      pieces: [headOf('TARGET', {}) + body + headOf('TARGET', { head: [...own, 'Content-Length: 2'] }), '{}'],
    },
  ],
  ['a client that leaves', { leaves: true, pieces: [headOf('TARGET', {}) + body.slice(0, 9)] }],
];

describe('the fast path answers like Express', () => {
  test.each(requests)('%s', async (_name, asked) => {
    const [fastPath, fastPathSeen] = [await exchange(path, asked), await seen(asked)];
    const [express, expressSeen] = [await exchange(`${path}?`, asked), await seen(asked)];
    expect(same(fastPath)).toBe(same(express));
    expect(fastPathSeen).toEqual(expressSeen);
    expect(asked.leaves === true || /^HTTP\/1\.1 \d{3} /.test(fastPath)).toBe(true);
    expect(bodyBudget.bytes).toBe(0);
  });

  test.each([
    ['the store is away', () => Promise.reject(new StoreUnavailable('x'))],
    ["the owner can't be reached", () => Promise.reject(fault('unavailable', { retryAfter: 2 }))],
    ['nobody can read it', () => Promise.reject(fault('bad_request', { why: 'no JSON' }))],
    ['a bug of ours', () => Promise.reject(new TypeError('x'))],
  ])('%s', async (_name, failure) => {
    outcome = failure;
    const asked = { more: [close] };
    const [fastPath, fastPathSeen] = [await exchange(path, asked), await seen(asked)];
    const [express, expressSeen] = [await exchange(`${path}?`, asked), await seen(asked)];
    expect(same(fastPath)).toBe(same(express));
    expect(fastPathSeen).toEqual(expressSeen);
  });
});

/** What was received and measured since the last call. */
async function seen({ leaves }: Asked) {
  if (leaves === true) await until('the service to see that nobody waits', () => ended.length > 0);
  return { received: received.splice(0), ids: idsOfEvents().map(same), ended: ended.splice(0) };
}

/** The ids of the requests that the events carry which their owner has taken since the last call. */
function idsOfEvents(): string[] {
  const ids = house.router.facts.flatMap(({ facts }) => facts.map(({ requestId }) => requestId ?? ''));
  house.router.asked.length = 0;
  return ids;
}

test('the answer has the id that the events of the POST carry', async () => {
  const answer = await exchange(path, { more: [close] });
  expect(answer).toContain(`X-Request-Id: ${idsOfEvents()[0]}\r\n`);
});
