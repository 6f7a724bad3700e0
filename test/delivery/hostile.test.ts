import { describe, expect, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { Attempt } from '../../src/delivery/attempt.ts';
import type { WebhookResult } from '../../src/rules/outside.ts';
import { closeAfterEach } from '../support/closing.ts';
import { makePoster, nextTurn, plain, postTo, receiver, signal } from './receivers.ts';
import type { Answer, Receiver } from './receivers.ts';

const timeoutMs = 300;

const closeLater = closeAfterEach();

/** One attempt with a receiver that answers like this. */
async function attempt(answer: Answer, options: Parameters<typeof makePoster>[0] = {}) {
  const target = await receiver(answer);
  closeLater(() => target.close());
  const { poster } = makePoster(options);
  closeLater(() => poster.close());
  const result = await poster.post(postTo(target.url));
  return { result, target, inFlight: poster.stats().inFlight };
}

/** Writes repeatedly as long as the connection is open. */
function drip(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** Writes as fast as the other side reads. */
function pour(socket: Socket, chunk: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}

/** Bytes that the kernel's buffers on loopback may hold: far more than the poster reads. */
const kernelBytes = 12 * 2 ** 20;

async function bytesTaken(target: Receiver): Promise<number> {
  return (await target.closed[0]) ?? Number.NaN;
}

describe('one deadline over everything [spec: Delivery and retry; faults: 54]', () => {
  test.each<[string, number | null, Answer]>([
    ['no answer', null, () => {}],
    ['slow headers', null, (socket) => drip(socket, 'x', 20)],
    ['a drip of 1xx answers', null, (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 20)],
  ])('%s: a timeout, on time, and the connection is closed', async (_, status, answer) => {
    const { result, target, inFlight } = await attempt(
      (socket, request) => {
        if (_ === 'slow headers') socket.write('HTTP/1.1 200 OK\r\nx-long: ');
        answer(socket, request);
      },
      { timeoutMs },
    );

    expect(result).toEqual({ ok: false, status, reason: 'timeout' });
    expect(inFlight).toBe(0);
    await target.closed[0];
  });

  test.each([
    [200, { ok: true, status: 200 }],
    [500, { ok: false, status: 500, reason: 'status' }],
  ])(
    'a %i in time decides, however slow its body is, and the connection is closed',
    async (status, expected) => {
      const { result, target, inFlight } = await attempt(
        (socket) => {
          socket.write(`HTTP/1.1 ${status} So\r\ncontent-length: 10000\r\n\r\n`);
          drip(socket, 'x', 20);
        },
        { timeoutMs },
      );
      expect([result, inFlight]).toEqual([expected, 0]);
      await target.closed[0];
    },
  );

  test('a silent name server counts towards the deadline', async () => {
    const { poster } = makePoster({ timeoutMs, lookup: () => new Promise(() => {}) });
    closeLater(() => poster.close());
    const result = await poster.post(postTo('http://receiver.test/'));

    expect(result).toEqual({ ok: false, status: null, reason: 'timeout' });
  });

  test('a connection that opens after the deadline sends nothing', async () => {
    const target = await receiver(plain('200 OK'));
    closeLater(() => target.close());
    const { poster: other } = makePoster();
    closeLater(() => other.close());
    const dial = buildConnector({});
    const mayOpen = signal<void>();
    const connect: typeof dial = (to, opened) => void mayOpen.fired.then(() => dial(to, opened));
    const pool = new Pool(new URL(target.url).origin, { connect });
    closeLater(() => pool.destroy());
    const late = new Attempt(0, false, () => undefined);
    pool.dispatch({ path: '/late', method: 'POST', body: '{}' }, late);
    late.expire();

    mayOpen.fire();
    await target.connected;
    const next = await other.post(postTo(target.url));

    expect(next).toEqual({ ok: true, status: 200 });
    expect(target.requests.map((request) => request.split(' ')[1])).toEqual(['/hook?a=1']);
  });
});

describe('nothing that a receiver sends is read without a bound [faults: 55]', () => {
  test('an endless body of a 2xx is delivered, and the connection is closed after 16 KB', async () => {
    const { result, target } = await attempt((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      pour(socket, Buffer.from(`1000\r\n${'x'.repeat(4_096)}\r\n`));
    });

    expect(result).toEqual({ ok: true, status: 200 });
    expect(await bytesTaken(target)).toBeLessThan(kernelBytes);
  });

  test('a gzip bomb is counted as it arrives and never decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 2 ** 20));
    const before = process.memoryUsage.rss();

    const { result } = await attempt((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    });

    expect(result).toEqual({ ok: true, status: 200 });
    expect(process.memoryUsage.rss() - before).toBeLessThan(15 * 2 ** 20);
  });

  test('headers of 1 MB end the attempt', async () => {
    const { result } = await attempt((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(2 ** 20)}\r\ncontent-length: 0\r\n\r\n`);
    });

    expect(result).toEqual({ ok: false, status: null, reason: 'protocol' });
  });

  test('a head of 16,000 lines ends the attempt', async () => {
    const { result } = await attempt((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(16_000)}content-length: 0\r\n\r\n`);
    });

    expect(result).toEqual({ ok: false, status: null, reason: 'protocol' });
  });

  test('a flood of 1xx answers ends the attempt at once', async () => {
    const { result, target } = await attempt((socket) =>
      pour(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))),
    );

    expect(result).toEqual({ ok: false, status: null, reason: 'protocol' });
    expect(await bytesTaken(target)).toBeLessThan(kernelBytes);
  });

  test('memory stays constant over a thousand endless answers', async () => {
    const target = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    });
    closeLater(() => target.close());
    const { poster } = makePoster();
    closeLater(() => poster.close());
    const batch = () => Promise.all(Array.from({ length: 20 }, () => poster.post(postTo(target.url))));
    for (let count = 0; count < 10; count += 1) await batch();
    const before = process.memoryUsage.rss();

    const results: WebhookResult[] = [];
    for (let count = 0; count < 40; count += 1) results.push(...(await batch()));

    expect(results.filter(({ ok }) => ok)).toHaveLength(800);
    expect(poster.stats()).toEqual({ inFlight: 0, waiting: 0 });
    expect(process.memoryUsage.rss() - before).toBeLessThan(48 * 2 ** 20);
  });
});

