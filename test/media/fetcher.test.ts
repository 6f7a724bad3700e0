/** [upstream §5; spec: data.media fields; faults: API7] Files are fetched only from upstream's hosts, and never trusted. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MediaStore } from '../../src/storage/media-store.ts';
import { openFresh } from '../stores/embedded/open.ts';
import { closeAfterEach } from '../support/closing.ts';
import { silentLog } from '../support/silent-log.ts';
import { channel, fetcherOf, place, png, request, sha256, wav } from './upstream-files.ts';
import type { Answer, Fetcher, Place } from './upstream-files.ts';

let opened: Awaited<ReturnType<typeof openFresh>>;
let store: MediaStore;
beforeAll(async () => {
  opened = await openFresh();
  store = opened.stores.media;
});
afterAll(() => opened.close());

/** A channel that stays. */
const kept = new AbortController().signal;

const closeLater = closeAfterEach();

async function upstream(answer: Answer): Promise<Place> {
  const made = await place(answer);
  closeLater(() => made.close());
  return made;
}

function fetcher(
  at: Place,
  rest: Omit<Parameters<typeof fetcherOf>[1], 'store'> & { store?: MediaStore } = {},
): Fetcher {
  const made = fetcherOf(at, { store, ...rest });
  closeLater(() => made.close());
  return made;
}

