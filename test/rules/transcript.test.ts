/** [portal: Deliveries] What of an attempt is kept, and how it is shown. */
import { describe, expect, test } from '@jest/globals';
import { redactContent } from '../../src/rules/events/redact-content.ts';
import {
  printableBytes,
  printableText,
  addressShown,
  boundedHeaders,
  readTranscript,
  writeTranscript,
} from '../../src/rules/webhooks/transcript.ts';

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
    const shown = JSON.parse(redactContent(Buffer.from(JSON.stringify(event))) ?? '');
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

  test('is nothing where the bytes say none', () => expect(redactContent(Buffer.from('{'))).toBeNull());
});

test('an address is cut at 2,048 characters', () => {
  expect(addressShown(`https://hooks.example.com/${'x'.repeat(3_000)}`)).toBe(
    `https://hooks.example.com/${'x'.repeat(2_048 - 26)}`,
  );
});

test('the older cookies are not kept either', () => {
  expect(boundedHeaders({ 'set-cookie2': 'a=b' })).toEqual({
    headers: [['set-cookie2', '(not kept)']],
    isCut: false,
  });
});

test('headers of 4,096 characters are kept whole, and none beyond them', () => {
  const eight = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`h${n}`, 'x'.repeat(510)]));
  expect(boundedHeaders(eight).isCut).toBe(false);
  expect(boundedHeaders({ ...eight, a: '' }).isCut).toBe(true);
  expect(boundedHeaders({ ...eight, a: '' }).headers).toHaveLength(8);
});

test('bytes that are no UTF-8 are shown one by one: what can be read as it is, the rest as its code', () => {
  const bytes = Uint8Array.of(0xff, 0x1f, 0x20, 0x7e, 0x7f, 0x09, 0x0a, 0x0d);
  expect(printableBytes(bytes, false)).toBe('\\xff\\x1f ~\\x7f\t\n\\x0d');
});

test('an event without its words says why a file is not there', () => {
  const said = {
    event: 'message.echo',
    data: {
      media: { unavailable: 'echo_media_not_supported', kind: 'image' },
      error: 'Not sent',
      errors: [{ code: 'odd', title: 'Odd' }],
      text: 'Hello',
    },
  };
  expect(JSON.parse(redactContent(Buffer.from(JSON.stringify(said))) ?? '')).toEqual({
    ...said,
    data: { ...said.data, text: '(5 characters, not shown)' },
  });
});