describe('interim answers are ignored [RFC 9110 §15.2]', () => {
  const answers = 'HTTP/1.1 204 No Content\r\n\r\n';
  test.each([
    ['100 Continue', ['HTTP/1.1 100 Continue\r\n\r\n', answers]],
    ['100 Continue and the answer at once', [`HTTP/1.1 100 Continue\r\n\r\n${answers}`]],
    [
      'others before it',
      ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n', answers],
    ],
  ])('%s; the connection is reused', async (_name, parts) => {
    const target = await receiver((socket) => {
      const [first = '', rest = ''] = parts;
      socket.write(first, () => setImmediate(() => socket.write(rest)));
    });
    closeLater(() => target.close());
    const { poster } = makePoster();
    closeLater(() => poster.close());
    for (let nth = 0; nth < 3; nth += 1) {
      expect(await poster.post(postTo(target.url))).toEqual({ ok: true, status: 204 });
      await nextTurn();
    }
    expect(target.connections).toBe(1);
  });
});

describe('broken answers [faults: 56]', () => {
  test('200 and then a reset is delivered: the endpoint has answered 2xx', async () => {
    const { result } = await attempt((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc', () => socket.resetAndDestroy()),
    );

    expect(result).toEqual({ ok: true, status: 200 });
  });

  test('a header over several lines, as nginx writes one of its configuration, is read as one [faults: 537]', async () => {
    const policy = "Content-Security-Policy: default-src 'self';\n    img-src *;\n\tfont-src 'self'";
    const { result } = await attempt((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${policy}\r\ncontent-length: 0\r\n\r\n`),
    );

    expect(result).toEqual({ ok: true, status: 200 });
  });

  test('a reset without an answer is a failure', async () => {
    const { result } = await attempt((socket) => socket.resetAndDestroy());

    expect(result).toEqual({ ok: false, status: null, reason: 'reset' });
  });

  test('an answer that is no HTTP is a failure', async () => {
    const { result } = await attempt((socket) => socket.write('220 mail.example ESMTP\r\n'));

    expect(result).toEqual({ ok: false, status: null, reason: 'protocol' });
  });

  test.each([
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    [
      'a length beside chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['line feeds alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
  ])('an answer with %s was received: it is no valid HTTP [faults: 526]', async (_words, answer) => {
    const { result } = await attempt((socket) => void socket.write(answer));

    expect(result).toEqual({ ok: false, status: null, reason: 'protocol' });
  });
});
