/** Answer heads for which undici would close the connection, or need a long time. [operator-interface §4] [RFC 9110 §15.2] [faults: 55, I9] */
import { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { guardHeads } from '../../src/delivery/heads.ts';

/** What is read from a socket that has received `text`. */
function readOf(text: string): string {
  const socket = new Socket();
  guardHeads(socket);
  socket.push(text);
  return String(socket.read());
}

const head = (status: number, more = ''): string => `HTTP/1.1 ${status} Words\r\n${more}\r\n`;

describe("of a receiver's answer", () => {
  test.each([
    ['100 Continue is read as 102', head(100), head(102)],
    ['a 100 that is not whole yet is', 'HTTP/1.1 100 Co', 'HTTP/1.1 102 Co'],
    ['each 100 before the answer is', head(100) + head(100) + head(204), head(102) + head(102) + head(204)],
    ['a 100 after another interim one is', head(103, 'link: </a>\r\n') + head(100), head(103, 'link: </a>\r\n') + head(102)], // oxfmt-ignore
  ])('%s', (_words, said, read) => {
    expect(readOf(said)).toBe(read);
  });

  test.each([
    ['an answer', head(200)],
    ['another interim answer', head(101) + head(103) + head(110) + head(200)],
    ['what an answer brings', `${head(200)}${head(100)}`],
    ['what is no HTTP', '220 mail 100\r\n\r\n'],
    ['what begins like a status line of something else', 'XTTP/1.1 100 Words\r\n\r\n'],
    ['a beginning without a status', 'HTTP/1.1 '],
    ['nothing at all', '\r\n\r\n'],
    ['a body', `${head(200)}a\n b\r\n c`],
    ['a blank line before a blank', `${head(200)} a`],
  ])('%s is read unchanged', (_words, said) => {
    expect(readOf(said)).toBe(said);
  });

  test.each([
    ['with CRLF', head(200, 'x: a\r\n b\r\n\tc\r\n'), head(200, 'x: a   b  \tc\r\n')],
    ['with line feeds alone', head(200, 'x: a;\n   b;\n\tc\r\ny: d\r\n'), head(200, 'x: a;    b; \tc\r\ny: d\r\n')], // oxfmt-ignore
  ])('a header over several lines, %s, is read as one [faults: 537]', (_words, said, read) => {
    expect(readOf(said)).toBe(read);
  });
});

test('at most the requested bytes are read; no bytes are no read', () => {
  const socket = new Socket();
  guardHeads(socket);
  expect(socket.read()).toBeNull();
  socket.push(head(100));
  expect([String(socket.read(4)), String(socket.read(8))]).toEqual(['HTTP', '/1.1 102']);
});

describe('the heads of an answer', () => {
  const lines = (count: number): string => 'a:\r\n'.repeat(count);

  /** What is read of each chunk; null: the connection is closed. */
  function readsOf(pieces: readonly string[]): (string | null)[] {
    const socket = new Socket();
    socket.on('error', () => undefined);
    guardHeads(socket);
    return pieces.map((piece) => {
      socket.push(piece);
      const read: unknown = socket.read();
      return Buffer.isBuffer(read) ? read.toString() : null;
    });
  }

  test.each([
    ['as many lines as there may be are read', [`HTTP/1.1 200 OK\r\n${lines(1_998)}\r\n`]],
    ['a body has as many as it likes', ['HTTP/1.1 200 OK\r\n\r\n', '\n'.repeat(9_000)]],
    ['a body in one piece with its head too', [`HTTP/1.1 200 OK\r\n\r\n${'\n'.repeat(9_000)}`]],
  ])('%s', (_words, pieces) => {
    expect(readsOf(pieces)).toEqual(pieces);
  });

  test.each([
    ['more bytes', [`HTTP/1.1 200 OK\r\n${`x-name: ${'v'.repeat(80)}\r\n`.repeat(300)}\r\n`]],
    ['a line that does not end', ['HTTP/1.1 200 OK\r\nx-name: ', 'v'.repeat(20_000), 'v'.repeat(5_000)]],
    ['more lines', [`HTTP/1.1 200 OK\r\n${lines(1_999)}\r\n`]],
    [
      'more lines than that in pieces',
      ['HTTP/1.1 20', '0 OK\r', `\n${lines(1_000)}a`, `:\r\n${lines(1_000)}`],
    ],
    ['many lines behind an interim head', [head(100), `HTTP/1.1 404 No\r\n${lines(2_000)}`]],
    ['many lines behind an interim head that is not of HTTP', ['ICE/1.0 100 x\r\n\r\n', `HTTP/1.1 200 OK\r\n${lines(2_000)}`]], // oxfmt-ignore
    ['many lines behind a blank one', ['\r\n', `HTTP/1.1 200 OK\r\n${lines(2_000)}`]],
    ['interim heads without end', [head(103), head(103).repeat(1_000)]],
  ])('%s close the connection', (_words, pieces) => {
    expect(readsOf(pieces)).toEqual([...pieces.slice(0, -1).map(withContinue), null]);
  });

  const withContinue = (piece: string): string => piece.replace(/^HTTP\/1.1 100/, 'HTTP/1.1 102');

  test('the answer to the next request counts its own lines', () => {
    const socket = new Socket();
    socket.write = () => true; // sent nowhere
    guardHeads(socket);
    const answer = `HTTP/1.1 200 OK\r\n${lines(1_500)}\r\n`;
    const read = Array.from({ length: 3 }, () => {
      socket.write('POST / HTTP/1.1\r\n\r\n');
      socket.push(answer);
      return String(socket.read());
    });
    expect(read).toEqual([answer, answer, answer]);
  });
});
