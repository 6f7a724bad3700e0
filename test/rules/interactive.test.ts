/** Texts with something to press, places, contacts and reactions. [spec: Additions; upstream §3.1, §3.3] */
import { describe, expect, test } from '@jest/globals';
import { kindOf } from '../../src/rules/channels/kinds.ts';
import { requireNumber } from '../../src/rules/channels/chatapp.ts';
import { readCard } from '../../src/rules/messages/cards.ts';
import { checkInteractive, readInteractive } from '../../src/rules/messages/interactive.ts';
import type { Action, InteractiveContent } from '../../src/rules/messages/interactive.ts';
import { namesToldBy, namesToldOf } from '../../src/rules/messages/same-person.ts';
import {
  hasNames,
  pickNames,
  recipientNames,
  writeRecipientNames,
} from '../../src/rules/messages/recipient-names.ts';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import { inboundOf, saidOf, thrownBy } from './samples.ts';

const choice = (id: string, title = `Yes ${id.slice(0, 8)}`) => ({ id, title });
const choices = (count: number) => Array.from({ length: count }, (_, index) => choice(String(index)));
const buttons = (count: number): Action => ({ type: 'buttons', buttons: choices(count) });
const replies = (count: number): Action => ({ type: 'quick_replies', buttons: choices(count) });
const list = (rows: { id: string; title: string }[]): Action => ({
  type: 'list',
  button: 'Choose',
  sections: [{ title: null, rows: rows.map((row) => ({ ...row, description: null })) }],
});

function contentOf(action: Action, fields: Partial<InteractiveContent> = {}): InteractiveContent {
  return { type: 'interactive', text: 'Shall we?', header: null, footer: null, action, ...fields };
}

function refusal(type: ChannelType, content: InteractiveContent): unknown {
  return thrownBy(() => checkInteractive(content, kindOf(type)));
}

describe('each kind takes what upstream takes', () => {
  const url: Action = { type: 'url', title: 'Shop', url: 'https://shop.example' };
  const place: Action = { type: 'location_request' };

  test.each([
    ['chatapp', buttons(3)],
    ['chatapp', list([choice('1')])],
    ['chatapp', url],
    ['chatapp', place],
    ['photoapp', buttons(3)],
    ['photoapp', replies(13)],
    ['photoapp', url],
    ['pagechat', buttons(3)],
    ['pagechat', replies(13)],
    ['pagechat', url],
  ] as const)('%s: %j', (type, action) => {
    const content = contentOf(action);
    expect(checkInteractive(content, kindOf(type))).toBe(content);
  });

  test.each([
    ['chatapp', replies(1), {}, 'quick_replies'],
    ['photoapp', list([choice('1')]), {}, 'list'],
    ['pagechat', place, {}, 'location_request'],
    ['pagechat', buttons(1), { header: 'Hi' }, 'header'],
    ['photoapp', url, { footer: 'Hi' }, 'footer'],
    ['chatapp', place, { header: 'Hi' }, 'header'],
    ['chatapp', place, { footer: 'Hi' }, 'footer'],
  ] as const)('%s has no %j %j', (type, action, fields, what) => {
    expect(refusal(type, contentOf(action, fields))).toMatchObject({
      status: 400,
      detail: { code: 'unsupported_content', what, channel_type: type, reason: `no_${what}` },
    });
  });

  const long = (length: number): string => 'x'.repeat(length);
  test.each([
    ['chatapp', 'text', 1024, (n: number) => contentOf(buttons(1), { text: long(n) })],
    ['chatapp', 'text', 4096, (n: number) => contentOf(list([choice('1')]), { text: long(n) })],
    ['chatapp', 'text', 1024, (n: number) => contentOf(url, { text: long(n) })],
    ['chatapp', 'text', 1024, (n: number) => contentOf(place, { text: long(n) })],
    ['chatapp', 'header', 60, (n: number) => contentOf(buttons(1), { header: long(n) })],
    ['chatapp', 'footer', 60, (n: number) => contentOf(list([choice('1')]), { footer: long(n) })],
    ['chatapp', 'footer', 60, (n: number) => contentOf(url, { footer: long(n) })],
    ['chatapp', 'id', 256, (n: number) => contentOf({ type: 'buttons', buttons: [choice(long(n))] })],
    ['chatapp', 'title', 20, (n: number) => contentOf({ type: 'buttons', buttons: [choice('1', long(n))] })],
    ['chatapp', 'id', 200, (n: number) => contentOf(list([choice(long(n))]))],
    ['chatapp', 'title', 24, (n: number) => contentOf(list([choice('1', long(n))]))],
    ['chatapp', 'url_button.title', 20, (n: number) => contentOf({ ...url, title: long(n) })],
    ['chatapp', 'buttons', 3, (n: number) => contentOf(buttons(n))],
    ['chatapp', 'sections', 10, (n: number) => contentOf(list(choices(n)))],
    ['photoapp', 'text', 640, (n: number) => contentOf(buttons(1), { text: long(n) })],
    ['photoapp', 'text', 1000, (n: number) => contentOf(replies(1), { text: long(n) })],
    ['pagechat', 'text', 2000, (n: number) => contentOf(replies(1), { text: long(n) })],
    ['pagechat', 'url_button.title', 20, (n: number) => contentOf({ ...url, title: long(n) })],
    ['pagechat', 'id', 1000, (n: number) => contentOf({ type: 'buttons', buttons: [choice(long(n))] })],
    ['pagechat', 'title', 20, (n: number) => contentOf({ type: 'buttons', buttons: [choice('1', long(n))] })],
    ['pagechat', 'buttons', 13, (n: number) => contentOf(replies(n))],
  ] as const)('%s: %s up to %i', (type, field, limit, make) => {
    expect(checkInteractive(make(limit), kindOf(type))).toEqual(make(limit));
    expect(refusal(type, make(limit + 1))).toMatchObject({
      detail: { code: 'content_too_long', field, limit, length: limit + 1, channel_type: type },
    });
  });

  test('buttons have titles of their own where upstream refuses two of one title', () => {
    const twice = contentOf({ type: 'buttons', buttons: [choice('1', 'Yes'), choice('2', 'Yes')] });
    expect(saidOf(() => checkInteractive(twice, kindOf('chatapp')))).toEqual([
      'value_error body: Value error, each choice should have a title of its own',
    ]);
    expect(checkInteractive(twice, kindOf('pagechat'))).toEqual(twice);
    const rows = contentOf(list([choice('1', 'Yes'), choice('2', 'Yes')]));
    expect(checkInteractive(rows, kindOf('chatapp'))).toEqual(rows);
  });

  test('each choice has an id of its own', () => {
    const twice = contentOf({ type: 'buttons', buttons: [choice('1'), choice('1')] });
    expect(saidOf(() => checkInteractive(twice, kindOf('chatapp')))).toEqual([
      'value_error body: Value error, each choice should have an id of its own',
    ]);
  });
});

