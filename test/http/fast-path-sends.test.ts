/** Sends are answered before Express: each request is made twice, by the fast path and (with a bare `?`) through Express. */
import type { RouteContext } from '../../src/http/options.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hopHeader } from '../../src/rules/webhooks/url.ts';
import { FileSlots } from '../../src/http/middleware/file-slots.ts';
import { CompiledRoutes } from '../../src/http/compiled-routes.ts';
import { routeTable } from '../../src/features/route-table.ts';
import { fastPathPosts } from '../../src/http/fast-path.ts';
import { fault, StoreUnavailable } from '../../src/kernel/faults.ts';
import type { SendReply } from '../../src/rules/messages/send-reply.ts';
import { connect, openHouse } from './house.ts';
import type { House } from './house.ts';
import { apiKey, same, someId } from './support.ts';
import type { Running } from './support.ts';

const path = '/api/v1/messages/send';
const send = JSON.stringify({ channel_id: someId, recipient: '4915900000777', text: 'Your order is ready.' });

let house: House;
beforeAll(async () => {
  house = await openHouse();
  await connect(house, 'chatapp', { channelId: someId });
});
afterAll(() => house.close());

let service: Running;
let ended: [route: string, status: number][];
let delayMs: number;
let waitSeconds: number;
beforeEach(async () => {
  house.router.sendReply = async () => ({ status: 'sent' });
  [ended, delayMs, waitSeconds] = [[], 0, 0];
  service = await house.run({
    requestEnded: (route, status) => void ended.push([route, status]),
    eventLoopDelayMs: () => delayMs,
    rateLimiter: { take: () => waitSeconds },
  });
});
afterEach(() => service.stop());

interface Asked {
  method?: string;
  version?: string;
  /** Replaces all other headers except for the last. */
  head?: string[];
  /** `OWN` stands for a word of this request alone. */
  more?: string[];
  body?: string;
}

let keys = 0;
const key = `X-API-Key: ${apiKey}`;
const json = 'Content-Type: application/json';
const contentLength = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`;

function requestOf(
  target: string,
  { method = 'POST', version = '1.1', head, more = [], body = send }: Asked,
) {
  const lines = head ?? ['Host: service', key, json, contentLength(body)];
  const all = [`${method} ${target} HTTP/${version}`, ...lines, ...more, 'Connection: close', '', body];
  keys += 1;
  return all.join('\r\n').replace('OWN', `key-${keys}`);
}

/** The answer, what the channel's owner was asked, and the measurements. */
async function exchange(target: string, request: Asked) {
  const answer = await service.raw(requestOf(target, request));
  const asked = house.router.asked.splice(0);
  return { answer: same(answer), asked: same(JSON.stringify(asked)), ended: ended.splice(0) };
}

async function expectBothWaysAlike(request: Asked): Promise<string> {
  const fastPath = await exchange(path, request);
  expect(fastPath).toEqual(await exchange(`${path}?`, request));
  expect(fastPath.answer).toMatch(/^HTTP\/1\.1 \d{3} /);
  return fastPath.answer;
}

const requests: [string, Asked, status: number][] = [
  ['a send', {}, 200],
  [
    'with an id of its own and an Idempotency-Key',
    { more: ['X-Request-Id: mine-1', 'Idempotency-Key: OWN'] },
    200,
  ],
  ['an Idempotency-Key that is none', { more: ['Idempotency-Key: é'] }, 422],
  ['without a key', { head: ['Host: service', json, contentLength(send)] }, 401],
  ['with two keys', { more: [key] }, 401],
  ['with a wrong key', { head: ['Host: service', `${key.slice(0, -1)}~`, json, contentLength(send)] }, 401],
  ['without a body', { head: ['Host: service', key, json, 'Content-Length: 0'], body: '' }, 422],
  ['no JSON', { body: '{' }, 422],
  ['fields that are none', { body: '{"channel_id":1}' }, 422],
  ['a channel id that is none', { body: send.replace(someId, 'x') }, 404],
  [
    'another content type',
    { head: ['Host: service', key, 'Content-Type: text/plain', contentLength(send)] },
    415,
  ],
  ['too long, as it says itself', { head: ['Host: service', key, json, 'Content-Length: 9999999'] }, 413],
  ['HTTP/1.0', { version: '1.0' }, 200],
  ['no Host', { head: [key, json, contentLength(send)] }, 400],
  ['our own webhook, come back', { more: [`${hopHeader}: 1`] }, 400],
  ['more than 100 headers', { more: Array.from({ length: 120 }, (_, n) => `X-H${n}: 1`) }, 431],
  ['an Expect that nobody knows', { more: ['Expect: wonders'] }, 200],
  ['GET', { method: 'GET', head: ['Host: service', key], body: '' }, 405],
  ['PUT', { method: 'PUT' }, 405],
  ['OPTIONS', { method: 'OPTIONS', head: ['Host: service'], body: '' }, 405],
];

describe('the fast path answers like Express', () => {
  test.each(requests)('%s', async (_name, request, status) => {
    expect(await expectBothWaysAlike(request)).toContain(`HTTP/1.1 ${status} `);
  });

  test.each<[string, () => Promise<SendReply>]>([
    ['upstream refuses it', async () => ({ status: 'failed', error: 'x', errorCode: 1 })],
    ['the licence is over', () => Promise.reject(fault('licence_inactive'))],
    ['the store is away', () => Promise.reject(new StoreUnavailable('x'))],
    ['a bug of ours', () => Promise.reject(new TypeError('x'))],
  ])('%s', async (_name, failure) => {
    house.router.sendReply = failure;
    await expectBothWaysAlike({});
  });

  test('while the node is too busy, and beyond the rate of the key', async () => {
    delayMs = 10_000;
    expect(await expectBothWaysAlike({})).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n/);
    waitSeconds = 3;
    expect(await expectBothWaysAlike({})).toMatch(/^HTTP\/1\.1 429 [^]*Retry-After: 3\r\n/);
  });
});

test('only sends and webhooks of upstream take the fast path', () => {
  const context = {
    ...house.options(),
    openApi: () => Buffer.from('{}'),
    fileSlots: new FileSlots(),
    uploadSlots: new FileSlots(),
    exportSlots: new FileSlots(),
    pageLimits: { take: () => {} },
    shed: () => {},
  };
  const compiled = new CompiledRoutes(house.options());
  const parse: RouteContext['parse'] = (body, value) => compiled.parse(body, value);
  const posts = fastPathPosts(routeTable, { ...context, parse }, compiled);
  expect([...posts.keys()].toSorted()).toEqual([
    path,
    `${path}-contacts`,
    `${path}-interactive`,
    `${path}-location`,
    `${path}-media`,
    `${path}-reaction`,
    `${path}-template`,
    '/upstream/webhooks',
  ]);
});
