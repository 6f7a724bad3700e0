import { channelUpdateRequest } from '../../src/features/channels/settings-in-calls.ts';
import { noNetworks } from '../../src/rules/address.ts';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeAjv } from '../../src/http/validation/rules.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { parseJson } from '../../src/http/validation/parse-json.ts';
import { connect, openHouse } from './house.ts';
import type { House } from './house.ts';
import { apiKey, someId } from './support.ts';
import type { Running } from './support.ts';

let house: House;
let service: Running;
beforeAll(async () => {
  house = await openHouse();
  await connect(house, 'chatapp', { channelId: someId });
  service = await house.run();
});
afterAll(async () => {
  await service.stop();
  await house.close();
});

const path = '/api/v1/messages/send';
const message = (text: string) => ({ channel_id: someId, recipient: '4915900000777', text });
const post = (body: unknown, headers: Record<string, string> = {}) =>
  service.api(path, { method: 'POST', body, headers });

describe('a body is accepted with content type', () => {
  test.each([
    'application/json',
    'Application/JSON; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/vnd.x+json',
  ])('%s', async (contentType) => {
    expect((await post(message('hi'), { 'content-type': contentType })).status).toBe(200);
  });
});

test('a byte order mark before a body is no part of it', async () => {
  const answer = await post(Buffer.from(`\uFEFF${JSON.stringify(message('hi'))}`));
  expect([answer.status, house.router.sends.at(-1)?.text]).toEqual([200, 'hi']);
});

