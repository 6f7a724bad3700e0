import { newId } from '../../src/kernel/ids.ts';
import type { MessageListQuery } from '../../src/features/messages/list-store.ts';
import type { KeptDeliveryStore } from '../../src/storage/kept-deliveries.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { World } from '../../src/features/world.ts';
import { connect, openHouse } from './house.ts';
import type { House } from './house.ts';
import { caller, now, someId } from './support.ts';
import type { Running } from './support.ts';

let house: House;
let service: Running;
/** The `since` of the last question to the store, ms. */
let since: number | null = null;
beforeAll(async () => {
  // Reaches back beyond the year 1, so that no time is cut.
  house = await openHouse({ deliveryLogMs: 1e14 });
  const webhook = { webhookUrl: 'https://shop.example/hooks', webhookEvents: ['message.received'] };
  await connect(house, 'chatapp', { channelId: someId }, webhook);
  service = await house.run({ world: noting(house.world) });
});
afterAll(async () => {
  await service.stop();
  await house.close();
});

/** The same world, of whose store two questions are noted. */
function noting(world: World): World {
  const { messageList, keptDeliveries } = world.stores;
  const stores = {
    ...world.stores,
    messageList: {
      ...messageList,
      sent: (query: MessageListQuery) => {
        ({ since } = query);
        return messageList.sent(query);
      },
    },
    keptDeliveries: {
      ...keptDeliveries,
      count(channelId: string, which: Parameters<KeptDeliveryStore['count']>[1]) {
        ({ since } = which);
        return keptDeliveries.count(channelId, which);
      },
    },
  };
  return { ...world, stores };
}

const channel = `/api/v1/channels/${someId}`;
const accounts = '/admin/v1/accounts';
const isoAfter = (ms: number) => new Date(now + ms).toISOString();
const string_type = 'Input should be a valid string';
const required = 'Field required';
const tooMany = 'Value error, should have at most 100 items';
const many = Array.from({ length: 101 }, () => 'x');

interface Case {
  path: string;
  method?: string;
  body: unknown;
  errors: [(string | number)[], string, string][];
}

