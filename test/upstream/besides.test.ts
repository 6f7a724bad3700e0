/** [upstream §4.1, §4.3, §4.7, §4.8, §4.10] What upstream POSTs besides plain messages, and what is told of it. */
import { describe, expect, test } from '@jest/globals';
import { change, leftOutOf, noticesOf, onlyFact, parse, receivedAt } from './support.ts';

const number = { channelType: 'chatapp', identity: '422300000000002' } as const;
const metadata = { display_phone_number: '+1 555-010-0042', phone_number_id: number.identity };
const ignored = (count: number) => ({ facts: [], malformed: 0, ignored: count });
const at = 1_767_225_600_000;
const text = { timestamp: '1767225600', type: 'text', text: { body: 'Hi' } };
const customer = '4915900000777';

describe('standby: upstream’s agent holds the conversation', () => {
  const standby = (held: object) =>
    change('standby', { messaging_product: 'whatsapp', metadata, standby: held });

  test('a message of a person is a message like any other', () => {
    const contacts = [{ wa_id: customer, profile: { name: 'Mia Vogel' } }];
    const post = standby({ contacts, messages: [{ id: 'wamid.S1', from: customer, ...text }] });
    expect(onlyFact(post)).toEqual({
      kind: 'inbound',
      ...number,
      upstreamId: 'wamid.S1',
      from: customer,
      fromName: 'Mia Vogel',
      at,
      caption: null,
      parts: [{ type: 'text', text: 'Hi' }],
    });
  });

  test('what the agent wrote is an echo', () => {
    const message = {
      messaging_product: 'whatsapp',
      to: `+${customer}`,
      type: 'text',
      text: { body: 'At nine.' },
    };
    const post = standby({ message_echoes: [{ id: 'wamid.S2', timestamp: '1767225600', message }] });
    expect(onlyFact(post)).toEqual({
      kind: 'echo',
      ...number,
      upstreamId: 'wamid.S2',
      recipient: customer,
      at,
      appId: null,
      tag: null,
      caption: null,
      parts: [{ type: 'text', text: 'At nine.' }],
    });
  });

  test('a template of the agent is named', () => {
    const message = { to: customer, type: 'template' };
    const post = standby({ message_echoes: [{ id: 'wamid.S3', message, template: { name: 'x' } }] });
    expect(onlyFact(post)).toMatchObject({
      at: receivedAt,
      parts: [{ type: 'unsupported', unsupportedType: 'template' }],
    });
  });

  test('a status is a status', () => {
    const status = { id: 'wamid.S4', status: 'read', timestamp: '1767225600', recipient_id: customer };
    expect(onlyFact(standby({ statuses: [status] }))).toMatchObject({
      kind: 'receipt',
      status: 'read',
      upstreamId: 'wamid.S4',
    });
  });

  test.each([
    ['no lists', {}],
    ['no object', 'x'],
    ['a list of another type', { messages: {} }],
  ])('with %s it is malformed', (_, held) => {
    expect(parse(change('standby', { metadata, standby: held }))).toEqual({
      facts: [],
      malformed: 1,
      ignored: 0,
    });
  });
});

test.each<[string, object, number]>([
  [
    'a hand-over, which has no metadata',
    change('messaging_handovers', {
      recipient: { phone_number_id: number.identity },
      type: 'control_passed',
      control_passed: { previous_owner_app_role: 'meta_business_agent' },
    }),
    1,
  ],
  [
    'a message in a group',
    change('messages', { metadata, messages: [{ id: 'w', from: customer, group_id: 'g1', ...text }] }),
    1,
  ],
  [
    'a status of a group',
    change('messages', {
      metadata,
      statuses: [{ id: 'w', status: 'delivered', recipient_id: 'g1', recipient_type: 'group' }],
    }),
    1,
  ],
  ['a field of next year', change('holograms', { metadata, holograms: [{}] }), 1],
])('%s is counted, and not kept for operators', (_, post, count) => {
  expect(parse(post)).toEqual(ignored(count));
  expect(leftOutOf(post)).toEqual([]);
  expect(noticesOf(post)).toEqual([]);
});

test('a person’s new number and new id, without contacts, are changes of the person', () => {
  const head = { id: 'w', type: 'system', timestamp: '1767225600' };
  const told = (members: object): unknown =>
    onlyFact(change('messages', { metadata, messages: [{ ...head, ...members }] }));
  const common = { kind: 'person', ...number, upstreamId: 'w', at };
  expect(
    told({ from: customer, system: { type: 'user_changed_number', wa_id: '+49151', user_id: 'DE.2' } }),
  ).toEqual({ ...common, from: '49151', previousFrom: customer, userId: 'DE.2' });
  expect(
    told({ system: { type: 'user_changed_user_id', user_id: 'DE.2', previous_user_id: 'DE.1' } }),
  ).toEqual({ ...common, from: 'DE.2', userId: 'DE.2', previousUserId: 'DE.1' });
});

