import { describe, expect, test } from '@jest/globals';
import { isEmail } from '../../src/domain/accounts/email.ts';
import { apiKeyPrefix, looksLikeApiKey, newApiKey } from '../../src/domain/accounts/api-key.ts';
import { hashSecret } from '../../src/kernel/ids.ts';

describe('API keys', () => {
  test('start with mip_live_ and are stored only as a hash and their first characters', () => {
    const { key, hash, hint } = newApiKey();
    expect(key).toMatch(/^mip_live_[A-Za-z0-9_-]{43}$/);
    expect(hash).toBe(hashSecret(key));
    expect(hint).toBe(key.slice(0, 13));
  });

  test('carry 256 bits and never repeat', () => {
    const keys = Array.from({ length: 1_000 }, () => newApiKey().key);
    expect(new Set(keys).size).toBe(1_000);
    expect(Buffer.from(keys[0]?.slice(apiKeyPrefix.length) ?? '', 'base64url')).toHaveLength(32);
    expect(keys.every(looksLikeApiKey)).toBe(true);
  });

  const body = 'x'.repeat(43);
  test.each([
    '',
    'mip_live_',
    `mip_test_${body}`,
    `MIP_LIVE_${body}`,
    `mip_live_${body.slice(1)}`,
    `mip_live_${body}x`,
    `mip_live_${body.slice(1)}\n`,
    `mip_live_${body.slice(1)}é`,
    `mip_live_${body.slice(1)}=`,
    `mip_live_${body}, mip_live_${body}`,
    `mip_live_${'x'.repeat(10_240)}`,
  ])('%j is none', (text) => {
    expect(looksLikeApiKey(text)).toBe(false);
  });
});

describe('an e-mail address [faults: 131]', () => {
  test.each([
    'owner@example.com',
    "o'hara+news@mail.example.co.uk",
    'a@b',
    'müller@müller.example',
    '0@xn--mller-kva.example',
  ])('%j is one', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  test.each([
    'victim@x.test>',
    '<victim@x.test>',
    'a@b.test, victim@x.test',
    'victim@x.test,a@b.test',
    '"victim@x.test" <a@b.test>',
    '"a b"@x.test',
    'victim@x.test\u0000',
    'victim\u0007@x.test',
    'vic\u200btim@x.test',
    'a@b\r\nRCPT TO:<victim@x.test>',
    'a@b@c',
    'a(victim@x.test)@b',
    'a@[127.0.0.1]',
    '.a@b',
    'a..b@c',
    'a@b..c',
    'a@-b',
    'a@b.',
    'a;b@c',
    'a\\b@c',
    `${'a'.repeat(65)}@b.test`,
    `a@${'b'.repeat(64)}.test`,
    `a@${'b.'.repeat(200)}test`,
  ])('%j is none', (text) => {
    expect(isEmail(text)).toBe(false);
  });
});