describe('422: field errors in the words of Pydantic v2', () => {
  const cases: [string, Case][] = [
    [
      'missing, all of them at once',
      {
        path: '/api/v1/messages/send',
        body: {},
        errors: [
          [['body', 'channel_id'], 'missing', required],
          [['body', 'recipient'], 'missing', required],
          [['body', 'text'], 'missing', required],
        ],
      },
    ],
    [
      'string_type: nothing is coerced, and no operator object gets through',
      {
        path: '/api/v1/messages/send',
        body: { channel_id: { $ne: null }, recipient: 4915, text: null },
        errors: [
          [['body', 'channel_id'], 'string_type', string_type],
          [['body', 'recipient'], 'string_type', string_type],
          [['body', 'text'], 'string_type', string_type],
        ],
      },
    ],
    [
      'value_error for NUL',
      {
        path: '/api/v1/messages/send',
        body: { channel_id: someId, recipient: '1', text: 'a\u0000b' },
        errors: [[['body', 'text'], 'value_error', 'Value error, text must not contain NUL characters']],
      },
    ],
    [
      'value_error for half a surrogate pair',
      {
        path: '/api/v1/messages/send',
        body: `{"channel_id":"${someId}","recipient":"1","text":"\\ud83d!"}`,
        errors: [
          [
            ['body', 'text'],
            'value_error',
            'Value error, text must be well-formed Unicode: it contains half a surrogate pair',
          ],
        ],
      },
    ],
    [
      'string_too_short for an empty text',
      {
        path: '/api/v1/messages/send',
        body: { channel_id: someId, recipient: '1', text: '' },
        errors: [[['body', 'text'], 'string_too_short', 'String should have at least 1 character']],
      },
    ],
    [
      'too_short for an empty list',
      {
        path: '/api/v1/messages/send-contacts',
        body: { channel_id: someId, recipient: '1', contacts: [] },
        errors: [[['body', 'contacts'], 'too_short', 'List should have at least 1 item']],
      },
    ],
    [
      'enum',
      {
        path: '/api/v1/channels/setup-url',
        body: { channel_type: 'fax', redirect_uri: 'https://a.example/' },
        errors: [[['body', 'channel_type'], 'enum', "Input should be 'chatapp', 'photoapp' or 'pagechat'"]],
      },
    ],
    [
      'enum also for another type',
      {
        path: '/api/v1/channels/setup-url',
        body: { channel_type: 5, redirect_uri: 'https://a.example/' },
        errors: [[['body', 'channel_type'], 'enum', "Input should be 'chatapp', 'photoapp' or 'pagechat'"]],
      },
    ],
    [
      'string_too_long',
      {
        path: '/api/v1/redirects',
        body: { uri_pattern: `https://a.example/${'x'.repeat(2048)}` },
        errors: [[['body', 'uri_pattern'], 'string_too_long', 'String should have at most 2048 characters']],
      },
    ],
    [
      'bool_type',
      {
        path: channel,
        method: 'PATCH',
        body: { echo_statuses: 'true' },
        errors: [[['body', 'echo_statuses'], 'bool_type', 'Input should be a valid boolean']],
      },
    ],
    [
      'bool_type for null where the specification does not say "or null"',
      {
        path: channel,
        method: 'PATCH',
        body: { echo_statuses: null },
        errors: [[['body', 'echo_statuses'], 'bool_type', 'Input should be a valid boolean']],
      },
    ],
    [
      'list_type',
      {
        path: channel,
        method: 'PATCH',
        body: { webhook_events: 'message.received' },
        errors: [[['body', 'webhook_events'], 'list_type', 'Input should be a valid list']],
      },
    ],
    [
      'the place in a list is a number',
      {
        path: channel,
        method: 'PATCH',
        body: { webhook_events: ['message.received', 7] },
        errors: [[['body', 'webhook_events', 1], 'string_type', string_type]],
      },
    ],
    [
      'a list of more than 100 items',
      {
        path: channel,
        method: 'PATCH',
        body: { webhook_events: Array.from({ length: 101 }, () => 'x') },
        errors: [[['body', 'webhook_events'], 'value_error', 'Value error, should have at most 100 items']],
      },
    ],
    [
      'a list of more than 100 items, wherever it stands in a field of ours',
      {
        path: `${channel}/templates`,
        body: {
          name: 'order',
          category: 'UTILITY',
          language: 'en',
          components: [
            { type: 'BODY', text: 'hello', example: { body_text: [many] } },
            { type: 'BUTTONS', buttons: many.map(() => ({ type: 'QUICK_REPLY', text: 'x' })) },
          ],
          unheard_of: many,
        },
        errors: [
          [['body', 'components', 0, 'example', 'body_text', 0], 'value_error', tooMany],
          [['body', 'components', 1, 'buttons'], 'value_error', tooMany],
        ],
      },
    ],
    [
      'variables of a send without end',
      {
        path: '/api/v1/messages/send-template',
        body: {
          channel_id: 'c',
          recipient: '1',
          template_name: 't',
          language: 'en',
          variables: { body: many },
        },
        errors: [[['body', 'variables', 'body'], 'value_error', tooMany]],
      },
    ],
    [
      'webhook_url not HTTPS',
      {
        path: channel,
        method: 'PATCH',
        body: { webhook_url: 'http://a.example/' },
        errors: [[['body', 'webhook_url'], 'value_error', 'Value error, webhook_url must be an HTTPS URL']],
      },
    ],
    [
      'webhook_url of another type',
      {
        path: '/api/v1/channels/exchange-code',
        body: { code: 'c', webhook_url: 1 },
        errors: [[['body', 'webhook_url'], 'string_type', string_type]],
      },
    ],
    [
      'webhook_url that is our own',
      {
        path: channel,
        method: 'PATCH',
        body: { webhook_url: 'https://service.example:443/upstream/webhooks' },
        errors: [[['body', 'webhook_url'], 'value_error', 'Value error, must not point at this service']],
      },
    ],
    [
      'a timestamp without a zone',
      {
        path: `${accounts}/${someId}/subscriptions`,
        body: { tier: 'pro', source: 'enterprise', expires_at: '2026-09-01T00:00:00' },
        errors: [
          [
            ['body', 'expires_at'],
            'value_error',
            'Value error, must be an ISO 8601 timestamp with a time zone',
          ],
        ],
      },
    ],
    [
      'an e-mail address',
      {
        path: accounts,
        body: { email: 'nobody' },
        errors: [[['body', 'email'], 'value_error', 'Value error, must be an e-mail address']],
      },
    ],
  ];

  test.each(cases)('%s', async (_name, { path, method = 'POST', body, errors }) => {
    const ask = path.startsWith('/admin') ? service.admin : service.api;
    const answer = await ask(path, { method, body });
    const detail = errors.map(([loc, type, msg]) => ({ loc, type, msg }));
    expect([answer.status, answer.body]).toEqual([422, { detail }]);
  });
});

