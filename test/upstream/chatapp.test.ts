import { describe, expect, test } from '@jest/globals';
import {
  sampleChatappEcho,
  sampleChatappMessage,
  sampleChatappStatus,
  sampleTemplateStatus,
} from './samples/chatapp.ts';
import type { Part, UpstreamFile } from '../../src/rules/messages/facts.ts';
import { change, onlyFact, parse, parseText, receivedAt } from './support.ts';

const route = { channelType: 'chatapp', identity: '422300000000002' } as const;
const metadata = { display_phone_number: '15550100042', phone_number_id: '422300000000002' };

const messages = (...items: unknown[]) => change('messages', { metadata, messages: items });
const statuses = (...items: unknown[]) => change('messages', { metadata, statuses: items });
const message = (members: object) => ({
  from: '4915900000777',
  id: 'wamid.IN0001',
  timestamp: '1767225600',
  ...members,
});
const status = (members: object) => ({
  id: 'wamid.OUT1',
  timestamp: '1767225603',
  recipient_id: '4915900000777',
  ...members,
});
const file = (members: Partial<UpstreamFile>): UpstreamFile => ({
  mediaId: null,
  url: null,
  mimeType: null,
  filename: null,
  sha256: null,
  voice: false,
  ...members,
});
const unsupported = (unsupportedType: string, chosen: { text?: string } = {}): Part => ({
  type: 'unsupported',
  unsupportedType,
  ...chosen,
});

