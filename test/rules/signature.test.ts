/** [operator-interface §4, key of `webhook-signature`] The signatures of a POST, by the library of Standard Webhooks, and the key that a secret stands for. */
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  partsKey,
  secretPrefix,
  signBody,
  signParts,
  signaturesOf,
} from '../../src/rules/webhooks/signature.ts';

const text = '{"event":"message.received"}';
const parts = { deliveryId: 'd-1', timestamp: 1_700_000_000, body: Buffer.from(text) };

test('both signatures of a POST, and the time that one of them covers', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  expect(signaturesOf(secret, parts)).toEqual({
    ofBody: signBody(secret, parts.body),
    ofParts: new Webhook(secret).sign('d-1', new Date(1_700_000_000_000), text),
    timestamp: 1_700_000_000,
  });
});

test('a text that is its own key signs as a raw key', () => {
  const raw = new Webhook('a text', { format: 'raw' });
  expect(signParts(partsKey('a text'), parts)).toBe(raw.sign('d-1', new Date(1_700_000_000_000), text));
});

test.each([
  ['YWJj', 'abc'],
  ['YWJjYWJj', 'abcabc'],
  ['YQ==', 'a'],
  ['YWI=', 'ab'],
  ['YWJjYWI=', 'abcab'],
  ['YWJjYQ==', 'abca'],
])('%s is decoded after the prefix', (encoded, key) => {
  expect(String(Buffer.from(partsKey(`whsec_${encoded}`)))).toBe(key);
});

test.each([
  'YWJj',
  'whsec_',
  'whsec_YWJ',
  'whsec_YQ',
  'whsec_YQ=',
  'whsec_Q==',
  'whsec_I=',
  'whsec_YWJjYQ',
  'whsec_ YWJj',
  'whsec_YWJj YWJj',
  'whsec_YWJjY',
  'whsec_Y-J_',
  'whsec_$Q==',
  'whsec_$$==',
  'whsec_$$$=',
  'whsec_$$$$',
  'YWJjwhsec_',
])('%s is the key itself', (secret) => {
  expect(String(Buffer.from(partsKey(secret)))).toBe(secret);
});

test('the prefix by which secret scanners know a secret', () => {
  expect(secretPrefix).toBe('whsec_');
});
