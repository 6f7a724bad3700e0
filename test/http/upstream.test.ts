import type { UpstreamParser } from '../../src/upstream/parse.ts';
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { isSameSecret } from '../../src/kernel/ids.ts';
import { fault, StoreUnavailable } from '../../src/kernel/faults.ts';
import { openHouse } from './house.ts';
import type { House } from './house.ts';
import { verifyToken } from './support.ts';
import type { Running } from './support.ts';

const path = '/upstream/webhooks';
const secret = 'example-app-secret-0001';
const signatureOf = (body: string | Uint8Array) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

let service: Running;
let received: string[];
let outcome: () => Promise<void>;
beforeEach(async () => {
  received = [];
  outcome = () => Promise.resolve();
  const parser: UpstreamParser = {
    async parse(read) {
      received.push(Buffer.from(read).toString());
      await outcome();
      return { facts: [], malformed: 0, ignored: 0, unparsed: [], notices: [] };
    },
  };
  service = await house.run({
    world: { ...house.world, parser },
    verifyUpstreamSignature: (raw, header) =>
      typeof header === 'string' && isSameSecret(header, signatureOf(raw)),
  });
});
afterEach(() => service.stop());

const body = String.raw`{"object":"page","entry":[{"text":"caf\u00e9 \/ 1"}]}`;
const post = (sent: string | Uint8Array, headers: Record<string, string> = {}) =>
  service.ask(path, {
    method: 'POST',
    body: sent,
    headers: { 'x-hub-signature-256': signatureOf(sent), ...headers },
  });

describe('POST', () => {
  test('200 once everything is durable; the parser gets the raw bytes', async () => {
    const answer = await post(body);
    expect([answer.status, answer.text]).toEqual([200, 'EVENT_RECEIVED']);
    expect(received).toEqual([body]);
  });

  test('no 200 before that', async () => {
    let finish = () => {};
    outcome = () => new Promise((resolve) => (finish = resolve));
    let isAnswered = false;
    const answer = post(body).then(({ status }) => {
      isAnswered = true;
      return status;
    });
    // Two complete requests to the same server finish while it waits.
    await service.ask('/healthz');
    await service.ask('/healthz');
    expect([received.length, isAnswered]).toEqual([1, false]);
    finish();
    expect(await answer).toBe(200);
  });

  test.each([
    ['no signature', ''],
    ['short', 'sha256=eb4e'],
    ['wrong', `sha256=${'0'.repeat(64)}`],
    ['upper case', signatureOf(body).toUpperCase()],
    ['of another app', `sha256=${createHmac('sha256', 'other').update(body).digest('hex')}`],
    ['over the re-serialised body', signatureOf(JSON.stringify(JSON.parse(body)))],
    ['sha1', `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`],
  ])('%s: 401 with detail, nothing is received', async (_name, signature) => {
    const answer = await post(body, { 'x-hub-signature-256': signature });
    expect([answer.status, answer.body]).toEqual([401, { detail: 'Missing or invalid signature' }]);
    expect(received).toEqual([]);
  });

  test('a repeated signature header is 401', async () => {
    const line = `X-Hub-Signature-256: ${signatureOf(body)}\r\n`;
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${line}${line}`;
    expect(await service.raw(`${head}\r\n${body}`)).toMatch(/^HTTP\/1\.1 401 /);
  });

  test.each([
    ['the store is away', () => Promise.reject(new StoreUnavailable('x'))],
    ["the owner can't be reached", () => Promise.reject(fault('unavailable', { retryAfter: 2 }))],
    ['the queue is full', () => Promise.reject(fault('overloaded'))],
  ])('%s: 503 with Retry-After, so that upstream redelivers', async (_name, failure) => {
    outcome = failure;
    const answer = await post(body);
    expect([answer.status, Number(answer.headers.get('retry-after')) >= 1]).toEqual([503, true]);
  });

  test('an internal error is not answered 200 either', async () => {
    outcome = () => Promise.reject(new TypeError('x'));
    expect((await post(body)).status).toBe(500);
  });

  test('a signed body that cannot be parsed is answered 200, because upstream would redeliver it for days', async () => {
    outcome = () => Promise.reject(fault('bad_request', { why: 'not JSON' }));
    expect((await post('no JSON')).status).toBe(200);
  });

  test('3 MB are accepted, more is 413', async () => {
    const limit = 3 * 1024 * 1024;
    expect((await post(Buffer.alloc(limit, 'x'))).status).toBe(200);
    const answer = await post(Buffer.alloc(limit + 1, 'x'));
    expect([answer.status, received.length]).toEqual([413, 1]);
  });
});

describe('GET, the handshake', () => {
  const handshake = (query: Record<string, string>) =>
    service.ask(`${path}?${new URLSearchParams(query).toString()}`);
  const right = { 'hub.mode': 'subscribe', 'hub.verify_token': verifyToken, 'hub.challenge': '1158201444' };

  test('echoes the challenge as plain text with nosniff', async () => {
    const answer = await handshake(right);
    expect([answer.status, answer.text]).toEqual([200, '1158201444']);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('the challenge is opaque, even HTML', async () => {
    const answer = await handshake({ ...right, 'hub.challenge': '<script>alert(1)</script>' });
    expect([answer.text, answer.headers.get('content-type')]).toEqual([
      '<script>alert(1)</script>',
      'text/plain; charset=utf-8',
    ]);
  });

  test.each([
    ['a wrong token', { ...right, 'hub.verify_token': 'wrong' }],
    ['an empty token', { ...right, 'hub.verify_token': '' }],
    ['another mode', { ...right, 'hub.mode': 'unsubscribe' }],
    ['no challenge', { 'hub.mode': 'subscribe', 'hub.verify_token': verifyToken }],
    ['a challenge without end', { ...right, 'hub.challenge': '1'.repeat(1_001) }],
  ])('%s: 403 without the challenge', async (_name, query) => {
    const answer = await handshake(query);
    expect([answer.status, answer.text]).toEqual([403, 'Forbidden']);
  });

  test('a repeated parameter: 403', async () => {
    const query = new URLSearchParams(right).toString();
    expect((await service.ask(`${path}?${query}&hub.verify_token=${verifyToken}`)).status).toBe(403);
  });
});
