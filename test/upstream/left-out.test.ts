/** [faults: 46, I10] The shape of an item that became no fact is kept, unless the item is known to mean nothing. */
import * as fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { describeShape } from '../../src/upstream/unparsed-items.ts';
import { change, leftOutOf } from './support.ts';

const metadata = { phone_number_id: '422300000000002' };
const page = (entry: object) => ({ object: 'page', entry: [{ id: '520000000000005', ...entry }] });
const number = { channelType: 'chatapp', identity: '422300000000002' };
const ofPage = { channelType: 'pagechat', identity: '520000000000005' };

test.each<[string, unknown, object]>([
  [
    'an object',
    { object: 'hologram', entry: [{}] },
    { reason: 'unknown', channelType: null, kind: 'hologram' },
  ],
  [
    'a status',
    change('messages', { metadata, statuses: [{ id: 'w', status: 'teleported' }] }),
    { reason: 'unknown', ...number, kind: 'messages', shape: '{id: string, status: "teleported"}' },
  ],
  [
    'a member',
    page({ messaging: [{ sender: { id: '8' }, hologram: {} }] }),
    { reason: 'unknown', ...ofPage },
  ],
  ['an entry', page({ holograms: [] }), { reason: 'unknown', ...ofPage, kind: 'entry' }],
])('the shape of an unknown item is kept: %s', (_, post, kept) => {
  expect(leftOutOf(post)).toEqual([expect.objectContaining({ times: 1, ...kept })]);
});

test.each<[string, unknown, object]>([
  [
    'a message without id',
    change('messages', { metadata, messages: [{ from: '49', type: 'text', text: { body: 'Hi' } }] }),
    { ...number, kind: 'messages', shape: '{from: string, type: "text", text: {body: string}}' },
  ],
  ['messages that are no list', change('messages', { metadata, messages: {} }), { ...number }],
  ['a value that is a number', change('messages', 7), { kind: 'messages', identity: null }],
  ['messages without a number', change('messages', { messages: [{}, {}] }), { identity: null, times: 2 }],
  ['an item that is no object', page({ messaging: ['hello'] }), { ...ofPage, shape: 'string' }],
  ['an object in place of a list', page({ messaging: { a: 1 } }), { ...ofPage, kind: 'entry' }],
  ['an entry without id', { object: 'page', entry: [{ messaging: [] }] }, { channelType: 'pagechat' }],
])('%s is kept as malformed', (_, post, kept) => {
  expect(leftOutOf(post)).toEqual([expect.objectContaining({ reason: 'malformed', times: 1, ...kept })]);
});

test.each([
  'history',
  'smb_app_state_sync',
  'business_capability_update',
  'user_preferences',
  'a_field_of_next_year',
])('an item of the field %s is not kept', (field) => {
  expect(leftOutOf(change(field, { event: 'X' }))).toEqual([]);
});

test('at most twenty of a thousand malformed items are kept', () => {
  const messages = Array.from({ length: 1_000 }, () => 'no message');
  expect(leftOutOf(change('messages', { metadata, messages }))).toHaveLength(20);
});

describe('a shape', () => {
  test('a shape has names, types, lengths and upstream’s constants, and nothing that a person wrote', () => {
    const message = {
      type: 'text',
      text: { body: 'my card is 4111 1111' },
      contacts: [{ name: 'Mia Vogel' }, { name: 'Jon' }],
      '4915900000777': true,
      'mia@example.com': null,
      status: 'I am at home',
    };
    expect(describeShape(message)).toBe(
      '{type: "text", text: {body: string}, contacts: [2 × {name: string}], …: boolean, …: null, status: string}',
    );
  });

  test('a shape of any value is short', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(describeShape(value).length).toBeLessThanOrEqual(2_001);
      }),
    );
    const wide = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, n) => [`member_${'a'.repeat(n % 30)}`, n]),
    );
    expect(describeShape([wide, wide]).length).toBeLessThan(2_000);
  });

  test('two texts have the same shape', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(describeShape({ text: one })).toBe(describeShape({ text: other }));
      }),
    );
  });
});