test('a notice of a change that names nobody, or of anything else, is counted', () => {
  for (const system of [
    { type: 'user_changed_number' },
    { type: 'customer_identity_changed', wa_id: '49' },
    'moved',
  ])
    expect(parse(change('messages', { metadata, messages: [{ id: 'w', type: 'system', system }] }))).toEqual(
      ignored(1),
    );
});

test('the origin of a contact is no hindrance', () => {
  const contacts = [{ wa_id: customer, origin: 'contact_request', profile: { name: 'Mia' } }];
  const messages = [{ id: 'w', from: customer, ...text }];
  expect(onlyFact(change('messages', { metadata, contacts, messages }))).toMatchObject({ fromName: 'Mia' });
});

test('errors without a message are told with their code alone', () => {
  const errors = [{ code: 131_000, title: 'Something', message: 'about 4915900000777' }];
  const post = change('messages', { metadata, errors });
  expect(parse(post)).toEqual(ignored(1));
  expect(noticesOf(post)).toEqual([{ kind: 'upstream_errors', ...number, detail: '131000' }]);
});

describe('what a number itself wrote, without the mark of an echo', () => {
  const own = (more: object) =>
    change('messages', { metadata, messages: [{ id: 'w', from: '15550100042', ...text, ...more }] });
  test('is an echo if it names its reader', () => {
    expect(onlyFact(own({ to: customer }))).toMatchObject({
      kind: 'echo',
      upstreamId: 'w',
      recipient: customer,
    });
  });
  test('is counted if it names none', () => {
    expect(parse(own({}))).toEqual(ignored(1));
  });
});

test('a placeholder and its later content are two messages', () => {
  const item = { id: 'wamid.P', from: customer, timestamp: '1767225600' };
  const errors = [{ code: 131_060, title: 'Message unavailable' }];
  const ids = (...messages: object[]) =>
    parse(change('messages', { metadata, messages })).facts.map((fact) =>
      'upstreamId' in fact ? fact.upstreamId : null,
    );
  const placeholder = { ...item, type: 'unsupported', errors };
  expect(ids(placeholder, { ...item, ...text }, placeholder)).toEqual([
    'wamid.P/placeholder',
    'wamid.P',
    'wamid.P/placeholder',
  ]);
  expect(ids({ ...item, type: 'unsupported' })).toEqual(['wamid.P/placeholder']);
});

