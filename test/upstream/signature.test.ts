import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { signatureCheck } from '../../src/upstream/signature.ts';
import { makeProof } from '../../src/upstream/credentials.ts';
import { appSecret, proof, token } from './support.ts';

// The test vector of upstream §1.5: \u00e9 is six ASCII characters in it.
const body = Buffer.from(
  '{"object":"page","entry":[{"id":"520000000000005","time":1767225600000,"messaging":[{"sender":{"id":"8800000000000001"},"recipient":{"id":"520000000000005"},"timestamp":1767225599900,"message":{"mid":"m_demo1","text":"caf\\u00e9"}}]}]}',
);
const good = 'sha256=eb4e71f8203e7b8ead5b6533ff6f134d18c871ced7b93bb73583b29bb6823b7a';
const sha1 = `sha1=${createHmac('sha1', appSecret).update(body).digest('hex')}`;
const otherApp = `sha256=${createHmac('sha256', 'another-app-secret').update(body).digest('hex')}`;

const isSigned = signatureCheck({ appSecrets: [appSecret], apartSecret: null });

test('the appsecret_proof is the classic HMAC of the token', () => {
  expect(makeProof(appSecret, token)).toBe(proof);
});

describe('the signature of a webhook', () => {
  test('the signature of the raw bytes is accepted', () => {
    expect(body.length).toBe(234);
    expect(isSigned(body, good)).toBe(true);
    expect(isSigned(body, [good])).toBe(true);
  });

  test('the signature is refused for the same JSON serialised again', () => {
    const again = Buffer.from(JSON.stringify(JSON.parse(body.toString())));
    expect(isSigned(again, good)).toBe(false);
  });

  test.each<[string, string | string[] | undefined]>([
    ['no header', undefined],
    ['an empty header', ''],
    ['a short signature', good.slice(0, -1)],
    ['a long signature', `${good}0`],
    ['a wrong signature', `${good.slice(0, -1)}b`],
    ['upper-case hex', good.toUpperCase().replace('SHA256', 'sha256')],
    ['another prefix', good.replace('sha256=', 'sha512=')],
    ['a downgrade to sha1', sha1],
    ['no prefix', good.slice(7)],
    ['blanks around it', ` ${good}`],
    ['a line break after it', `${good}\n`],
    ['a repeated header as Node joins it', `${good}, ${good}`],
    ['a repeated header as a list', [good, good]],
    ['an empty list', []],
    ["another app's signature", otherApp],
  ])('the signature is refused: %s', (_, header) => {
    expect(isSigned(body, header)).toBe(false);
  });
});

describe('several secrets', () => {
  const sign = (text: string, secret: string): string =>
    `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  const check = signatureCheck({ appSecrets: ['new', 'old'], apartSecret: 'photo' });
  const of = (text: string, secret: string): boolean => check(Buffer.from(text), sign(text, secret));

  test('the newest, the older, and no other', () => {
    expect(['new', 'old', 'another'].map((secret) => of('{}', secret))).toEqual([true, true, false]);
  });

  test.each([
    ['{"object":"instagram","entry":[]}', true],
    ['{"object":"page","entry":[]}', false],
    ['{"object":"page","entry":[{"object":"instagram"}]}', false],
    ['"instagram"', false],
    ['not JSON', false],
  ])('that of photo accounts: %s', (text, isTaken) => {
    expect(of(text, 'photo')).toBe(isTaken);
  });
});