describe('a body is refused with 415 and detail', () => {
  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/json; charset=utf-16'],
    ['application/json; charset=latin1'],
    ['application/jsonx'],
    ['nonsense'],
  ])('as %s', async (contentType) => {
    const answer = await post(JSON.stringify(message('hi')), { 'content-type': contentType });
    expect([answer.status, answer.body]).toEqual([
      415,
      { detail: 'Content-Type must be application/json in UTF-8' },
    ]);
  });

  test.each(['gzip', 'deflate', 'br', 'gzip, identity'])(
    'in encoding %s: nothing is decompressed',
    async (encoding) => {
      const bomb = gzipSync(Buffer.alloc(1_000_000));
      const answer = await post(bomb, { 'content-encoding': encoding });
      expect([answer.status, answer.body]).toEqual([415, { detail: 'Content-Encoding must be identity' }]);
    },
  );

  test('without a content type', async () => {
    const body = JSON.stringify(message('hi'));
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${apiKey}\r\nContent-Length: ${body.length}`;
    expect(await service.raw(`${head}\r\n\r\n${body}`)).toMatch(/^HTTP\/1\.1 415 /);
  });
});

describe('a body over 1 MiB is 413 with detail', () => {
  const limit = 1024 * 1024;
  const bodyOf = (length: number) => {
    const of = (padding: string) => JSON.stringify({ ...message('hi'), padding });
    return of('x'.repeat(length - of('').length));
  };

  test('exactly 1 MiB is accepted', async () => {
    expect((await post(bodyOf(limit))).status).toBe(200);
  });

  test('one byte more is refused', async () => {
    const answer = await post(bodyOf(limit + 1));
    expect([answer.status, answer.body]).toEqual([413, { detail: 'Request body too large' }]);
  });

  test('10 MB are refused by their declared length, and the connection stays usable', async () => {
    const answers = await Promise.all([post(bodyOf(10_000_000)), post(message('small'))]);
    expect(answers.map(({ status }) => status)).toEqual([413, 200]);
  });

  test('an endless chunked body is cut off', async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`;
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const answer = await service.raw(`${head}\r\n\r\n${chunk.repeat(300)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('a wrong Content-Length', () => {
  const head = (length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

  test('too short: the rest is not executed as a request, so nothing is sent', async () => {
    const answer = await service.raw(`${head(5)}${JSON.stringify(message('cut'))}`);
    expect(answer).toMatch(/^HTTP\/1\.1 4(00|22) /);
    expect(house.router.sends.map(({ text }) => text)).not.toContain('cut');
  });

  test.each(['-1', '1e3', '0x10', '5, 6'])('%s is invalid HTTP', async (length) => {
    const answer = await service.raw(head(0).replace('Content-Length: 0', `Content-Length: ${length}`));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"detail":"Malformed HTTP request"}');
  });
});

const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
const list = (length: number) => Buffer.from(`[${'1,'.repeat(length - 1)}1]`);

describe('JSON is refused with 422', () => {
  const invalid = { loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' };
  test.each([
    ['truncated', Buffer.from('{"a":1')],
    ['a byte order mark alone', Buffer.from('\uFEFF')],
    ['a second byte order mark', Buffer.from('\uFEFF\uFEFF{"a":1}')],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['single quotes', Buffer.from("{'a':1}")],
    ['NaN', Buffer.from('{"a":NaN}')],
  ])('%s', async (_name, bytes) => {
    const answer = await post(bytes);
    expect([answer.status, answer.body]).toEqual([422, { detail: [invalid] }]);
  });

  test.each([
    ['plain', '{"__proto__":{"is_admin":true}}', '__proto__'],
    ['escaped', '{"\\u005f_proto__":{}}', '__proto__'],
    ['deep', '{"a":[{"b":{"constructor":{"prototype":{}}}}]}', 'constructor'],
    ['as prototype', '{"x":{"prototype":1}}', 'prototype'],
  ])('a key that could change a prototype is refused, and named: %s', async (_name, body, key) => {
    const answer = await post(body);
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        detail: [
          {
            loc: ['body'],
            msg: `Value error, a key with the reserved name ${key} is not accepted`,
            type: 'value_error',
          },
        ],
      },
    ]);
  });

  test('such names are accepted as values', async () => {
    expect((await post(message('__proto__ constructor \\u005f'))).status).toBe(200);
  });

  test('32 levels are accepted, 33 are not, and brackets in strings do not count', () => {
    expect(() => parseJson(nested(32))).not.toThrow();
    expect(() => parseJson(nested(33))).toThrow(Fault);
    expect(parseJson(Buffer.from(`"${'[\\"'.repeat(100)}"`))).toBe('["'.repeat(100));
  });

  test('10,000 values are accepted, more are not, and commas in strings do not count', () => {
    expect(parseJson(list(10_000))).toHaveLength(10_000);
    expect(() => parseJson(list(10_001))).toThrow(Fault);
    expect(parseJson(Buffer.from(`"${','.repeat(20_000)}"`))).toBe(','.repeat(20_000));
  });

  test.each([
    ['depth 500,000', '['.repeat(524_288)],
    ['500,000 items', `[${'1,'.repeat(500_000)}1]`],
    ['170,000 objects', `{"proto":[${'{},'.repeat(170_000)}{}]}`],
    ['90,000 keys', `{"proto":1${Array.from({ length: 90_000 }, (_, n) => `,"k${n}":1`).join('')}}`],
    ['1 MB of escapes', `{"webhook_secret":"${'\\u0041'.repeat(170_000)}"}`],
    ['9,000 wrong items in a field', `{"webhook_events":[${'1,'.repeat(9_000)}1]}`],
  ])('the most expensive bodies are refused: %s', (_name, body) => {
    const bytes = Buffer.from(body);
    expect(() => patch(parseJson(bytes))).toThrow(Fault);
  });

  test('the answer to a body with many errors is short', async () => {
    const asking = { method: 'PATCH', body: { webhook_events: Array.from({ length: 100 }, () => 1) } };
    const answer = await service.api(`/api/v1/channels/${someId}`, asking);
    expect([answer.status, answer.body]).toEqual([422, { detail: expect.any(Array) }]);
    expect(answer.text.length).toBeLessThan(10_000);
  });
});

const patch = channelUpdateRequest.compile(
  makeAjv({
    allowInsecure: false,
    allowedNetworks: noNetworks,
    ownUrls: ['https://service.example'],
    ownHosts: [],
  }),
);
