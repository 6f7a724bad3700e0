/** An interim answer that undici would end the connection for. [operator-interface §4] [RFC 9110 §15.2] */
import { Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { passOverContinue } from '../../src/adapters/webhooks/wire.ts';

/** What is read of a socket that has taken `text`. */
function readOf(text: string): string {
  const socket = new Socket();
  passOverContinue(socket);
  socket.push(text);
  return String(socket.read());
}

const head = (status: number, more = ''): string => `HTTP/1.1 ${status} Words\r\n${more}\r\n`;

describe('of what a receiver says', () => {
  test.each([
    ['100 Continue is read as 102', head(100), head(102)],
    ['a 100 that is not whole yet is', 'HTTP/1.1 100 Co', 'HTTP/1.1 102 Co'],
    ['each 100 before the answer is', head(100) + head(100) + head(204), head(102) + head(102) + head(204)],
    ['a 100 after another interim one is', head(103, 'link: </a>\r\n') + head(100), head(103, 'link: </a>\r\n') + head(102)], // prettier-ignore
  ])('%s', (_words, said, read) => {
    expect(readOf(said)).toBe(read);
  });

  test.each([
    ['an answer', head(200)],
    ['another interim answer', head(101) + head(103) + head(110) + head(200)],
    ['what an answer brings', `${head(200)}${head(100)}`],
    ['what is no HTTP', `220 mail 100\r\n\r\n${head(100)}`],
    ['what begins like a status line of something else', 'XTTP/1.1 100 Words\r\n\r\n'],
    ['a beginning without a status', 'HTTP/1.1 '],
    ['nothing at all', '\r\n\r\n'],
  ])('%s is read as it came', (_words, said) => {
    expect(readOf(said)).toBe(said);
  });
});

test('no more is read than was asked for, and nothing is nothing', () => {
  const socket = new Socket();
  passOverContinue(socket);
  expect(socket.read()).toBeNull();
  socket.push(head(100));
  expect([String(socket.read(4)), String(socket.read(8))]).toEqual(['HTTP', '/1.1 100']);
});
