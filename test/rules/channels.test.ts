import { describe, expect, test } from '@jest/globals';
import { channelTypes } from '../../src/rules/vocabulary.ts';
import { kindOf } from '../../src/rules/channels/kinds.ts';
import { checkTextLength } from '../../src/rules/messages/text.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { chatappProfile, profiles } from '../support/profiles.ts';
import { channelOf, thrownBy } from './samples.ts';

const bakery = channelOf('chatapp', { profile: chatappProfile({ phoneNumber: '+1 555-010-0042' }) });

function reasonOf(call: () => unknown): unknown {
  const thrown = thrownBy(call);
  expect(thrown).toBeInstanceOf(Fault);
  expect(thrown).toMatchObject({
    code: 'invalid_recipient',
    status: 400,
    detail: { hint: expect.stringMatching(/^[A-Z].*\.$/) },
  });
  return thrown instanceof Fault ? Object(thrown.detail).reason : null;
}

describe('recipient on chatapp: a phone number', () => {
  test.each([
    ['4915900000777', '4915900000777'],
    ['+4915900000777', '4915900000777'],
    [' +49 159 0000-0777 ', '4915900000777'],
    ['1', '1'],
    ['123456789012345', '123456789012345'],
    ['491590-', '491590'],
    ['49.159.000.00777', '4915900000777'],
    ['49.159.000.00', '4915900000'],
    ['49159.0000070', '491590000070'],
    ['49·159·00000777', '4915900000777'],
    ['+49 (159) 00000/777', '4915900000777'],
    ['[+49] 159 00000777', '4915900000777'],
    ['+49\u00a0159\u202f00000\u3000777', '4915900000777'],
    ['49\u2010159\u2011000\u201300\u2014777', '4915900000777'],
    ['49\u{10ead}15900000777', '4915900000777'],
    [`+${'-'.repeat(50)}4915900000777`, '4915900000777'],
    ['\u202a+49 159 00000777\u202c', '4915900000777'],
    ['\u202d4915900000777\u202c', '4915900000777'],
    ['\u2068+49\u200e 159\u200b00000\u00ad777\u2069', '4915900000777'],
    ['\ufeff4915900000777\u2060', '4915900000777'],
  ])('%j is normalised to %j', (raw, digits) => {
    expect(kindOf('chatapp').checkRecipient(raw, bakery)).toBe(digits);
  });

  test.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['+', 'no_digits'],
    [' - ', 'no_digits'],
    ['abc', 'no_digits'],
    ['٤٩١٥٩', 'no_digits'],
    ['４９１５９', 'no_digits'],
    ['+49 (0) 159', 'trunk_prefix'],
    ['+49\u00a0( 0 )159', 'trunk_prefix'],
    ['[0]159', 'trunk_prefix'],
    ['(0)', 'trunk_prefix'],
    ['()', 'no_digits'],
    ['\u202a\u202c', 'no_digits'],
    ['\u202a+49 (\u200e0\u200e) 159\u202c', 'trunk_prefix'],
    ['\u202a4915900000777.0\u202c', 'not_numeric'],
    ['\u202a004915900000777\u202c', 'international_prefix'],
    ['\u202e7770000095194\u202c', 'not_numeric'],
    ['49\t159', 'not_numeric'],
    ['49_159', 'not_numeric'],
    ['49,159', 'not_numeric'],
    ['4915900000777.0', 'not_numeric'],
    [' +4915900000777.00', 'not_numeric'],
    ['49159a', 'not_numeric'],
    ['DE.', 'no_digits'],
    ['de.20260000000000000042', 'not_numeric'],
    ['DEU.20260000000000000042', 'not_numeric'],
    ['DE.ENT.20260000000000000042\n', 'not_numeric'],
    ['DE.PRT.20260000000000000042', 'not_numeric'],
    [`DE.${'1'.repeat(129)}`, 'not_numeric'],
    [`DE.ENT.${'1'.repeat(129)}`, 'too_long'],
    ['DE.ent.1', 'not_numeric'],
    ['DE.4_2', 'not_numeric'],
    ['DE.4é2', 'not_numeric'],
    ['dE.42', 'not_numeric'],
    [' DE.42', 'not_numeric'],
    ['00', 'international_prefix'],
    ['004915900000777', 'international_prefix'],
    ['0049 1590 0000077', 'international_prefix'],
    ['(00)49 1590 0000077', 'international_prefix'],
    ['+0049 1590 0000077', 'international_prefix'],
    ['0015550100042', 'international_prefix'],
    [`00${'9'.repeat(16)}`, 'too_long'],
    ['49+159', 'not_numeric'],
    ['++49159', 'not_numeric'],
    ['49159\n', 'not_numeric'],
    ['49\u0000159', 'not_numeric'],
    ['1234567890123456', 'too_long'],
    ['9'.repeat(5_000), 'too_long'],
    [' '.repeat(136), 'too_long'],
    ['x'.repeat(136), 'too_long'],
    [`${' '.repeat(131)}49159`, 'too_long'],
    ['\u{10ead}'.repeat(135), 'no_digits'],
    ['\u{10ead}'.repeat(136), 'too_long'],
  ])('%j is refused with reason %j', (raw, reason) => {
    expect(reasonOf(() => kindOf('chatapp').checkRecipient(raw, bakery))).toBe(reason);
  });

  test.each([
    ['0049 1590 0000077', 'Omit the 00: send 4915900000077.'],
    ['+(00)1 555-010-0042', 'Omit the 00: send 15550100042.'],
    ['0001590', expect.stringMatching(/^Send the phone number with country code/)],
  ])('the hint of %j has the number as it must be sent', (raw, hint) => {
    expect(thrownBy(() => kindOf('chatapp').checkRecipient(raw, bakery))).toMatchObject({
      detail: { reason: 'international_prefix', hint },
    });
  });

  test('the hint of a fraction of a spreadsheet has the number as it must be sent', () => {
    expect(thrownBy(() => kindOf('chatapp').checkRecipient('4915900000777.0', bakery))).toMatchObject({
      detail: { reason: 'not_numeric', hint: 'Omit the fraction: send 4915900000777.' },
    });
  });

  test.each([
    'DE.20260000000000000042',
    'US.ENT.506847293015824',
    'US.aB3xZ',
    'US.ENT',
    `DE.${'1'.repeat(128)}`,
    `DE.ENT.${'zZ'.repeat(64)}`,
  ])('%s, as in a `from`, stays unchanged', (from) => {
    expect(kindOf('chatapp').checkRecipient(from, bakery)).toBe(from);
  });

  test.each(['15550100042', '+15550100042', '+1 555-010-0042'])(
    "%j, the channel's own number, is refused",
    (raw) => {
      expect(thrownBy(() => kindOf('chatapp').checkRecipient(raw, bakery))).toMatchObject({
        status: 400,
        detail: { code: 'recipient_equals_sender' },
      });
    },
  );

  test('a channel whose number is unknown has no own number', () => {
    expect(kindOf('chatapp').checkRecipient('15550100042', channelOf('chatapp'))).toBe('15550100042');
  });
});