describe('an inbound chatapp message', () => {
  test('a message carries sender, name, time in ms and text', () => {
    expect(onlyFact(sampleChatappMessage)).toEqual({
      kind: 'inbound',
      ...route,
      upstreamId: 'wamid.IN0001',
      from: '4915900000777',
      fromName: 'Mia Vogel',
      at: 1767225600000,
      caption: null,
      parts: [{ type: 'text', text: 'Hello, are you open?' }],
      userId: 'DE.20260000000000000042',
      username: 'mia.v',
    });
  });

  test.each<[string, object, Part, string | null]>([
    [
      'an image with caption',
      {
        type: 'image',
        image: {
          caption: 'this one',
          mime_type: 'image/jpeg',
          sha256: 'q83v=',
          id: '1440000000000021',
          url: 'https://x',
        },
      },
      { type: 'image', file: file({ mediaId: '1440000000000021', mimeType: 'image/jpeg', sha256: 'q83v=' }) },
      'this one',
    ],
    [
      'a video',
      { type: 'video', video: { mime_type: 'video/mp4', sha256: 'a=', id: '14' } },
      { type: 'video', file: file({ mediaId: '14', mimeType: 'video/mp4', sha256: 'a=' }) },
      null,
    ],
    [
      'a voice note',
      {
        type: 'audio',
        audio: { mime_type: 'audio/ogg; codecs=opus', sha256: 'b=', id: '1440000000000022', voice: true },
      },
      {
        type: 'audio',
        file: file({
          mediaId: '1440000000000022',
          mimeType: 'audio/ogg; codecs=opus',
          sha256: 'b=',
          voice: true,
        }),
      },
      null,
    ],
    [
      'audio that is no voice note',
      { type: 'audio', audio: { mime_type: 'audio/mpeg', id: '15', voice: false } },
      { type: 'audio', file: file({ mediaId: '15', mimeType: 'audio/mpeg' }) },
      null,
    ],
    [
      'the legacy voice form',
      { type: 'voice', voice: { mime_type: 'audio/ogg', id: '16' } },
      { type: 'audio', file: file({ mediaId: '16', mimeType: 'audio/ogg', voice: true }) },
      null,
    ],
    [
      'a document',
      {
        type: 'document',
        document: { filename: 'plan.pdf', mime_type: 'application/pdf', id: '1440000000000023' },
      },
      {
        type: 'document',
        file: file({ mediaId: '1440000000000023', mimeType: 'application/pdf', filename: 'plan.pdf' }),
      },
      null,
    ],
    [
      'a sticker',
      { type: 'sticker', sticker: { id: '17', mime_type: 'image/webp', animated: true } },
      { type: 'sticker', file: file({ mediaId: '17', mimeType: 'image/webp' }) },
      null,
    ],
    [
      'a file too large to have an id',
      { type: 'video', video: {}, errors: [{ code: 131052, title: 'Media download error' }] },
      { type: 'video', file: file({}) },
      null,
    ],
    [
      'a pressed template button',
      { type: 'button', button: { text: 'Yes', payload: 'Y' } },
      unsupported('button', { text: 'Yes' }),
      null,
    ],
    [
      'a pressed reply button',
      {
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: '1', title: 'Call me' } },
      },
      unsupported('interactive', { text: 'Call me' }),
      null,
    ],
    [
      'a chosen list row',
      {
        type: 'interactive',
        interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Monday', description: 'd' } },
      },
      unsupported('interactive', { text: 'Monday' }),
      null,
    ],
    [
      'a form',
      {
        type: 'interactive',
        interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{}' } },
      },
      unsupported('interactive'),
      null,
    ],
    [
      'a location',
      { type: 'location', location: { latitude: 1, longitude: 2 } },
      unsupported('location'),
      null,
    ],
    [
      'contacts',
      { type: 'contacts', contacts: [{ name: { formatted_name: 'M' } }] },
      unsupported('contacts'),
      null,
    ],
    ['an order', { type: 'order', order: { catalog_id: '1' } }, unsupported('order'), null],
    ['a text with an empty body', { type: 'text', text: { body: '' } }, { type: 'text', text: '' }, null],
    ['a first opening of the chat', { type: 'request_welcome' }, unsupported('request_welcome'), null],
    [
      'what upstream itself does not support',
      {
        type: 'unsupported',
        errors: [{ code: 131051, title: 'Message type unknown' }],
        unsupported: { type: 'unknown' },
      },
      unsupported('unsupported'),
      null,
    ],
    ['a type not known yet', { type: 'poll_creation' }, unsupported('poll_creation'), null],
    ['a type named like a member of every object', { type: 'constructor' }, unsupported('constructor'), null],
    ['a type named __proto__', { type: '__proto__' }, unsupported('__proto__'), null],
  ])('the content of %s is read', (_, members, part, caption) => {
    expect(onlyFact(messages(message(members)))).toMatchObject({ kind: 'inbound', parts: [part], caption });
  });

  test.each([
    ['reaction', { type: 'reaction', reaction: { message_id: 'wamid.X', emoji: '👍' } }],
    ['reaction taken back', { type: 'reaction', reaction: { message_id: 'wamid.X' } }],
    ['edit', { type: 'edit', edit: { original_message_id: 'wamid.X', message: { type: 'text' } } }],
    ['revoke', { type: 'revoke', revoke: { original_message_id: 'wamid.X' } }],
    ...['edit', 'reaction', 'revoke'].map(
      (type) =>
        [
          `${type} that upstream does not show`,
          { type: 'unsupported', errors: [{ code: 131051 }], unsupported: { type } },
        ] as const,
    ),
    ['system notice', { type: 'system', system: { body: 'moved', type: 'customer_identity_changed' } }],
  ])('a %s becomes no message', (_, members) => {
    expect(parse(messages(message(members)))).toEqual({ facts: [], malformed: 0, ignored: 1 });
  });

  test('the sender of a message without a number is the business-scoped id', () => {
    const contacts = [{ profile: { name: 'Mia' }, user_id: 'DE.20260000000000000042' }];
    const item = {
      from_user_id: 'DE.20260000000000000042',
      id: 'wamid.1',
      timestamp: '1767225600',
      type: 'text',
      text: { body: 'a' },
    };
    expect(onlyFact(change('messages', { metadata, contacts, messages: [item] }))).toMatchObject({
      from: 'DE.20260000000000000042',
      fromName: 'Mia',
    });
  });

  test.each([
    ['number', { wa_id: '+4915900000777', user_id: 'DE.1' }, { from: '4915900000777', userId: 'DE.1' }],
    ['business-scoped id', { user_id: 'DE.1' }, { from: 'DE.1', userId: 'DE.1' }],
  ])('a message that names no sender is of the %s of its only contact', (_, ids, sender) => {
    const contacts = [{ profile: { name: 'Mia' }, ...ids }];
    const item = message({ from: undefined, type: 'text', text: { body: 'a' } });
    expect(onlyFact(change('messages', { metadata, contacts, messages: [item] }))).toMatchObject({
      ...sender,
      fromName: 'Mia',
    });
  });

  test.each([
    ['two contacts', [{ wa_id: '4915900000777' }, { wa_id: '4915900000778' }]],
    ['a contact without an id', [{ profile: { name: 'Mia' } }]],
    ['no contact', []],
  ])('a message that names no sender, with %s, is malformed', (_, contacts) => {
    const item = message({ from: undefined, type: 'text', text: { body: 'a' } });
    expect(parse(change('messages', { metadata, contacts, messages: [item] }))).toEqual({
      facts: [],
      malformed: 1,
      ignored: 0,
    });
  });

  test('the name is that of the sender’s own contact, or null without one', () => {
    const contacts = [
      { profile: { name: 'Jonas' }, wa_id: '4915900000778' },
      { profile: { name: 'Mia' }, wa_id: '4915900000777' },
    ];
    const text = { type: 'text', text: { body: 'a' } };
    const items = [message(text), message({ ...text, from: '4915900000779' })];
    const { facts } = parse(change('messages', { metadata, contacts, messages: items }));
    expect(facts.map((fact) => (fact.kind === 'inbound' ? fact.fromName : fact))).toEqual(['Mia', null]);
  });

  test('the + of the sender’s number is removed', () => {
    expect(
      onlyFact(messages(message({ from: '+4915900000777', type: 'text', text: { body: 'a' } }))),
    ).toMatchObject({
      from: '4915900000777',
    });
  });

  test.each([
    ['seconds as text', '1767225600', 1767225600000],
    ['seconds as a number', 1767225600, 1767225600000],
    ['ms', 1767225600123, 1767225600123],
    ['nothing', undefined, receivedAt],
    ['words', 'soon', receivedAt],
    ['a time beyond the calendar', '99999999999999999', receivedAt],
  ])('a time given as %s is read, or replaced by the time of receipt', (_, timestamp, at) => {
    expect(onlyFact(messages(message({ timestamp, type: 'text', text: { body: 'a' } })))).toMatchObject({
      at,
    });
  });

  test.each([
    ['no id', { id: undefined, type: 'text', text: { body: 'a' } }],
    ['no sender', { from: undefined, type: 'text', text: { body: 'a' } }],
    ['no type', { text: { body: 'a' } }],
    ['a text without a body', { type: 'text' }],
    ['a text that is a number', { type: 'text', text: { body: 7 } }],
  ])('a message with %s is malformed', (_, members) => {
    expect(parse(messages(message(members)))).toEqual({ facts: [], malformed: 1, ignored: 0 });
  });
});

