import { createHash } from 'node:crypto';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, call, mia, page, phone, photo, Stage, textAt, wabaToken } from './support.ts';
import { listening } from '../support/ports.ts';

// Files that people send, and how their download can fail [upstream §5].

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

async function written(more: Record<string, unknown>): Promise<{ id: string; url: string }> {
  const ask = { channel: page, from: mia.psid, type: 'image', ...more };
  const answer = await stage.control('people/write', ask);
  return { id: textAt(answer, 'media', 0, 'id'), url: textAt(answer, 'media', 0, 'url') };
}

type Download = { status: number; bytes: number; isWhole: boolean; location: string | undefined };

/** The raw outcome of a download, which is aborted after `most` bytes. */
function download(url: string, most = Infinity): Promise<Download> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (answer: IncomingMessage) => {
      const { statusCode: status = 0, headers } = answer;
      let bytes = 0;
      const end = (isWhole: boolean) => resolve({ status, bytes, isWhole, location: headers.location });
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > most) {
          end(false);
          request.destroy();
        }
      });
      answer.on('end', () => end(answer.complete));
      answer.on('error', () => end(false));
    });
    request.on('error', reject);
  });
}

const size = 1000;

describe('a file with a fault', () => {
  test.each([
    ['cut', { status: 200, bytes: 500, isWhole: false }],
    ['empty', { status: 200, bytes: 0, isWhole: true }],
    ['drip', { status: 200, bytes: 1000, isWhole: true }],
    ['expired', { status: 403, isWhole: true }],
    ['gone', { status: 404, isWhole: true }],
  ])('the download of a file with the fault %s shows that fault', async (fault, seen) => {
    const { url } = await written({ size_bytes: size, media_fault: fault });
    expect(await download(url)).toMatchObject(seen);
  });

  test('stall stops the download after half of the bytes', async () => {
    const { url } = await written({ size_bytes: size, media_fault: 'stall' });
    expect(await download(url, 499)).toMatchObject({ bytes: 500, isWhole: false });
  });

  test('endless sends bytes without end', async () => {
    const { url } = await written({ size_bytes: size, media_fault: 'endless' });
    expect((await download(url, 1_000_000)).bytes).toBeGreaterThan(1_000_000);
  });

  test('redirect leads to the file, redirect_loop to itself', async () => {
    const once = await written({ size_bytes: size, media_fault: 'redirect' });
    const first = await download(once.url);
    expect(await download(first.location ?? '')).toMatchObject({ status: 200, bytes: size });
    const loop = await written({ media_fault: 'redirect_loop' });
    expect(await download(loop.url)).toMatchObject({ status: 302, location: loop.url });
  });

  test('a fault with media_times ends after that many downloads, which are counted', async () => {
    const { id, url } = await written({ size_bytes: size, media_fault: 'cut', media_times: 1 });
    const seen = [await download(url), await download(url)];
    expect(seen.map(({ isWhole }) => isWhole)).toEqual([false, true]);
    expect(at(await stage.look(`media?id=${id}`), 'media', 0)).toMatchObject({ size, downloads: 2 });
  });

  test('a file of 2 GiB can be downloaded', async () => {
    const { url } = await written({ size_bytes: 2 * 1024 ** 3 });
    expect(await download(url, 3_000_000)).toMatchObject({ status: 200 });
  });

  test('a download can omit its length and state another type', async () => {
    const { url } = await written({ media_chunked: true, served_type: 'text/html' });
    const answer = await fetch(url);
    await answer.arrayBuffer();
    expect([answer.headers.get('content-length'), answer.headers.get('content-type')]).toEqual([
      null,
      'text/html',
    ]);
  });

  test('an unknown fault is refused by name', async () => {
    await expect(written({ media_fault: 'eaten' })).rejects.toThrow('media_fault must be one of');
  });
});

describe('chatapp', () => {
  const image = (more: Record<string, unknown>) => written({ channel: phone, from: mia.phone, ...more });
  const nodeOf = async (id: string): Promise<unknown> =>
    (await stage.graph('GET', `/${id}`, { token: wabaToken })).body;

  test('the media node can state a wrong hash or size', async () => {
    const right = createHash('sha256').update('hi').digest('hex');
    const content = { content_base64: Buffer.from('hi').toString('base64') };
    const plain = await nodeOf((await image(content)).id);
    const hash = await nodeOf((await image({ ...content, media_fault: 'wrong_sha256' })).id);
    const long = await nodeOf((await image({ ...content, media_fault: 'wrong_size' })).id);
    expect([at(plain, 'sha256'), at(plain, 'file_size')]).toEqual([right, 2]);
    expect([at(hash, 'sha256') === right, at(hash, 'file_size')]).toEqual([false, 2]);
    expect([at(long, 'sha256'), at(long, 'file_size')]).toEqual([right, 3]);
  });

  test('the media node provides a new link after the old one has expired', async () => {
    const { id, url } = await image({ media_fault: 'expired', media_times: 1 });
    const first = await call('GET', url, { token: wabaToken });
    const again = await call('GET', textAt(await nodeOf(id), 'url'), { token: wabaToken });
    expect([first.status, again.status]).toEqual([403, 200]);
  });

  test('a file that is gone has no media node either', async () => {
    const { id } = await image({ media_fault: 'gone' });
    expect(at(await nodeOf(id), 'error', 'error_subcode')).toBe(33);
  });

  test('a redirect can lead to another host, which must not receive the token', async () => {
    const seen: (string | undefined)[] = [];
    const elsewhere: Server = createServer((req, res) => {
      seen.push(req.headers.authorization);
      res.end('x');
    });
    const target = `http://127.0.0.1:${await listening(elsewhere)}/x`;
    const { url } = await image({ media_fault: 'redirect', media_redirect: target });
    const reply = await call('GET', url, { token: wabaToken });
    elsewhere.close();
    expect([reply.status, reply.headers.get('location'), seen]).toEqual([302, target, []]);
  });

  test('an event can omit the link', async () => {
    await stage.subscribe();
    await stage.control('people/write', {
      channel: phone,
      from: mia.phone,
      type: 'image',
      no_url: true,
      wait: true,
    });
    const message = at(stage.inbox.received[0]?.body, 'entry', 0, 'changes', 0, 'value', 'messages', 0);
    expect(Object.keys(Object(at(message, 'image'))).toSorted()).toEqual(['id', 'mime_type', 'sha256']);
  });
});

test.each([
  ['page', page, mia.psid],
  ['photo account', photo, mia.igsid],
])('each file of a message to a %s can have a fault of its own', async (_what, channel, from) => {
  const attachments = [
    { type: 'image', media_fault: 'gone' },
    { type: 'video' },
    { type: 'file', media_status: 500 },
  ];
  const answer = await stage.control('people/write', { channel, from, attachments });
  const urls = [0, 1, 2].map((n) => textAt(answer, 'media', n, 'url'));
  const statuses = await Promise.all(urls.map(async (url) => (await download(url)).status));
  expect(statuses).toEqual([404, 200, 500]);
});