const plain =
  (bytes: Uint8Array, headers: Record<string, string> = {}, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-length': bytes.length, ...headers }).end(bytes);

async function bytesIn(mediaId: string): Promise<Buffer> {
  const file = await store.find(mediaId, channel.accountId);
  if (file === null) throw new Error('not kept');
  const pieces: Uint8Array[] = [];
  for await (const piece of store.read(file)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The outcome of one attempt, in the log's word. */
async function outcomeOf(fetching: Fetcher, asked = request()): Promise<unknown> {
  const outcome = await fetching.fetch(asked, kept);
  return outcome.outcome !== 'failed' ? outcome.outcome : [fetching.causes.at(-1), outcome.mayPass];
}

describe('a successful fetch', () => {
  test('is stored unchanged, and described by its bytes if the answer has no specific type', async () => {
    const at = await upstream(plain(png, { 'content-type': 'application/octet-stream' }));
    const outcome = await fetcher(at).fetch(request({ mimeType: 'application/x-evil' }), kept);
    if (outcome.outcome !== 'fetched') throw new Error(JSON.stringify(outcome));
    const { media } = outcome;
    expect(media).toEqual({
      result: 'fetched',
      mediaId: expect.any(String),
      mimeType: 'image/png',
      fileSize: png.length,
      filename: null,
      sha256: sha256(png),
      durationMs: null,
      downloadUrl: `https://service.test/api/v1/media/${media.mediaId}`,
      expiresAt: expect.any(Number),
    });
    expect(await bytesIn(media.mediaId)).toEqual(png);
    expect(await store.find(media.mediaId, channel.accountId)).toMatchObject({
      channelId: channel.id,
      mimeType: 'image/png',
      fileSize: png.length,
      expiresAt: media.expiresAt,
    });
  });

  test.each([
    ['audio, whole', wav(), 'audio' as const, 'audio/wav', 1_000],
    ['the same as a document has no duration', wav(), 'document' as const, 'audio/wav', null],
    ['bytes without a signature', Buffer.from('a,b\n'), 'document' as const, 'text/csv; charset=utf-8', null],
    [
      'a signature and nothing after it',
      png.subarray(0, 8),
      'video' as const,
      'text/csv; charset=utf-8',
      null,
    ],
    [
      'what only looks like audio',
      Buffer.from('ID3'.padEnd(300, '\xff'), 'latin1'),
      'audio' as const,
      'audio/mpeg',
      null,
    ],
  ])('%s', async (_, bytes, type, mimeType, durationMs) => {
    const at = await upstream(plain(bytes));
    const said = request({ mimeType: 'text/csv; charset=utf-8' }, type);
    expect(await fetcher(at).fetch(said, kept)).toMatchObject({ media: { mimeType, durationMs } });
  });

  test.each([
    ['audio/mp4', wav(), 'audio/mp4', 1_000],
    ['text/csv; charset=utf-8', Buffer.from('a,b\n'), 'text/csv; charset=utf-8', null],
    ['audio/ogg; codecs="opus"', wav(), 'audio/ogg; codecs="opus"', 1_000],
    ['audio/ogg; codecs', wav(), 'audio/ogg', 1_000],
  ])(
    'the content type of the answer with the bytes decides: %s',
    async (said, bytes, mimeType, durationMs) => {
      const at = await upstream(plain(bytes, { 'content-type': said }));
      const outcome = await fetcher(at).fetch(request({ mimeType: 'application/pdf' }, 'audio'), kept);
      expect(outcome).toMatchObject({ media: { mimeType, durationMs } });
    },
  );

  test.each(['text/html\r\nx: y', 'nonsense', '', 'a/b/c', `${'a'.repeat(5_000)}/b`])(
    'an invalid content type is not passed on: %j',
    async (mimeType) => {
      const at = await upstream(plain(Buffer.from('hello')));
      const outcome = await fetcher(at, { location: { mimeType } }).fetch(request({}, 'document'), kept);
      expect(outcome).toMatchObject({ media: { mimeType: 'application/octet-stream' } });
    },
  );

  test.each([
    [`attachment; filename="a \\"b\\".pdf"`, '/x', 'a "b".pdf'],
    [`attachment; filename="x.pdf"; filename*=UTF-8''%F0%9F%98%80.pdf`, '/x', '😀.pdf'],
    [`attachment; filename*=UTF-8''%E0%A4%A`, '/v/plan.pdf?oe=1', 'plan.pdf'],
    ['', '/v/12345', null],
  ])(
    'a document without a name in its message is named by the answer: %s %s',
    async (disposition, path, name) => {
      const at = await upstream(plain(png, { 'content-disposition': disposition }));
      const outcome = await fetcher(at).fetch(
        request({ url: at.url + path, mediaId: null }, 'document'),
        kept,
      );
      expect(outcome).toMatchObject({ media: { filename: name } });
    },
  );

  test('works without a length, in chunks, over a redirect', async () => {
    const at = await upstream((asked, response) => {
      if (asked.url === '/file') response.writeHead(302, { location: '/there' }).end();
      else {
        response.write(png.subarray(0, 20));
        response.end(png.subarray(20));
      }
    });
    const hash = sha256(png, 'hex');
    expect(await outcomeOf(fetcher(at, { location: { sha256: hash } }))).toBe('fetched');
  });
});

describe('a failed fetch is an error of that file, and nothing of it is stored', () => {
  const half: Answer = (_, response) => {
    response.writeHead(200, { 'content-length': png.length });
    response.write(png.subarray(0, 20), () => response.destroy());
  };
  const silent: Answer = (_, response) => void response.writeHead(200, { 'content-length': 10 }).write('abc');
  const endless: Answer = (_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
    };
    response.on('drain', more);
    more();
  };
  const drip: Answer = (_, response) => {
    const timer = setInterval(() => response.write('a'), 5);
    response.on('close', () => clearInterval(timer));
  };
  const quick = { idleMs: 60, attemptMs: 300 };

  test.each([
    ['that ends early', half, 'cut-off', true],
    ['that never comes', () => undefined, 'timeout', true],
    ['that stops in the middle', silent, 'timeout', true],
    ['that drips', drip, 'timeout', true],
    ['that never ends', endless, 'too-large', false],
    ['that says it is larger', plain(Buffer.alloc(1_000_001)), 'too-large', false],
    ['of 0 bytes', plain(Buffer.alloc(0)), 'empty', true],
    ['404', plain(png, {}, 404), 'not-there', true],
    ['410', plain(png, {}, 410), 'not-there', true],
    ['500', plain(png, {}, 500), 'status', true],
    ['204', plain(Buffer.alloc(0), {}, 204), 'status', true],
    ['a redirect to nowhere', plain(png, {}, 302), 'status', true],
  ])('a file %s', async (_, answer, cause, mayPass) => {
    const at = await upstream(answer);
    // A busy machine needs time for a megabyte: only what has to time out has little of it.
    const attempts = fetcher(at, { options: cause === 'timeout' ? quick : {} });
    expect(await outcomeOf(attempts)).toEqual([cause, mayPass]);
    expect(attempts.stats()).toEqual({ inFlight: 0, waiting: 0 });
  });

  test.each([
    ['the event', { sha256: sha256(Buffer.from('other')) }, {}],
    ['the node', {}, { sha256: sha256(Buffer.from('other'), 'hex') }],
    ['the event, as nonsense', { sha256: 'nonsense' }, {}],
  ])('the SHA-256 of %s is wrong', async (_, file, location) => {
    const at = await upstream(plain(png));
    expect(await outcomeOf(fetcher(at, { location }), request(file))).toEqual(['wrong-hash', true]);
  });

  test('the size is checked if there is no hash, and not if there is one', async () => {
    const at = await upstream(plain(png));
    expect(await outcomeOf(fetcher(at, { location: { fileSize: 1 } }))).toEqual(['wrong-size', true]);
    const location = { fileSize: 1, sha256: sha256(png) };
    expect(await outcomeOf(fetcher(at, { location }))).toBe('fetched');
  });

  test('a file that is not there: one of an id is asked for again, one from the message is final', async () => {
    const at = await upstream(plain(png, {}, 404));
    const withAddress = request({ url: `${at.url}/file`, mediaId: null });
    expect(await outcomeOf(fetcher(at), withAddress)).toEqual(['not-there', false]);
  });

  test.each([
    [0, 'not-there', true],
    [1, 'not-there', true],
    [2, 'absent', false],
  ])('a node that knows no such file, after %i attempts', async (earlierTries, cause, mayPass) => {
    const at = await upstream(plain(png));
    const gone = fetcher(at, {
      options: { locator: { locate: async () => ({ found: false, mayPass: false }) } },
    });
    expect(await outcomeOf(gone, { ...request(), earlierTries })).toEqual([cause, mayPass]);
  });

  test('a URL that has expired: one of an id is asked for again, one from the message is final', async () => {
    const at = await upstream(plain(png, {}, 403));
    expect(await outcomeOf(fetcher(at))).toEqual(['expired', true]);
    const withAddress = request({ url: `${at.url}/file`, mediaId: null });
    expect(await outcomeOf(fetcher(at), withAddress)).toEqual(['expired', false]);
  });

  test('a full disk', async () => {
    const at = await upstream(plain(png));
    const full: MediaStore = {
      ...store,
      async create(draft) {
        const sink = await store.create(draft);
        return { ...sink, write: () => Promise.reject(Object.assign(new Error('disk'), { code: 'ENOSPC' })) };
      },
    };
    expect(await outcomeOf(fetcher(at, { store: full }))).toEqual(['storage', true]);
  });

  test("the client's error names no host and quotes nothing of upstream", async () => {
    const at = await upstream(plain(Buffer.from('secret of upstream'), {}, 500));
    const outcome = await fetcher(at).fetch(request(), kept);
    expect(outcome).toEqual({
      outcome: 'failed',
      error: 'The file could not be downloaded from upstream',
      mayPass: true,
    });
  });
});

describe('hosts outside upstream are not called', () => {
  test.each([
    'https://evil.test/file',
    'https://files.test.evil.test/file',
    'http://a.files.test/file',
    'https://a.files.test:8443/file',
    'https://user@a.files.test/file',
    'ftp://a.files.test/file',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'https://127.0.0.1/file',
    'nonsense',
    `https://a.files.test/${'a'.repeat(5_000)}`,
  ])('not from %s', async (url) => {
    const at = await upstream(plain(png));
    const lookup = (): never => {
      throw new Error('asked');
    };
    expect(await outcomeOf(fetcher(at, { options: { lookup } }), request({ url, mediaId: null }))).toEqual([
      'forbidden',
      false,
    ]);
    expect(at.requests).toEqual([]);
  });

  test.each([
    ['that a message names', 'https://lookaside.new.test/file?hash=secret', null],
    ['that a redirect leads to', null, 'https://cdn.new.test/file?hash=secret'],
  ])('the log names the host %s, and no more of the address', async (_, named, location) => {
    const at = await upstream(plain(Buffer.alloc(0), location === null ? {} : { location }, 302));
    const lines: object[] = [];
    const log = { ...silentLog, info: (line: object) => void lines.push(line) };
    const url = named ?? `${at.url}/file`;
    await outcomeOf(fetcher(at, { options: { log } }), request({ url, mediaId: null }));
    const host = new URL(location ?? url).hostname;
    expect(lines).toMatchObject([{ cause: 'forbidden', host }]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('a host of upstream whose name resolves to a private address is not dialled', async () => {
    const at = await upstream(plain(png));
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1']) {
      const attempts = fetcher(at, { options: { lookup: async () => ['93.184.216.34', address] } });
      const asked = request({ url: 'https://cdn.files.test/file', mediaId: null });
      expect(await outcomeOf(attempts, asked)).toEqual(['forbidden', false]);
    }
  });

  test('a redirect to loopback, to another host or in a circle is not followed', async () => {
    const inside = await upstream(plain(png));
    const targets = [`${inside.url}/`, 'https://evil.test/', 'file:///etc/passwd', '/file'];
    for (const location of targets) {
      const at = await upstream(plain(Buffer.alloc(0), { location }, 302));
      expect(await outcomeOf(fetcher(at))).toEqual(['forbidden', false]);
      expect(at.requests.length).toBe(location === '/file' ? 6 : 1);
    }
    expect(inside.requests).toEqual([]);
  });

  test("the token is sent to URLs from upstream's API, and not to those from a message", async () => {
    const at = await upstream(plain(png));
    await fetcher(at).fetch(request(), kept);
    await fetcher(at).fetch(request({ url: `${at.url}/file`, mediaId: null }), kept);
    expect(at.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', undefined]);
  });
});

describe('bounds', () => {
  test('fetches beyond the bound wait in a queue; close aborts those in flight', async () => {
    const at = await upstream(() => undefined);
    const attempts = fetcher(at, { options: { maxInFlight: 2 } });
    const all = Array.from({ length: 5 }, () => attempts.fetch(request(), kept));
    expect(attempts.stats()).toEqual({ inFlight: 2, waiting: 3 });
    await attempts.close();
    const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['failed', 'failed', 'busy', 'busy', 'busy']);
  });

  test('a fetch that its channel no longer wants ends at once, also before it started', async () => {
    const at = await upstream(() => undefined);
    const attempts = fetcher(at, { options: { maxInFlight: 1 } });
    const left = new AbortController();
    const all = [request(), request()].map((asked) => attempts.fetch(asked, left.signal));
    expect(attempts.stats()).toEqual({ inFlight: 1, waiting: 1 });
    left.abort();
    expect((await Promise.all(all)).map(({ outcome }) => outcome)).toEqual(['busy', 'busy']);
    expect(at.requests.length).toBeLessThan(2);
  });

  test('a full queue is no attempt: upstream was not called', async () => {
    const at = await upstream(() => undefined);
    const attempts = fetcher(at, { options: { maxInFlight: 1 } });
    const all = Array.from({ length: 17 }, () => attempts.fetch(request(), kept));
    expect(attempts.stats()).toEqual({ inFlight: 1, waiting: 16 });
    expect(await attempts.fetch(request(), kept)).toEqual({ outcome: 'busy' });
    await attempts.close();
    await Promise.all(all);
  });

  const size = 100 * 1_048_576;
  const piece = Buffer.alloc(65_536);
  const big: Answer = (_, response) => {
    response.writeHead(200, { 'content-length': size });
    let left = size;
    const more = (): void => {
      while (left > 0) {
        left -= piece.length;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };

  test('of 100 MB at most 32 MB are ever in memory between upstream and a slow store', async () => {
    const at = await upstream(big);
    let taken = 0;
    let most = 0;
    const slow: MediaStore = {
      ...store,
      create: async () => ({
        async write(bytes) {
          // The socket may read ahead as far as its limit.
          await new Promise((resolve) => setImmediate(resolve));
          most = Math.max(most, at.written() - taken);
          taken += bytes.length;
        },
        finish: async () => undefined,
        abort: async () => undefined,
      }),
    };
    expect(await outcomeOf(fetcher(at, { store: slow, options: { maxBytes: size } }))).toBe('fetched');
    expect(taken).toBe(size);
    expect(most).toBeLessThan(32 * 1_048_576);
  });

  test('stored parts of 100 MB are no longer in memory', async () => {
    const at = await upstream(big);
    const held = (): number => process.memoryUsage().arrayBuffers;
    const before = held();
    let most = 0;
    const watched: MediaStore = {
      ...store,
      async create(draft) {
        const sink = await store.create(draft);
        return {
          ...sink,
          async write(bytes) {
            await sink.write(bytes);
            most = Math.max(most, held() - before);
          },
        };
      },
    };
    expect(await outcomeOf(fetcher(at, { store: watched, options: { maxBytes: size } }))).toBe('fetched');
    expect(most).toBeLessThan(4 * 1_048_576);
  });
});