describe('a chatapp status', () => {
  test('a failed status carries the upstream errors and our tag', () => {
    expect(onlyFact(sampleChatappStatus)).toEqual({
      kind: 'receipt',
      ...route,
      status: 'failed',
      upstreamId: 'wamid.HBgN0001',
      tag: '5b0a7c1e-0000-4000-8000-000000000001',
      recipient: '4915900000777',
      at: 1767225605000,
      errors: [
        {
          code: 131047,
          title: 'Re-engagement message',
          details: "The user's last message is older than 24 hours",
        },
      ],
    });
  });

  test.each([
    ['sent', 'sent'],
    ['delivered', 'delivered'],
    ['read', 'read'],
    ['played', 'read'],
  ])('the status %s becomes a receipt with %s', (given, expected) => {
    expect(onlyFact(statuses(status({ status: given })))).toEqual({
      kind: 'receipt',
      ...route,
      status: expected,
      upstreamId: 'wamid.OUT1',
      tag: null,
      recipient: '4915900000777',
      at: 1767225603000,
      errors: [],
    });
  });

  test.each(['deleted', 'warning', 'teleported', '__proto__'])('the status %s is ignored', (given) => {
    expect(parse(statuses(status({ status: given })))).toEqual({ facts: [], malformed: 0, ignored: 1 });
  });

  test.each([
    ['title only', [{ code: 131026, title: 'Undeliverable' }], [{ code: 131026, title: 'Undeliverable' }]],
    [
      'title and details',
      [{ code: 131053, title: 'Media upload error', error_data: { details: 'The file is no image' } }],
      [{ code: 131053, title: 'Media upload error', details: 'The file is no image' }],
    ],
    ['details on top', [{ code: 131026, details: 'Why' }], [{ code: 131026, title: 'Why' }]],
    ['a code as text', [{ code: '131026', title: 'x' }], [{ code: 131026, title: 'x' }]],
    ['no code', [{ title: 'x' }, null, 7], []],
    ['no list', 'broken', []],
    ['100,000 of them', Array.from({ length: 100_000 }, () => ({ code: 1 })), Array.from({ length: 20 }, () => ({ code: 1, title: '' }))], // oxfmt-ignore
  ])('the errors of a failed status are read: %s', (_, errors, expected) => {
    expect(onlyFact(statuses(status({ status: 'failed', errors })))).toMatchObject({ errors: expected });
  });

  test('the recipient of a status without a number is the business-scoped id', () => {
    const item = status({ status: 'read', recipient_id: undefined, recipient_user_id: 'DE.1' });
    expect(onlyFact(statuses(item))).toMatchObject({ recipient: 'DE.1' });
  });

  test('an error about the whole app is ignored', () => {
    const value = { metadata, errors: [{ code: 130429, title: 'Rate limit hit' }] };
    expect(parse(change('messages', value))).toEqual({ facts: [], malformed: 0, ignored: 1 });
  });
});

