/** The capabilities and the limits of a channel type. [spec: What the service does; upstream §3.8] */
import { describe, expect, test } from '@jest/globals';
import { kindOf } from '../../src/rules/channels/kinds.ts';
import { personIn } from '../../src/rules/channels/recipient.ts';
import type { MediaContent } from '../../src/rules/messages/content.ts';
import { chatappProfile, profiles } from '../support/profiles.ts';

const file: MediaContent = {
  type: 'media',
  mediaType: 'image',
  url: 'https://files.example/a',
  caption: 'A cake',
  filename: 'cake.jpg',
};

test.each([
  ['chatapp', 'number', 'chatapp (phone number)', 'A phone number with its country code, digits only.'],
  ['photoapp', 'account', 'photoapp (direct messages)', 'The id from the “from” of what they wrote to you.'],
  ['pagechat', 'page', 'pagechat (page)', 'The id from the “from” of what they wrote to you.'],
] as const)('for people %s is a %s', (type, noun, label, recipientHint) => {
  expect(kindOf(type)).toMatchObject({ noun, label, recipientHint });
});

test.each([
  [
    'chatapp',
    ['text', 'media', 'template', 'interactive', 'location', 'contacts', 'reaction'],
    { echoNamesSender: true, namesSender: true, describesFiles: true, showsProfiles: false },
  ],
  [
    'photoapp',
    ['text', 'media', 'interactive'],
    { echoNamesSender: false, namesSender: false, describesFiles: false, showsProfiles: true },
  ],
  [
    'pagechat',
    ['text', 'media', 'interactive'],
    { echoNamesSender: true, namesSender: false, describesFiles: false, showsProfiles: true },
  ],
] as const)('%s sends %j, and its events say %j', (type, sends, says) => {
  const kind = kindOf(type);
  expect([...kind.canSend]).toEqual(sends);
  expect(kind).toMatchObject(says);
});

describe('a file', () => {
  test.each([
    ['image', { caption: 'A cake', filename: null }],
    ['video', { caption: 'A cake', filename: null }],
    ['audio', { caption: null, filename: null }],
    ['document', { caption: 'A cake', filename: 'cake.jpg' }],
  ] as const)('on chatapp: %s keeps %j', (mediaType, kept) => {
    expect(kindOf('chatapp').fitMedia({ ...file, mediaType })).toEqual({
      ...file,
      mediaType,
      ...kept,
    });
  });

  test.each(['photoapp', 'pagechat'] as const)('on %s is sent alone', (type) => {
    expect(kindOf(type).fitMedia(file)).toEqual({ ...file, caption: null, filename: null });
  });
});

describe('the pace [upstream §3.8]', () => {
  test.each([
    ['of a number in the phone’s app too: 20 a second', { isDualUse: true }, { gapMs: 50, burst: 10 }],
    [
      'of a number in the app whatever upstream says of its throughput',
      { isDualUse: true, throughput: 'STANDARD' },
      { gapMs: 50, burst: 10 },
    ],
    ['of a standard number: 80 a second', { throughput: 'STANDARD' }, { gapMs: 12.5, burst: 40 }],
    ['of a faster number: learnt from refusals', { throughput: 'HIGH' }, null],
    ['of a number upstream said nothing of: learnt', {}, null],
  ])('on chatapp, %s', (_, told, pace) => {
    expect(kindOf('chatapp').pickPace(chatappProfile({ isDualUse: false, ...told }))).toEqual(pace);
  });

  test('on chatapp, of an unknown number: learned from upstream', () => {
    expect(kindOf('chatapp').pickPace(null)).toBeNull();
  });

  test('on chatapp to one person: one in 6 s, 44 at once', () => {
    expect(kindOf('chatapp')).toMatchObject({
      pairPace: { gapMs: 6_000, burst: 44 },
      audioVideoPace: null,
    });
  });

  test.each(['photoapp', 'pagechat'] as const)('on %s: 300 a second, 10 of audio and video', (type) => {
    expect(kindOf(type).pickPace(profiles[type])).toEqual({ gapMs: 1_000 / 300, burst: 75 });
    expect(kindOf(type)).toMatchObject({ audioVideoPace: { gapMs: 100, burst: 5 }, pairPace: null });
  });
});

describe('echoes', () => {
  test.each([
    [true, true],
    [false, false],
  ])("on chatapp, for a number in the phone's app %j, make events: %j", (isDualUse, areTold) => {
    expect(kindOf('chatapp').hasEchoes(chatappProfile({ isDualUse }))).toBe(areTold);
  });

  test.each(['chatapp', 'photoapp', 'pagechat'] as const)(
    'on %s, for an unknown profile, make events',
    (type) => {
      expect(kindOf(type).hasEchoes(null)).toBe(true);
    },
  );
});

test("a number of an unknown profile may be in the phone's app; no page is", () => {
  const said = (['chatapp', 'photoapp', 'pagechat'] as const).map((type) => kindOf(type).isOnPhone(null));
  expect(said).toEqual([null, false, false]);
});

test.each([
  ['chatapp', profiles.pagechat],
  ['photoapp', profiles.chatapp],
  ['pagechat', profiles.photoapp],
] as const)('the subscription of %s does not use a profile of another type', (type, profile) => {
  expect(kindOf(type).subscribedAsset(profile)).toBeNull();
});

describe('the person of a search text', () => {
  test.each([
    ['+49 (159) 0000-0777', '4915900000777'],
    ['7', '7'],
    ['0049 159 0000-0777', '4915900000777'],
    ['(00)49 159 0000-0777', '4915900000777'],
    ['+0049 159 00000777', '4915900000777'],
    ['+49 (0)159 00000777', '4915900000777'],
    [' +4915900000777.0', '4915900000777'],
    ['\u202a+4915900000777.0\u202c', '4915900000777'],
    ['\u202d+49 159 00000-777\u202c', '4915900000777'],
    ['US.aB3', 'US.aB3'],
    ['0', '0'],
    ['49+159', '49+159'],
    ['a-7', 'a-7'],
    ['7-a', '7-a'],
    [' DE.42 x ', 'DE.42 x'],
  ])('%j means %j', (text, person) => {
    expect(personIn(text)).toBe(person);
  });
});