test.each([
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://localhost/',
  'https://10.0.0.1/',
  'https://[::1]/',
  'nonsense',
])('webhook_url %s is 422 at ["body","webhook_url"]', async (webhook_url) => {
  const answer = await service.api(channel, { method: 'PATCH', body: { webhook_url } });
  const error = { loc: ['body', 'webhook_url'], type: 'value_error', msg: expect.any(String) };
  expect([answer.status, answer.body]).toEqual([422, { detail: [error] }]);
});

describe('limit and cursor', () => {
  test.each(['0', '1001', '-1', '1.5', '', 'ten', '01001', ' 5'])('limit %p is 422', async (limit) => {
    const answer = await service.api(`/api/v1/redirects?limit=${encodeURIComponent(limit)}`);
    const msg = 'Value error, must be one integer from 1 to 1000';
    expect([answer.status, answer.body]).toEqual([
      422,
      { detail: [{ loc: ['query', 'limit'], type: 'value_error', msg }] },
    ]);
  });

  const writeCursor = (text: string) => Buffer.from(text).toString('base64url');
  const cursor = writeCursor(`1767225600000.${someId}`);

  test('limit may be given once only', async () => {
    expect((await service.api('/api/v1/redirects?limit=1&limit=2')).status).toBe(422);
  });

  test.each([
    'cursor=',
    'cursor=%00',
    'cursor=a%20b',
    'cursor=abc',
    `cursor=${someId}`,
    `cursor=${'x'.repeat(201)}`,
    `cursor=${cursor}%3D`,
    `cursor=${cursor}&cursor=${cursor}`,
    `cursor=${writeCursor(`01.${someId}`)}`,
    `cursor=${writeCursor(`1e3.${someId}`)}`,
    `cursor=${writeCursor(`-1.${someId}`)}`,
    `cursor=${writeCursor('1.')}`,
    `cursor=${writeCursor('1.\u0000')}`,
  ])('a malformed cursor is 422: %s', async (query) => {
    const msg = 'Value error, must be the next_cursor of an earlier response';
    const detail = [{ loc: ['query', 'cursor'], type: 'value_error', msg }];
    const lists = ['redirects', 'channels', 'subscriptions'].map((list) =>
      service.api(`/api/v1/${list}?${query}`),
    );
    const answers = await Promise.all([...lists, service.admin(`/admin/v1/mails?${query}`)]);
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [422, { detail }]));
  });

  test('next_cursor is there only if limit or cursor was given', async () => {
    const { features, clock } = house;
    await features.addRedirect(caller, 'https://a.example.com/*');
    clock.pass(1);
    await features.addRedirect(caller, 'https://b.example.com/*');
    const { items, nextCursor } = await features.listRedirects(caller, { limit: 1, cursor: null });
    const next = writeCursor(`${nextCursor?.createdAt}.${nextCursor?.id}`);
    const answers = await Promise.all(
      ['', '?limit=1', '?limit=10', `?cursor=${next}`, '?other=1'].map((query) =>
        service.api(`/api/v1/redirects${query}`),
      ),
    );
    const [first] = items.map(({ id }) => ({
      id,
      uri_pattern: 'https://a.example.com/*',
      created_at: isoAfter(0),
    }));
    const both = [
      first,
      { id: expect.any(String), uri_pattern: 'https://b.example.com/*', created_at: isoAfter(1) },
    ];
    expect(answers.map(({ body }) => body)).toEqual([
      { redirects: both },
      { redirects: both.slice(0, 1), next_cursor: next },
      { redirects: both, next_cursor: null },
      { redirects: both.slice(1), next_cursor: null },
      { redirects: both },
    ]);
  });

  test('a route without pages ignores them', async () => {
    expect((await service.admin('/admin/v1/drain?limit=x', { method: 'POST' })).status).toBe(200);
  });
});