describe('stored content is read as it was', () => {
  test.each([
    contentOf(buttons(2), { header: 'Hi', footer: 'Bye' }),
    contentOf(replies(2)),
    contentOf({
      type: 'list',
      button: 'Choose',
      sections: [{ title: 'A', rows: [{ id: '1', title: 'One', description: 'first' }] }],
    }),
    contentOf({ type: 'url', title: 'Shop', url: 'https://shop.example' }),
    contentOf({ type: 'location_request' }),
  ])('%j', (content) => {
    expect(readInteractive(JSON.parse(JSON.stringify(content)))).toStrictEqual(content);
  });

  test.each([
    {},
    { text: 'a' },
    { text: 'a', action: {} },
    { text: 'a', action: { type: 'poll' } },
    { action: { type: 'url' } },
  ])('%j is none', (stored) => {
    expect(readInteractive(stored)).toBeNull();
  });

  test('what is damaged is left out', () => {
    const damaged = { text: 'a', action: { type: 'buttons', buttons: [null, 5, {}] } };
    expect(readInteractive(damaged)).toStrictEqual(
      contentOf({ type: 'buttons', buttons: [{ id: '', title: '' }] }, { text: 'a' }),
    );
    const rows = { text: 'a', action: { type: 'list', sections: [7, { rows: [{}] }] } };
    expect(readInteractive(rows)?.action).toStrictEqual({
      type: 'list',
      button: '',
      sections: [{ title: null, rows: [{ id: '', title: '', description: null }] }],
    });
    expect(readInteractive({ text: 'a', action: { type: 'url' } })?.action).toStrictEqual({
      type: 'url',
      title: '',
      url: '',
    });
  });

  const card = {
    name: 'Mia Vogel',
    firstName: 'Mia',
    lastName: 'Vogel',
    phones: [{ phone: '491', type: 'WORK', waId: '491' }],
    emails: [{ email: 'mia@example.com', type: 'HOME' }],
    organization: 'Bakery',
  };
  const empty = { name: '', firstName: null, lastName: null, phones: [], emails: [], organization: null };
  const place = { type: 'location', latitude: 1.5, longitude: -2 };

  test.each([
    [
      { ...place, name: 'Bakery', address: 'Harbour 1' },
      { ...place, name: 'Bakery', address: 'Harbour 1' },
    ],
    [place, { ...place, name: null, address: null }],
    [{ ...place, latitude: '1' }, null],
    [{ ...place, longitude: null }, null],
    [
      { type: 'contacts', contacts: [card] },
      { type: 'contacts', contacts: [card] },
    ],
    [
      { type: 'contacts', contacts: [null, {}] },
      { type: 'contacts', contacts: [empty] },
    ],
    [
      { type: 'contacts', contacts: [{ phones: [{}, 1], emails: [{}] }] },
      {
        type: 'contacts',
        contacts: [
          { ...empty, phones: [{ phone: '', type: null, waId: null }], emails: [{ email: '', type: null }] },
        ],
      },
    ],
    [
      { type: 'reaction', to: 'wamid.1', emoji: '👍' },
      { type: 'reaction', to: 'wamid.1', emoji: '👍' },
    ],
    [
      { type: 'reaction', to: 'wamid.1' },
      { type: 'reaction', to: 'wamid.1', emoji: '' },
    ],
    [{ type: 'reaction', emoji: '👍' }, null],
    [{ type: 'text' }, null],
  ])('%j', (stored, read) => {
    expect(readCard(stored)).toStrictEqual(read);
  });
});

