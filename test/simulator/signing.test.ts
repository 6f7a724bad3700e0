import { expect, test } from '@jest/globals';
import { escapeNonAscii, signatureHeaders } from '../../src/simulator/signing.ts';
import { TokenBook } from '../../src/simulator/tokens.ts';

const secret = 'example-app-secret-0001';
const body =
  '{"object":"page","entry":[{"id":"520000000000005","time":1767225600000,"messaging":[{"sender":{"id":"8800000000000001"},"recipient":{"id":"520000000000005"},"timestamp":1767225599900,"message":{"mid":"m_demo1","text":"caf\\u00e9"}}]}]}';

test('the example body has the signature that the protocol states', () => {
  expect(Buffer.byteLength(body)).toBe(234);
  expect(signatureHeaders(body, 'good', secret)['X-Hub-Signature-256']).toBe(
    'sha256=eb4e71f8203e7b8ead5b6533ff6f134d18c871ced7b93bb73583b29bb6823b7a',
  );
});

test.each([
  ['EAAexampletoken', '3d99fd9efb3ff156ffc48294a442f8fa11152d80faea7a74a3e641f1c5354157'],
  ['EAAexampletoken|1767225600', 'bc4d6173ebd6ddd81015bd9c23d52835c40b45503aa82625da6ee7a89eed57e9'],
])('the proof over %s is the one that the protocol states', (message, proof) => {
  const book = new TokenBook({ id: '700100200300400', secret }, { page_statuses: false }, () => 0);
  expect(book.proof(message)).toBe(proof);
});

test.each([
  ['café', 'caf\\u00e9'],
  ['👍', '\\ud83d\\udc4d'],
  ['plain {"a":1}', 'plain {"a":1}'],
])('non-ASCII characters are sent as lowercase escapes: %s', (text, escaped) => {
  expect(escapeNonAscii(text)).toBe(escaped);
});

test.each([
  ['wrong', `sha256=${'0'.repeat(64)}`],
  ['short', 'sha256=eb4e71f8203e7b8ead5b6533ff6f134d1'],
  ['uppercase', 'sha256=EB4E71F8203E7B8EAD5B6533FF6F134D18C871CED7B93BB73583B29BB6823B7A'],
  ['none', undefined],
  ['sha1_only', undefined],
] as const)('the signature kind %s does not give the correct signature', (kind, header) => {
  expect(signatureHeaders(body, kind, secret)['X-Hub-Signature-256']).toBe(header);
});
