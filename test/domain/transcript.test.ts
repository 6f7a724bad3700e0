/** [portal: Deliveries] What of an attempt is kept, and how it is shown. */
import { describe, expect, test } from '@jest/globals';
import { withoutWords } from '../../src/domain/events/without-words.ts';
import { printableBytes, printableText } from '../../src/domain/webhooks/printable.ts';
import {
  addressShown,
  boundedHeaders,
  readTranscript,
  writeTranscript,
} from '../../src/domain/webhooks/transcript.ts';

describe('an address', () => {
  test.each([
    ['https://hooks.example.com/in', 'https://hooks.example.com/in'],
    ['https://hooks.example.com:8443/in/', 'https://hooks.example.com:8443/in/'],
    ['https://ada:pass@hooks.example.com/in#x', 'https://hooks.example.com/in'],
    ['https://hooks.example.com/in?token=abc&shop=7', 'https://hooks.example.com/in?token=…&shop=…'],
    ['https://hooks.example.com/in?s3cr3t', 'https://hooks.example.com/in?…'],
    ['https://hooks.example.com/in?=abc&&x=', 'https://hooks.example.com/in?…&x=…'],
    ['no address', '(unreadable)'],
  ])('%s is shown as %s', (url, shown) => expect(addressShown(url)).toBe(shown));
});

describe('headers of an answer', () => {
  test('each value of one that comes several times; cookies are not kept', () => {
    const headers = { 'content-type': 'text/html', 'set-cookie': ['session=abc', 'b=c'], via: ['a', 'b'] };
    expect(boundedHeaders(headers)).toEqual({
      headers: [
        ['content-type', 'text/html'],
        ['set-cookie', '(not kept)'],
        ['set-cookie', '(not kept)'],
        ['via', 'a'],
        ['via', 'b'],
      ],
      isCut: false,
    });
  });

  test.each([
    ['one value that is long', { a: 'x'.repeat(513) }, 1],
    ['one name that is long', { ['n'.repeat(101)]: 'x' }, 1],
    ['many', Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`h${n}`, 'x'])), 50],
    ['much', Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`h${n}`, 'x'.repeat(500)])), 8],
  ])('%s is cut', (_, headers, kept) => {
    const bounded = boundedHeaders(headers);
    expect([bounded.headers.length, bounded.isCut]).toEqual([kept, true]);
  });
});

describe('what somebody has answered', () => {
  test.each([
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['a\tb\r\nc', 'a\tb\nc'],
    ['\u0000\u0007\u001b[31m', '\\x00\\x07\\x1b[31m'],
    ['\u0085\u00ad', '\\x85\\xad'],
    ['abc\u202edcba\u200b\ufeff', 'abc\\u{202e}dcba\\u{200b}\\u{feff}'],
    ['grüße 👋', 'grüße 👋'],
  ])('%j is shown as %j', (text, shown) => {
    expect(printableText(text)).toBe(shown);
    expect(printableBytes(Buffer.from(text), false)).toBe(shown);
  });

  test('bytes that are no text, each for itself', () => {
    expect(printableBytes(Buffer.from([0x1f, 0x8b, 0x08, 0x41, 0xff, 0x0a]), false)).toBe(
      '\\x1f\\x8b\\x08A\\xff\n',
    );
  });

  test('a character that was cut in two is left out', () => {
    const bytes = Buffer.from('ab👋').subarray(0, 4);
    expect(printableBytes(bytes, true)).toBe('ab');
    expect(printableBytes(bytes, false)).toBe('ab\\xf0\\x9f');
  });
});

test('a transcript is read as it was written', () => {
  const answer = { headers: [['a', 'b']] as const, body: Buffer.from([0, 255, 10]), isCut: true };
  const transcript = { address: 'https://x.example/', request: [['c', 'd']] as const, answer };
  expect(readTranscript(writeTranscript(transcript))).toEqual(transcript);
  expect(readTranscript(writeTranscript({ ...transcript, answer: null }))).toEqual({
    ...transcript,
    answer: null,
  });
});

describe('an event without what somebody wrote', () => {
  const event = {
    event: 'message.received',
    data: {
      message_id: 'm-1',
      from: '4915900000777',
      from_name: 'Mia',
      type: 'image',
      text: 'grüße 👋',
      media: { media_id: 'f-1', filename: 'secret plan.pdf', file_size: 7, sha256: null },
    },
  };

  test('has its ids, kinds and sizes, and of texts only their length', () => {
    const shown = JSON.parse(withoutWords(Buffer.from(JSON.stringify(event))) ?? '');
    expect(shown).toEqual({
      event: 'message.received',
      data: {
        message_id: 'm-1',
        from: '4915900000777',
        from_name: '(3 characters, not shown)',
        type: 'image',
        text: '(7 characters, not shown)',
        media: { media_id: 'f-1', filename: '(15 characters, not shown)', file_size: 7, sha256: null },
      },
    });
  });

  test('is nothing where the bytes say none', () => expect(withoutWords(Buffer.from('{'))).toBeNull());
});