describe('pages and photo accounts', () => {
  const page = { channelType: 'pagechat', identity: '520000000000005' } as const;
  const photo = { channelType: 'photoapp', identity: '17840000000000006' } as const;
  const both = [
    ['page', page],
    ['instagram', photo],
  ] as const;
  const post = (object: string, id: string, entry: object) => ({
    object,
    entry: [{ id, time: at, ...entry }],
  });
  const person = { id: '8800000000000001' };

  test.each(both)('%s: a message that the platform hides is told as such', (object, channel) => {
    const hidden = post(object, channel.identity, {
      messaging: [{ message_edit: { mid: 'm', num_edit: 0 } }],
    });
    expect(parse(hidden)).toEqual(ignored(1));
    expect(noticesOf(hidden)).toEqual([{ kind: 'messages_without_content', ...channel, detail: null }]);
  });

  test.each(both)('%s: a real edit is counted only', (object, channel) => {
    const item = {
      sender: person,
      recipient: { id: channel.identity },
      message_edit: { mid: 'm', num_edit: 1 },
    };
    const edit = post(object, channel.identity, { messaging: [item] });
    expect(parse(edit)).toEqual(ignored(1));
    expect(noticesOf(edit)).toEqual([]);
  });

  test('the enforcement of a policy, which has no sender', () => {
    const policy_enforcement = { action: 'block', reason: 'Some long text' };
    const blocked = post('page', page.identity, {
      messaging: [{ recipient: { id: page.identity }, policy_enforcement }],
    });
    expect(parse(blocked)).toEqual(ignored(1));
    expect(noticesOf(blocked)).toEqual([{ kind: 'policy_enforcement', ...page, detail: 'block' }]);
  });

  test.each(both)('%s: a person known by a reference alone is counted', (object, channel) => {
    const sender = { user_ref: 'abc' };
    const messaging = [
      { sender, recipient: { id: channel.identity }, postback: { payload: 'START' } },
      { sender, recipient: { id: channel.identity }, message: { mid: 'm', text: 'Hi' } },
      {
        sender: { id: channel.identity },
        recipient: sender,
        message: { mid: 'm', is_echo: true, text: 'Hi' },
      },
    ];
    expect(parse(post(object, channel.identity, { messaging }))).toEqual(ignored(3));
  });

  test.each(both)('%s: what the channel itself wrote, without the mark of an echo', (object, channel) => {
    const sender = { id: channel.identity };
    const message = { mid: 'm_OWN', text: 'We are open.' };
    const toPerson = post(object, channel.identity, { messaging: [{ sender, recipient: person, message }] });
    expect(onlyFact(toPerson)).toMatchObject({ kind: 'echo', ...channel, recipient: person.id });
    const toItself = post(object, channel.identity, { messaging: [{ sender, recipient: sender, message }] });
    expect(parse(toItself)).toEqual(ignored(1));
  });

  test('an entry under another id than the account’s names the account too', () => {
    const item = { sender: person, recipient: { id: photo.identity }, message: { mid: 'm', text: 'Hi' } };
    expect(onlyFact(post('instagram', page.identity, { messaging: [item] }))).toMatchObject({
      identity: page.identity,
      otherIdentity: photo.identity,
    });
  });

  describe('a postback without mid', () => {
    const press = (more: object, section = 'messaging', object = 'page', own: string = page.identity) =>
      post(object, own, {
        [section]: [
          {
            sender: person,
            recipient: { id: own },
            timestamp: String(at),
            postback: { title: 'Get started', payload: 'START' },
            ...more,
          },
        ],
      });
    const idOf = (given: unknown): unknown => onlyFact(given) && Object(onlyFact(given)).upstreamId;

    test.each(
      both.flatMap(([object, { identity }]) =>
        ['messaging', 'standby'].map((section) => [object, section, identity] as const),
      ),
    )('%s, %s: is the press of a button with its title', (object, section, own) => {
      expect(onlyFact(press({}, section, object, own))).toMatchObject({
        kind: 'inbound',
        from: person.id,
        at,
        parts: [{ type: 'unsupported', unsupportedType: 'postback', text: 'Get started' }],
      });
    });

    test('is the same press when it comes again, and another at another time, by another person or of another button', () => {
      const first = idOf(press({}));
      expect(idOf(press({}, 'standby'))).toBe(first);
      const others = [
        { timestamp: at + 1_000 },
        { sender: { id: '88' } },
        { postback: { title: 'Get started', payload: 'OTHER' } },
      ].map((more) => idOf(press(more)));
      expect(new Set([first, ...others]).size).toBe(4);
    });

    test('without any time is counted: a second press could not be told from a repetition', () => {
      const item = { sender: person, recipient: { id: page.identity }, postback: { payload: 'START' } };
      expect(parse({ object: 'page', entry: [{ id: page.identity, messaging: [item] }] })).toEqual(
        ignored(1),
      );
    });
  });
});

describe('test events of upstream’s dashboard', () => {
  const item = {
    sender: { id: '12334' },
    recipient: { id: '23245' },
    message: { mid: 'test_id', text: 'test' },
  };
  test.each<[string, object, string, string]>([
    [
      'a number',
      { ...change('messages', { metadata, messages: [{ id: 'w', from: '1', ...text }] }) },
      'chatapp',
      number.identity,
    ],
    ['a page', { object: 'page', entry: [{ id: '0', messaging: [item] }] }, 'pagechat', '0'],
    [
      'an account',
      { object: 'instagram', entry: [{ id: '0', changes: [{ field: 'messages', value: item }] }] },
      'photoapp',
      '0',
    ],
    [
      'a page, without a sender',
      { object: 'page', entry: [{ id: '0', changes: [{ field: 'messages', value: { page_id: '10' } }] }] },
      'pagechat',
      '0',
    ],
    [
      'a connected page',
      { object: 'page', entry: [{ id: '52', changes: [{ field: 'messages', value: item }] }] },
      'pagechat',
      '52',
    ],
  ])('of %s are counted and told, and make no event', (_, given, channelType, identity) => {
    const post =
      channelType === 'chatapp'
        ? { ...given, entry: Object(given).entry.map((entry: object) => ({ ...entry, id: '0' })) }
        : given;
    expect(parse(post)).toEqual(ignored(1));
    expect(noticesOf(post)).toEqual([{ kind: 'test_push_received', channelType, identity, detail: null }]);
  });

  test('of a connected photo account make their event too', () => {
    const id = '17840000000000006';
    const value = { ...item, recipient: { id } };
    const post = { object: 'instagram', entry: [{ id, changes: [{ field: 'messages', value }] }] };
    expect(onlyFact(post)).toMatchObject({ kind: 'inbound', from: '12334' });
    expect(noticesOf(post)).toMatchObject([{ kind: 'test_push_received', identity: id }]);
  });
});
