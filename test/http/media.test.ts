/** [spec: Media download; faults: 74, 85] Downloads: headers, any file name, many at once, and one that breaks off. */
import type { MediaStore } from '../../src/storage/media-store.ts';
import http from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { attachment } from '../../src/http/file-answer.ts';
import { FileSlots } from '../../src/http/middleware/file-slots.ts';
import { fault } from '../../src/kernel/faults.ts';
import { dayMs } from '../../src/kernel/clock.ts';
import { aSubscription } from '../stores/conformance/samples.ts';
import { connect, openHouse } from './house.ts';
import type { House } from './house.ts';
import { apiKey, caller, now, otherId, someId } from './support.ts';
import type { Running } from './support.ts';

const path = `/api/v1/media/${someId}`;
const content = Buffer.from('<script>alert(1)</script>');
const ofStarter = '77777777-7777-4777-8777-777777777777';
const expired = '88888888-8888-4888-8888-888888888888';

/** A file of this channel, whose bytes expire at the end of `ms`. */
async function keep({ stores }: House, id: string, channelId: string, ms = dayMs): Promise<void> {
  const of = { id, accountId: caller.accountId, channelId, createdAt: now, expiresAt: now + dayMs };
  const sink = await stores.media.create(of);
  await sink.write(content);
  const facts = { mimeType: 'text/html', fileSize: content.length, filename: 'plan.html' };
  await sink.finish({ ...facts, expiresAt: now + ms });
}

/** What the disk gives for the next download; null: the file's own bytes. */
let bytes: (() => AsyncIterable<Uint8Array>) | null = null;
let house: House;
let server: Running;
beforeAll(async () => {
  house = await openHouse();
  const { stores, world } = house;
  const { id } = await connect(house, 'chatapp');
  await stores.subscriptions.insert(
    aSubscription(caller.accountId, { id: otherId, tier: 'starter', expiresAt: null }),
  );
  const starter = await connect(house, 'pagechat', { subscriptionId: otherId });
  await keep(house, someId, id);
  await keep(house, ofStarter, starter.id);
  await keep(house, expired, id, 0);
  const { media } = stores;
  const read: MediaStore['read'] = (file) => bytes?.() ?? media.read(file);
  server = await house.run({ world: { ...world, stores: { ...stores, media: { ...media, read } } } });
});
afterAll(async () => {
  await server.stop();
  await house.close();
});

afterEach(() => void (bytes = null));

test('200 with the bytes, as an attachment that a browser neither sniffs nor runs', async () => {
  const answer = await server.api(path);
  expect([answer.status, answer.text]).toEqual([200, content.toString()]);
  const head = (name: string): string | null => answer.headers.get(name);
  expect(head('content-type')).toBe('text/html');
  expect(head('content-length')).toBe(String(content.length));
  expect(head('content-disposition')).toBe('attachment; filename=plan.html');
  expect(head('x-content-type-options')).toBe('nosniff');
  expect(head('content-security-policy')).toBe("default-src 'none'; sandbox");
  expect(head('cache-control')).toBe('no-store');
});

test('a range is ignored: the whole file is sent', async () => {
  const answer = await server.api(path, { headers: { range: 'bytes=0-3' } });
  expect([answer.status, answer.text, answer.headers.get('accept-ranges')]).toEqual([
    200,
    content.toString(),
    'none',
  ]);
});

test('HEAD has only headers and reads no byte', async () => {
  bytes = () => ({
    [Symbol.asyncIterator]() {
      throw new Error('read');
    },
  });
  const answer = await server.api(path, { method: 'HEAD' });
  expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([
    200,
    '',
    String(content.length),
  ]);
});

test.each([
  ['of nobody', otherId, fault('not_found', { what: 'Media file' }), 404],
  [
    'of a channel with a small licence',
    ofStarter,
    fault('tier_too_low', { needed: 'pro', tier: 'starter' }),
    402,
  ],
  ['that has expired', expired, fault('gone'), 410],
])('a file %s is refused as JSON with a detail', async (_name, id, refusal, status) => {
  const answer = await server.api(`/api/v1/media/${id}`);
  expect([answer.status, answer.body]).toEqual([status, { detail: refusal.message }]);
});

test.each(['..%2f..%2fetc%2fpasswd', '%00', 'x'.repeat(5_000), 'ABCDEF12-3333-4333-8333-333333333333'])(
  'a malformed id does not exist: %s',
  async (id) => {
    const answer = await server.api(`/api/v1/media/${id.slice(0, 6_000)}`);
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Media file not found' }]);
  },
);

test('a file that breaks off breaks the connection, so that half a file never looks complete', async () => {
  bytes = async function* () {
    yield content.subarray(0, 7);
    throw new Error('the disk is gone');
  };
  await expect(server.api(path)).rejects.toThrow();
});

test('a client that disconnects in the middle ends the reading', async () => {
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => (ended = resolve));
  bytes = async function* () {
    try {
      for (;;) yield Buffer.alloc(65_536);
    } finally {
      ended();
    }
  };
  const request = http.get({ port: server.port, path, headers: { 'x-api-key': apiKey } });
  request.once('response', (response) => response.destroy());
  request.on('error', () => undefined);
  await end;
});

test('an account may have 32 downloads at once, the node 256; beyond that 503', async () => {
  const slots = new FileSlots();
  const mine = Array.from({ length: 33 }, () => slots.take('a'));
  expect(mine.map((free) => free !== null)).toEqual([...Array<boolean>(32).fill(true), false]);
  for (let n = 0; n < 224; n += 1) expect(slots.take(`b${n}`)).not.toBeNull();
  expect(slots.take('c')).toBeNull();
  mine[0]?.();
  expect(slots.take('c')).not.toBeNull();
});

test('the 33rd download of an account is told to retry after some time', async () => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  bytes = async function* () {
    await released;
    yield content;
  };
  const held = Array.from({ length: 32 }, () => server.api(path));
  let refused = await server.api(path, { method: 'HEAD' });
  while (refused.status === 200) refused = await server.api(path, { method: 'HEAD' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  release();
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(32).fill(200));
});

describe('file names [faults: 74]', () => {
  test.each([
    [null, 'attachment'],
    ['', 'attachment'],
    ['plan.pdf', 'attachment; filename=plan.pdf'],
    ['a "b" \\c.pdf', `attachment; filename="a _b_ _c.pdf"; filename*=UTF-8''a%20%22b%22%20_c.pdf`],
    ['x\r\nSet-Cookie: a=b.pdf', 'attachment; filename="x__Set-Cookie: a=b.pdf"'],
    ['😀.png', `attachment; filename=_.png; filename*=UTF-8''%F0%9F%98%80.png`],
    ['計画.pdf', `attachment; filename=__.pdf; filename*=UTF-8''%E8%A8%88%E7%94%BB.pdf`],
    ['../../etc/passwd', 'attachment; filename=.._.._etc_passwd'],
    ['\ud83d.txt', 'attachment; filename=_.txt'],
    ["it's (1)*.txt", `attachment; filename="it's (1)*.txt"`],
    ['fdp\u202eexe', 'attachment; filename=fdp_exe'],
  ])('%j', (filename, header) => {
    expect(attachment(filename)).toBe(header);
  });

  test('5,000 characters are cut to 255, with the extension', () => {
    const name = /filename=([^;]+)/.exec(attachment(`${'n'.repeat(5_000)}.pdf`))?.[1] ?? '';
    expect([name.length, name.endsWith('n.pdf')]).toEqual([255, true]);
    expect(() => new Headers({ a: attachment('😀'.repeat(5_000)) })).not.toThrow();
  });
});
