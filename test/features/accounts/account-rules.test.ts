import { describe, expect, test } from '@jest/globals';
import {
  addressIn,
  emailAsStored,
  isEmail,
  isConfirmed,
  storedSpellings,
  unconfirmedEmail,
} from '../../../src/rules/email.ts';
import { isRole, mayAs, roles } from '../../../src/rules/person.ts';
import { newApiKey } from '../../../src/features/accounts/account.ts';
import { apiKeyPrefix, looksLikeApiKey } from '../../../src/rules/api-key.ts';
import { hashSecret } from '../../../src/kernel/ids.ts';

describe('API keys', () => {
  test('start with mip_live_ and are stored only as a hash and their first characters', () => {
    const { key, hash, hint, lastFour } = newApiKey();
    expect(key).toMatch(/^mip_live_[A-Za-z0-9_-]{43}$/);
    expect(hash).toBe(hashSecret(key));
    expect(hint).toBe(key.slice(0, 13));
    expect(lastFour).toBe(key.slice(48));
  });

  test('have 256 random bits and never repeat', () => {
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
    `mip_live_!${body.slice(1)}`,
    `mip_live_${body}, mip_live_${body}`,
    `mip_live_${'x'.repeat(10_240)}`,
  ])('%j is not a key', (text) => {
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

describe('an address', () => {
  test.each([
    ['first.last@bakery.example', true],
    [`${'x'.repeat(64)}@bakery.example`, true],
    [`${'x'.repeat(65)}@bakery.example`, false],
    [`a@${'x.'.repeat(125)}yy`, true],
    [`a@${'x.'.repeat(125)}yyy`, false],
    ['a..b@bakery.example', false],
    ['ada@ba!kery.example', false],
    ['bakery.example', false],
  ])('%s is one: %j', (text, isOne) => {
    expect(isEmail(text)).toBe(isOne);
  });

  test('is the same in any spelling', () => {
    expect(emailAsStored('  Ada@Bakery.Example ')).toBe('ada@bakery.example');
  });

  test.each([
    ['info@Bücher.example', 'info@xn--bcher-kva.example'],
    ['info@bu\u0308cher.example', 'info@xn--bcher-kva.example'],
    ['INFO@XN--BCHER-KVA.example', 'info@xn--bcher-kva.example'],
    ['mu\u0308ller@bakery.example', 'm\u00fcller@bakery.example'],
    ['ada@1.2', 'ada@1.2'],
    [`${'x'.repeat(250)}@b\u00fccher.example`, `${'x'.repeat(250)}@b\u00fccher.example`],
    ['b\u00fccher', 'b\u00fccher'],
  ])('%j is stored as %j, and normalizing that again changes nothing', (given, stored) => {
    expect([given, stored].map(emailAsStored)).toEqual([stored, stored]);
  });

  test('is looked up in the spellings of earlier versions too', () => {
    const spelled = [
      'm\u00fcller@xn--bcher-kva.example',
      'm\u00fcller@b\u00fccher.example',
      'mu\u0308ller@xn--bcher-kva.example',
      'mu\u0308ller@bu\u0308cher.example',
    ];
    for (const each of spelled) expect(storedSpellings(each)).toEqual(spelled);
    expect(storedSpellings('ada@bakery.example')).toEqual(['ada@bakery.example']);
    const unconfirmed = unconfirmedEmail('ada@b\u00fccher.example', 'account-1');
    expect(storedSpellings(unconfirmed)).toEqual([unconfirmed]);
  });

  test('that is unconfirmed is stored as a placeholder, and read from it', () => {
    const stored = unconfirmedEmail('ada@bakery.example', 'account-1');
    expect([isConfirmed(stored), isEmail(stored), addressIn(stored)]).toEqual([
      false,
      false,
      'ada@bakery.example',
    ]);
    expect([isConfirmed('ada@bakery.example'), addressIn('ada@bakery.example')]).toEqual([
      true,
      'ada@bakery.example',
    ]);
  });
});

test.each([
  ['owner', [true, true, true]],
  ['developer', [false, true, true]],
  ['viewer', [false, false, true]],
] as const)('a person who is %s may do what owners, developers and viewers may: %j', (role, may) => {
  expect(roles.map((needed) => mayAs(role, needed))).toEqual(may);
});

test('a role is one of the three', () => {
  expect(['owner', 'developer', 'viewer', 'admin', ''].map(isRole)).toEqual([true, true, true, false, false]);
});