describe('names of one person', () => {
  test.each([
    ['491', null, undefined, {}],
    ['491', '491', undefined, {}],
    ['5491', '5415', undefined, { waId: '5415' }],
    ['DE.1', 'DE.2', undefined, {}],
    ['491', '491', 'DE.1', { userId: 'DE.1' }],
    ['5491', '5415', 'AR.1', { userId: 'AR.1', waId: '5415' }],
    ['491', null, 'DE.1', { userId: 'DE.1' }],
  ])('asked for %s, upstream names %s and %s', (asked, named, userId, names) => {
    const told = recipientNames(asked, named, userId);
    expect(told).toStrictEqual(names);
    expect(pickNames({ ...told })).toStrictEqual(names);
    expect(hasNames(told)).toBe(Object.keys(names).length > 0);
  });

  test('are members of events and answers', () => {
    expect(writeRecipientNames({})).toStrictEqual({});
    expect(writeRecipientNames({ userId: 'DE.1' })).toStrictEqual({ recipient_user_id: 'DE.1' });
    expect(writeRecipientNames({ waId: '491' })).toStrictEqual({ wa_id: '491' });
  });

  test.each([
    [{}, []],
    [{ waId: '5415' }, [{ name: '5491', sameAs: '5415' }]],
    [{ userId: 'AR.1' }, [{ name: '5491', sameAs: 'AR.1' }]],
    [
      { userId: 'AR.1', waId: '5415' },
      [
        { name: '5415', sameAs: 'AR.1' },
        { name: '5491', sameAs: '5415' },
      ],
    ],
    [{ waId: '5491' }, []],
    [{ userId: '' }, [{ name: '5491', sameAs: '' }]],
  ])('an answer to a send to 5491 with %j', (names, same) => {
    expect(namesToldOf('5491', names)).toEqual(same);
  });

  const person = {
    kind: 'person',
    channelType: 'chatapp',
    identity: '4',
    upstreamId: 'wamid.S',
    at: 1,
  } as const;
  test.each([
    [inboundOf(), []],
    [inboundOf({ userId: 'DE.1' }), [{ name: '4915900000777', sameAs: 'DE.1' }]],
    [inboundOf({ from: 'DE.1', userId: 'DE.1' }), []],
    [{ ...person, from: '492', previousFrom: '491' }, [{ name: '491', sameAs: '492' }]],
    [
      { ...person, from: '492', userId: 'DE.2', previousFrom: '491', previousUserId: 'DE.1' },
      [
        { name: '492', sameAs: 'DE.2' },
        { name: 'DE.1', sameAs: 'DE.2' },
      ],
    ],
    [{ ...person, from: '492', previousUserId: 'DE.1' }, [{ name: 'DE.1', sameAs: '492' }]],
    [{ ...person, from: '492' }, []],
  ])('%j tells %j', (fact, same) => {
    expect(namesToldBy(fact)).toEqual(same);
  });
});

test('a one-time code goes to a number', () => {
  expect(() => requireNumber('4915900000777')).not.toThrow();
  expect(thrownBy(() => requireNumber('DE.1'))).toMatchObject({
    status: 400,
    detail: {
      code: 'invalid_recipient',
      reason: 'needs_phone_number',
      hint: 'Send an authentication template to the phone number.',
    },
  });
});
