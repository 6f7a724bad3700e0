import { describe, expect, test } from '@jest/globals';
import {
  searchPrefixes,
  wordsOfAccount,
  wordsOfChannel,
} from '../../../src/features/accounts/search-words.ts';
import { unconfirmedEmail } from '../../../src/rules/email.ts';
import { chatappProfile } from '../../support/profiles.ts';

describe('an account is found by', () => {
  test('its address, its host, and the words of both and of its name', () => {
    const words = wordsOfAccount({ name: 'Harbour Bakery (North)', email: 'ada.l@bakery.example' });
    expect(words).toEqual([
      'ada.l@bakery.example',
      'bakery.example',
      'ada',
      'l',
      'bakery',
      'example',
      'harbour',
      'north',
    ]);
  });

  test('its address while that is unconfirmed, but not by the placeholder', () => {
    const words = wordsOfAccount({ name: null, email: unconfirmedEmail('ada@example.com', 'id-1') });
    expect(words).toEqual(['ada@example.com', 'example.com', 'ada', 'example', 'com']);
  });

  test('a bounded number of bounded words', () => {
    const words = wordsOfAccount({ name: `${'x'.repeat(200)} ${'a b c d e f '.repeat(30)}`, email: 'a@b.c' });
    expect(words.length).toBeLessThanOrEqual(24);
    const many = Array.from({ length: 30 }, (_, n) => `word${n}`).join(' ');
    expect(wordsOfAccount({ name: many, email: 'a@b.c' })).toHaveLength(24);
    expect(wordsOfAccount({ name: null, email: 'odd' })).toEqual(['odd']);
    expect(Math.max(...words.map(({ length }) => length))).toBe(64);
  });
});

test.each<[Parameters<typeof wordsOfChannel>[0], string[]]>([
  [
    { channelType: 'chatapp', name: null, profile: chatappProfile({ phoneNumber: '+1 555-010-0042' }) },
    ['15550100042'],
  ],
  [{ channelType: 'chatapp', name: null, profile: chatappProfile({ phoneNumber: null }) }, []],
  [
    {
      channelType: 'photoapp',
      name: 'Bakery',
      profile: { type: 'photoapp', accountId: '1', username: 'Harbour.Bakery', pageId: '2' },
    },
    ['harbour.bakery', 'harbour', 'bakery'],
  ],
  [
    { channelType: 'pagechat', name: 'Café Ünsal', profile: { type: 'pagechat', pageId: '2' } },
    ['café', 'ünsal'],
  ],
  [
    {
      channelType: 'photoapp',
      name: 'Bakery',
      profile: { type: 'photoapp', accountId: '1', username: null, pageId: '2' },
    },
    ['bakery'],
  ],
  [{ channelType: 'photoapp', name: null, profile: null }, []],
])('a channel is a word for its account by its number, its username and its name', (channel, words) => {
  expect(wordsOfChannel(channel)).toEqual(words);
});

test.each([
  ['+1 555-010-0042', [['15550100042']]],
  ['(555) 0100', [['5550100']]],
  ['1234', [['1234'], ['1234']]],
  ['12345', [['12345']]],
  [
    'ada 12345',
    [
      ['ada', '12345'],
      ['ada', '12345'],
    ],
  ],
  [
    '12345 ada',
    [
      ['12345', 'ada'],
      ['12345', 'ada'],
    ],
  ],
  [
    '  ada   l ',
    [
      ['ada', 'l'],
      ['ada', 'l'],
    ],
  ],
  ['@harbour.bakery', [['harbour.bakery'], ['harbour', 'bakery']]],
  [
    'Harbour Bak',
    [
      ['harbour', 'bak'],
      ['harbour', 'bak'],
    ],
  ],
  ['ada@exam', [['ada@exam'], ['ada', 'exam']]],
  ['', []],
  ['%$', [['%$']]],
])('%j searches for %j', (text, words) => {
  expect(searchPrefixes(text)).toEqual(words);
});
