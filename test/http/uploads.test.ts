/** [contract: Additions; faults: 384, 385, 386] Uploads from raw sockets: without a length, too long, cut, too slow, too many. */
import net from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { authenticate } from '../../src/features/accounts/keys.ts';
import { letTakeItsTime, refuseMalformed } from '../../src/http/middleware/refused-request.ts';
import { fileForm } from '../support/file-form.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';
import { connect, openHouse } from './house.ts';
import type { House } from './house.ts';
import { apiKey, someId } from './support.ts';
import type { Running } from './support.ts';

let house: House;
let clock: FakeClock;
let server: Running;
beforeAll(async () => {
  house = await openHouse();
  await connect(house, 'chatapp', { channelId: someId });
});
afterAll(() => house.close());
beforeEach(async () => {
  clock = new FakeClock();
  server = await house.run({ clock });
});
afterEach(() => server.stop());

const field = (name: string, value: string) =>
  `--x7\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const begin = `${field('channel_id', someId)}${field('media_type', 'image')}--x7\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
const headOf = (more: string): string =>
  `POST /api/v1/media HTTP/1.1\r\nHost: a\r\nX-API-Key: ${apiKey}\r\nContent-Type: multipart/form-data; boundary=x7\r\n${more}\r\n\r\n`;

const size = 100_000;
/** An upload of which the beginning has arrived. */
async function beginUpload(port = server.port): Promise<{ socket: net.Socket; answer: Promise<string> }> {
  const { begun } = house.uploads;
  const socket = net.connect(port, '127.0.0.1');
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined).on('close', () => resolve(text));
  });
  const length = begin.length + size + '\r\n--x7--\r\n'.length;
  socket.write(`${headOf(`Content-Length: ${length}\r\nConnection: close`)}${begin}${'x'.repeat(1_000)}`);
  await until('the upload to begin', () => house.uploads.begun > begun);
  return { socket, answer };
}

const taken = () => house.uploads.taken.length;

test('a whole one reaches upstream', async () => {
  const { socket, answer } = await beginUpload();
  socket.write(`${'x'.repeat(size - 1_000)}\r\n--x7--\r\n`);
  expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
  expect(house.uploads.taken.at(-1)?.bytes.length).toBe(size);
});

test.each([
  ['without a length', 'Transfer-Encoding: chunked', 411],
  ['longer than any', `Content-Length: ${200 * 1024 * 1024}`, 413],
])('one %s is refused before its body', async (_what, header, status) => {
  const answer = await server.raw(headOf(`${header}\r\nConnection: close`));
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

test('one that is cut leaves nothing', async () => {
  const before = taken();
  const { socket, answer } = await beginUpload();
  socket.destroy();
  expect(await answer).toBe('');
  const again = await server.api('/api/v1/media', {
    method: 'POST',
    body: fileForm(
      { channel_id: someId, media_type: 'image' },
      new File(['x'], 'b.jpg', { type: 'image/jpeg' }),
    ),
  });
  expect([again.status, taken()]).toEqual([201, before + 1]);
});

describe('a slow one', () => {
  test('has half a minute, and four seconds for each MiB', async () => {
    const before = taken();
    const { answer } = await beginUpload();
    clock.advance(31_000);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*The request took too long to arrive/);
    expect(taken()).toBe(before);
  });

  test('is not ended by the time that any other request has', () => {
    const socket = new PassThrough();
    const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const beHurried = letTakeItsTime(socket);
    refuseMalformed(late, socket, clock);
    expect(socket.writableEnded).toBe(false);
    beHurried();
    refuseMalformed(late, socket, clock);
    expect(socket.writableEnded).toBe(true);
  });
});

test('a key that is revoked while the fields arrive uploads nothing', async () => {
  let asked = 0;
  const revoked = await house.run({
    clock,
    callers: {
      known: () => null,
      authenticate: async (key) => (asked++ === 0 ? authenticate(house.world, key) : null),
    },
  });
  const before = house.uploads.begun;
  const socket = net.connect(revoked.port, '127.0.0.1');
  const answer = new Promise<string>((resolve) =>
    socket.on('data', (chunk: Buffer) => resolve(String(chunk))),
  );
  socket.write(`${headOf('Content-Length: 1000')}${begin.slice(0, 50)}`);
  await until('the key to be asked for', () => asked > 0);
  clock.advance(2_000);
  socket.write(`${begin.slice(50)}x`);
  expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
  expect(house.uploads.begun).toBe(before);
  socket.destroy();
  await revoked.stop();
});

test.each([
  ['revoked', null, 401],
  ['without its scope', 0, 403],
])('a key that is %s while the file arrives uploads nothing [faults: 410]', async (_, granted, status) => {
  let isChanged = false;
  const changing = await house.run({
    clock,
    callers: {
      known: () => null,
      async authenticate(key) {
        const holder = await authenticate(house.world, key);
        if (!isChanged || holder === null) return holder;
        return granted === null ? null : { ...holder, granted };
      },
    },
  });
  const before = taken();
  const { socket, answer } = await beginUpload(changing.port);
  isChanged = true;
  socket.write(`${'x'.repeat(size - 1_000)}\r\n--x7--\r\n`);
  expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(taken()).toBe(before);
  await changing.stop();
});

test('an account has four at once; a place is free again after an answer, and after a cut', async () => {
  const under = await Promise.all([beginUpload(), beginUpload(), beginUpload(), beginUpload()]);
  const asking = () =>
    server.api('/api/v1/media', {
      method: 'POST',
      body: fileForm(
        { channel_id: someId, media_type: 'image' },
        new File(['x'], 'b.jpg', { type: 'image/jpeg' }),
      ),
    });
  const refused = await asking();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  const [first] = under;
  first.socket.destroy();
  await until('a place', async () => (await asking()).status === 201);
  for (const { socket } of under) socket.destroy();
});