test('an invalid word in a query is refused like in a body', async () => {
  const answer = await service.api(`${channel}/deliveries?state=lost`);
  const msg = "Input should be 'pending', 'delivered' or 'failed'";
  const detail = [{ loc: ['query', 'state'], type: 'enum', msg }];
  expect([answer.status, answer.body]).toEqual([422, { detail }]);
});

describe('a time means the same in a query and in a body', () => {
  const msg = 'Value error, must be an ISO 8601 timestamp with a time zone';

  async function asked(time: string): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const ask of [
      () => service.api(`/api/v1/messages?since=${encodeURIComponent(time)}`),
      () => service.api(`${channel}/deliveries/replay`, { method: 'POST', body: { since: time } }),
    ]) {
      since = null;
      const { status, body } = await ask();
      answers.push([status, status === 422 ? body : since]);
    }
    return answers;
  }

  test.each([
    ['2026-09-01T12:30:00Z', '2026-09-01T12:30:00.000Z'],
    ['2026-09-01T12:30:00.123456789Z', '2026-09-01T12:30:00.123Z'],
    ['2026-09-01t12:30:00z', '2026-09-01T12:30:00.000Z'],
    ['2026-09-01 12:30:00Z', '2026-09-01T12:30:00.000Z'],
    ['2026-09-01T12:30Z', '2026-09-01T12:30:00.000Z'],
    ['2026-09-01T12:30+02:00', '2026-09-01T10:30:00.000Z'],
    ['2026-09-01T12:30:00+02:00', '2026-09-01T10:30:00.000Z'],
    ['2026-09-01T12:30:00-0130', '2026-09-01T14:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59.000Z'],
    // What programs send for an unset time.
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('%s', async (time, iso) => {
    const at = Date.parse(iso);
    expect(await asked(time)).toEqual([
      [200, at],
      [202, at],
    ]);
  });

  test.each([
    'yesterday',
    '',
    '2026-09-01',
    '2026-09-01T12:30:00',
    '2026-09-01 12:30',
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-09-01T24:00:00Z',
    '2026-09-01T12:60:00Z',
    '2026-09-01T12:30:60Z',
    '2026-09-01T12:30:00+24:00',
    '2026-09-01T12:30:00,5Z',
    '20260901T123000Z',
    '+12026-09-01T12:30:00Z',
    // Its year in UTC has more than four digits.
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
  ])('%p is 422', async (time) => {
    expect(await asked(time)).toEqual(
      ['query', 'body'].map((place) => [
        422,
        { detail: [{ loc: [place, 'since'], type: 'value_error', msg }] },
      ]),
    );
  });

  test.each([
    ['2026-09-01T12:30:00 02:00', '2026-09-01T10:30:00.000Z'],
    ['2026-09-01 12:30:00 0200', '2026-09-01T10:30:00.000Z'],
  ])('an unencoded plus sign in a query is read as a plus sign: %s', async (sent, iso) => {
    const answer = await service.api(`/api/v1/messages?since=${sent.replaceAll(' ', '+')}`);
    expect([answer.status, since]).toEqual([200, Date.parse(iso)]);
  });
});

test('a route without a body reads none', async () => {
  const path = `/admin/v1/people/${newId()}/invitation-link`;
  const headers = { 'content-type': 'text/plain' };
  const answer = await service.admin(path, { method: 'POST', body: 'x'.repeat(2_000_000), headers });
  expect(answer.status).toBe(404);
});

test.each([
  ['none', undefined, 201],
  ['an empty one of another type', '', 201],
  ['a text', 'x', 415],
])('a route whose body may be missing takes %s', async (_name, body, status) => {
  const path = `${accounts}/${caller.accountId}/keys`;
  const headers = { 'content-type': 'text/plain' };
  const answer = await service.admin(path, { method: 'POST', body, headers });
  expect(answer.status).toBe(status);
});