describe.each(['photoapp', 'pagechat'] as const)('recipient on %s: a numeric scoped user id', (type) => {
  test('an id above 2^53 stays unchanged', () => {
    expect(kindOf(type).checkRecipient('99000000000000071', channelOf(type))).toBe('99000000000000071');
  });

  test.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['mia.v', 'no_digits'],
    ['٨٨٠', 'no_digits'],
    ['+99000', 'not_numeric'],
    ['99 000', 'not_numeric'],
    ['99000 ', 'not_numeric'],
    ['99000\n', 'not_numeric'],
    ['1e5', 'not_numeric'],
    ['9'.repeat(65), 'too_long'],
    ['x'.repeat(65), 'too_long'],
    [' '.repeat(65), 'too_long'],
  ])('%j is refused with reason %j', (raw, reason) => {
    expect(reasonOf(() => kindOf(type).checkRecipient(raw, channelOf(type)))).toBe(reason);
  });
});

describe('text length', () => {
  test.each([
    ['chatapp', 4096],
    ['pagechat', 2000],
    ['photoapp', 1000],
  ] as const)('%s accepts %d characters and refuses one more', (type, limit) => {
    const longest = 'x'.repeat(limit);
    expect(checkTextLength(longest, kindOf(type))).toBe(longest);
    expect(thrownBy(() => checkTextLength(`${longest}x`, kindOf(type)))).toMatchObject({
      status: 400,
      detail: { code: 'text_too_long', limit, length: limit + 1, channel_type: type },
    });
  });

  test('it counts code points: a family emoji is seven, another one', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(checkTextLength(family.repeat(142) + 'x'.repeat(6), kindOf('photoapp'))).toHaveLength(
      142 * 11 + 6,
    );
    expect(() => checkTextLength(family.repeat(143), kindOf('photoapp'))).toThrow('1001 characters');
    expect(checkTextLength('😀'.repeat(2_000), kindOf('pagechat'))).toHaveLength(4_000);
    expect(() => checkTextLength('😀'.repeat(4_097), kindOf('chatapp'))).toThrow('4097 characters');
  });
});

describe('the properties of a channel type', () => {
  const threadEvents = ['message.received', 'message.echo', 'message.delivered', 'message.read'];

  test.each([
    [
      'chatapp',
      [
        ...threadEvents.slice(0, 2),
        'message.sent',
        ...threadEvents.slice(2),
        'message.failed',
        'channel.updated',
        'template.updated',
        'person.updated',
      ],
    ],
    ['photoapp', [...threadEvents, 'channel.updated']],
    ['pagechat', [...threadEvents, 'channel.updated']],
  ] as const)('%s: the events of the event table', (type, events) => {
    expect(kindOf(type).availableEvents).toEqual(events);
  });

  test.each([
    ['chatapp', 1, ['sent'], 1],
    ['photoapp', 2, ['delivered'], 2],
    ['pagechat', 1, [], 1],
  ] as const)(
    '%s: acceptance means rank %d and the statuses %j; an echo means rank %d',
    (type, rank, statuses, echo) => {
      const kind = kindOf(type);
      expect([kind.rankOnAccept, kind.statusesOnAccept, kind.rankOfEcho]).toEqual([rank, statuses, echo]);
    },
  );

  test('each type is described by its own module', () => {
    expect(channelTypes.map((type) => kindOf(type).type)).toEqual(channelTypes);
  });
});

describe('the profile', () => {
  test.each([
    ['chatapp', '311200000000001'],
    ['photoapp', '520000000000005'],
    ['pagechat', '520000000000005'],
  ] as const)('the webhook subscription of %s belongs to %s', (type, asset) => {
    expect(kindOf(type).subscribedAsset(profiles[type])).toBe(asset);
  });

  test('a type shows its own fields, and nothing of a profile of another type', () => {
    expect(channelTypes.map((type) => kindOf(type).publicFields(profiles[type]))).toEqual([
      {
        phone_number_id: '422300000000002',
        phone_number: '+1 555-010-0042',
        business_account_id: '311200000000001',
        quality_rating: null,
      },
      { photoapp_account_id: '17840000000000006', photoapp_username: null, page_id: '520000000000005' },
      { page_id: '520000000000005' },
    ]);
    expect(kindOf('pagechat').publicFields(profiles.photoapp)).toEqual({});
    expect(kindOf('chatapp').publicFields(null)).toEqual({});
  });
});