describe('a message written in the phone app', () => {
  test('a message from the phone app is an echo without app and tag', () => {
    expect(onlyFact(sampleChatappEcho)).toEqual({
      kind: 'echo',
      ...route,
      upstreamId: 'wamid.ECHO0001',
      recipient: '4915900000777',
      at: 1767225720000,
      appId: null,
      tag: null,
      caption: null,
      parts: [{ type: 'text', text: 'We open at nine.' }],
    });
  });

  test.each(['reaction', 'edit', 'revoke'])('an echo of type %s is ignored', (type) => {
    const value = {
      metadata,
      message_echoes: [{ from: '1', to: '2', id: 'wamid.E', timestamp: '1', type, [type]: {} }],
    };
    expect(parse(change('smb_message_echoes', value))).toEqual({ facts: [], malformed: 0, ignored: 1 });
  });
});

describe('events of a business account', () => {
  test('a template status carries the template id as text', () => {
    expect(onlyFact(sampleTemplateStatus)).toEqual({
      kind: 'template',
      businessAccountId: '311200000000001',
      templateId: '900000000000091',
      at: receivedAt,
      change: { status: 'REJECTED', reason: 'INVALID_FORMAT' },
    });
  });

  test('a template id beyond 2^53, written as a number, keeps every digit', () => {
    const text = JSON.stringify(sampleTemplateStatus).replace('900000000000091', '12345678901234567');
    expect(parseText(text).facts[0]).toMatchObject({ templateId: '12345678901234567' });
  });

  test('a template event that carries only the id becomes a fact', () => {
    const event = (id: string): string =>
      JSON.stringify(
        change('message_template_status_update', { message_template_id: 0, event: 'PAUSED' }),
      ).replace('"message_template_id":0', `"message_template_id":${id}`);
    for (const id of ['9007199254740993', '12345678901234567', '91'])
      expect(parseText(event(id)).facts).toMatchObject([{ kind: 'template', templateId: id }]);
  });

  test('the reason NONE becomes null', () => {
    const value = {
      event: 'APPROVED',
      reason: 'NONE',
      message_template_id: 91,
      message_template_name: 'n',
      message_template_language: 'en-US',
    };
    expect(onlyFact(change('message_template_status_update', value))).toMatchObject({
      templateId: '91',
      change: { status: 'APPROVED', reason: null },
    });
  });

  const category = {
    message_template_id: '91',
    message_template_name: 'n',
    message_template_language: 'de',
    new_category: 'MARKETING',
  };

  test('an applied category change becomes a fact, an announced one does not', () => {
    expect(
      onlyFact(change('template_category_update', { ...category, previous_category: 'UTILITY' })),
    ).toMatchObject({
      change: { category: 'MARKETING' },
    });
    const notice = change('template_category_update', { ...category, correct_category: 'UTILITY' });
    expect(parse(notice)).toEqual({ facts: [], malformed: 0, ignored: 1 });
  });

  const named = { message_template_id: 91, message_template_name: 'n', message_template_language: 'de' };

  test.each([
    ['REINSTATED', 'APPROVED'],
    ['FLAGGED', 'APPROVED'],
    ['PAUSED', 'PAUSED'],
  ])('the event %s gives a template the status %s', (event, word) => {
    const fact = onlyFact(change('message_template_status_update', { ...named, event }));
    expect(fact).toMatchObject({ change: { status: word, reason: null } });
  });

  test.each(['LOCKED', 'UNLOCKED', 'LIMIT_EXCEEDED', 'UNARCHIVED', 'A_WORD_OF_TOMORROW'])(
    'the event %s is no status: the template is read again',
    (event) => {
      const fact = onlyFact(change('message_template_status_update', { ...named, event }));
      expect(fact).toMatchObject({ templateId: '91', change: { components: true } });
    },
  );

  test('a quality under the name of a status is read by its members', () => {
    const quality = { ...named, previous_quality_score: 'GREEN', new_quality_score: 'YELLOW' };
    expect(onlyFact(change('message_template_status_update', quality))).toMatchObject({
      change: { quality: 'YELLOW' },
    });
  });

  test('a quality carries upstream’s time; new components only cause a read of the template', () => {
    const [quality, components] = [
      change('message_template_quality_update', { ...named, new_quality_score: 'RED' }),
      change('message_template_components_update', { ...named, message_template_element: 'New text' }),
    ];
    const at = (post: object) => ({ ...post, entry: [{ ...Object(post).entry[0], time: 1_767_229_200 }] });
    expect(onlyFact(at(quality))).toMatchObject({ change: { quality: 'RED' }, at: 1_767_229_200_000 });
    expect(onlyFact(components)).toMatchObject({ change: { components: true }, at: receivedAt });
  });

  test.each([
    ['message_template_status_update', { ...named, event: 'x'.repeat(65) }],
    ['message_template_quality_update', named],
    ['message_template_components_update', { message_template_id: 'x'.repeat(2_000) }],
    ['template_category_update', named],
  ])('%s without a usable value is malformed', (field, value) => {
    expect(parse(change(field, value))).toEqual({ facts: [], malformed: 1, ignored: 0 });
  });

  test.each([
    [
      'history',
      {
        history: [{ threads: [{ id: '49', messages: [message({ type: 'text', text: { body: 'old' } })] }] }],
      },
    ],
    ['history', { metadata, messages: [message({ type: 'image', image: { id: '1' } })] }],
    [
      'smb_app_state_sync',
      { state_sync: [{ type: 'contact', contact: { full_name: 'Mia' }, action: 'add' }] },
    ],
    ['account_update', { event: 'PARTNER_ADDED' }],
    ['account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'NEXT_YEAR' } }],
    ['a_field_of_next_year', {}],
    ['a_field_of_next_year', null],
  ])('the field %s is ignored', (field, value) => {
    expect(parse(change(field, value))).toEqual({ facts: [], malformed: 0, ignored: 1 });
  });
});

describe('account_update', () => {
  const account = { kind: 'account', businessAccountId: '311200000000001', phoneNumber: null, says: null };
  const ban = (state: string) => ({
    event: 'DISABLED_UPDATE',
    ban_info: { waba_ban_state: state, waba_ban_date: '2026-12-01' },
  });

  test.each([
    [{ event: 'ACCOUNT_OFFBOARDED' }, { change: 'paused' }],
    [
      { event: 'ACCOUNT_RECONNECTED', phone_number: '+1 555-010-0042' },
      { change: 'resumed', phoneNumber: '15550100042' },
    ],
    [{ event: 'ACCOUNT_DELETED' }, { change: 'deleted' }],
    [ban('DISABLE'), { change: 'disabled', says: '2026-12-01' }],
    [ban('SCHEDULE_FOR_DISABLE'), { change: 'to-be-disabled', says: '2026-12-01' }],
    [ban('REINSTATE'), { change: 'reinstated', says: '2026-12-01' }],
    [
      { event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'ALCOHOL' } },
      { change: 'violated', says: 'ALCOHOL' },
    ],
    [
      {
        event: 'ACCOUNT_RESTRICTION',
        restriction_info: [
          { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: '1767225600' },
          { restriction_type: 'RESTRICTED_ADD_PHONE_NUMBER_ACTION' },
          {},
        ],
      },
      {
        change: 'restricted',
        says: 'RESTRICTED_BIZ_INITIATED_MESSAGING until 2026-01-01T00:00:00.000Z, RESTRICTED_ADD_PHONE_NUMBER_ACTION',
      },
    ],
    [{ event: 'ACCOUNT_RESTRICTION' }, { change: 'restricted' }],
    [
      {
        event: 'ACCOUNT_RESTRICTION',
        restriction_info: [{ restriction_type: 'RESTRICTED_USER_INITIATED_CALLING_CALL_BUTTON_HIDDEN' }],
      },
      { change: 'limited', says: 'RESTRICTED_USER_INITIATED_CALLING_CALL_BUTTON_HIDDEN' },
    ],
    [
      {
        event: 'PARTNER_REMOVED',
        waba_info: { waba_id: '311200000000077' },
        disconnection_info: { reason: 'ACCOUNT_DISCONNECTED' },
      },
      { change: 'removed', businessAccountId: '311200000000077', says: 'ACCOUNT_DISCONNECTED' },
    ],
    [
      { event: 'PARTNER_APP_UNINSTALLED', waba_info: { waba_id: '311200000000077' } },
      { change: 'removed', businessAccountId: '311200000000077' },
    ],
    [
      {
        event: 'PARTNER_APP_UNINSTALLED',
        waba_info: { waba_id: '311200000000077', partner_app_id: '700100200300499' },
      },
      { change: 'removed', businessAccountId: '311200000000077', appId: '700100200300499' },
    ],
  ])('%j says %j', (value, said) => {
    expect(onlyFact(change('account_update', value))).toEqual({
      ...account,
      at: expect.any(Number),
      ...said,
    });
  });

  test('without an event it is malformed', () => {
    expect(parse(change('account_update', {}))).toMatchObject({ facts: [], malformed: 1 });
  });
});

describe('phone_number_quality_update', () => {
  test('a quality update names the number by its digits, so that the number is read again', () => {
    const post = change('phone_number_quality_update', {
      display_phone_number: '+1 555-010-0042',
      event: 'FLAGGED',
      current_limit: 'TIER_1K',
    });
    expect(parse(post).facts).toEqual([
      { kind: 'number', businessAccountId: '311200000000001', phoneNumber: '15550100042' },
    ]);
  });

  test.each([{}, { display_phone_number: '' }, { display_phone_number: {} }, { display_phone_number: '-' }])(
    'a quality update with %j is malformed',
    (value) => {
      expect(parse(change('phone_number_quality_update', value))).toMatchObject({ facts: [], malformed: 1 });
    },
  );
});
