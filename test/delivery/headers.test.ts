/** The headers of a POST. [spec: Events, Authentication 7; operator-interface §4: secrets] */
import { expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { sealContext } from '../../src/kernel/sealed.ts';
import type { Sealer } from '../../src/kernel/sealed.ts';
import { Headers } from '../../src/delivery/headers.ts';
import { body, postTo, testSealer } from './receivers.ts';

const url = 'https://receiver.test/';
const context = sealContext.webhookSecret('channel-1');
const [older, newer] = ['whsec_1', 'whsec_2'].map((text) => testSealer.sealText(text, context));
const foreign = testSealer.sealText('whsec_3', sealContext.webhookSecret('channel-2'));
const signed = (secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const covered = Buffer.concat([Buffer.from('delivery-1.1700000000.'), body]);
const signedParts = (key: string): string =>
  `v1,${createHmac('sha256', key).update(covered).digest('base64')}`;
const both = (secret: string) => ({
  'X-Webhook-Signature': signed(secret),
  'webhook-signature': signedParts(secret),
});

/** Alternating names and values, as an object. */
function named(inTurn: readonly string[] | null): Record<string, string> | null {
  if (inTurn === null) return null;
  return Object.fromEntries(
    inTurn.flatMap((name, at) => (at % 2 === 0 ? [[name, inTurn[at + 1] ?? '']] : [])),
  );
}

const always = {
  accept: '*/*',
  'content-type': 'application/json',
  'user-agent': 'Trunkline/1',
  'x-trunkline-hop': '1',
  'X-Webhook-Id': 'delivery-1',
  'X-Webhook-Attempt': '1',
  'X-Webhook-Timestamp': '1700000000',
  'webhook-id': 'delivery-1',
  'webhook-timestamp': '1700000000',
};
const now = 1_700_000_000_999;

test.each([
  ['no secret', {}, {}],
  ['one attempt after others', { attempt: 12 }, { 'X-Webhook-Attempt': '12' }],
  ['a request that caused it', { requestId: 'request-1' }, { 'X-Request-Id': 'request-1' }],
  ['no such request', { requestId: null }, {}],
  ['a secret', { secret: newer }, both('whsec_2')],
  ['a secret and none before', { secret: newer, previousSecret: null }, both('whsec_2')],
  ['a secret and the one before', { secret: newer, previousSecret: older }, { ...both('whsec_2'), 'X-Webhook-Signature-Previous': signed('whsec_1'), 'webhook-signature': `${signedParts('whsec_2')} ${signedParts('whsec_1')}` }], // oxfmt-ignore
  ['one before that is of another channel', { secret: newer, previousSecret: foreign }, both('whsec_2')],
  ['none, and one before', { secret: null, previousSecret: older }, {}],
])('with %s', (_words, post, more) => {
  expect(named(new Headers(testSealer).of(postTo(url, post), now))).toEqual({ ...always, ...more });
});

test('with a secret of another channel there are none, because an unsigned POST would be worse', () => {
  expect(new Headers(testSealer).of(postTo(url, { secret: foreign }), now)).toBeNull();
});

test('a secret is decrypted once, and again for another channel or when it has changed', () => {
  const opened: string[] = [];
  const sealer: Sealer = {
    ...testSealer,
    openText: (sealed, of) => {
      opened.push(sealed);
      return testSealer.openText(sealed, of);
    },
  };
  const headers = new Headers(sealer);
  const of = (secret: typeof newer, channelId = 'channel-1') =>
    headers.of(postTo(url, { secret, channelId }), now) !== null;
  expect([of(newer), of(newer), of(older), of(newer, 'channel-2'), of(newer)]).toEqual([
    true,
    true,
    true,
    false,
    true,
  ]);
  expect(opened).toEqual([newer, older, newer]);
});
