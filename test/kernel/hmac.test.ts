import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hmacUnder } from '../../src/kernel/hmac.ts';

const lengths = [0, 1, 31, 55, 56, 63, 64, 65, 119, 800, 16_383, 16_384, 16_385, 100_000];

test.each([
  ['a short key', 'k'],
  ['a key of one block', 'b'.repeat(64)],
  ['a key longer than a block', 'l'.repeat(65)],
  ['a key of characters of several bytes', 'ключ-密钥'],
])('the HMAC under %s is that of node:crypto for bodies of every length', (_, key) => {
  const hmac = hmacUnder(key);
  for (const length of [...lengths, ...lengths.toReversed()]) {
    const body = randomBytes(length);
    expect(hmac(body)).toBe(createHmac('sha256', key).update(body).digest('hex'));
  }
});

test('RFC 4231, test case 2', () => {
  const hmac = hmacUnder('Jefe');
  expect(hmac(Buffer.from('what do ya want for nothing?'))).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
