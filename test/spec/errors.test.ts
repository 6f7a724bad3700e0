/** [spec: Errors 1, 2; HTTP status codes; operator-interface §4] The status and the detail of each refusal. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { setupUrl } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount, person } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

const world = sharedWorld();
let account: Account;
let chatapp: Channel;
beforeAll(async () => {
  account = await newAccount(world.service);
  chatapp = await world.connect(account, 'chatapp', { events: [] });
});

const post = (path: string, body: unknown): Promise<Answer> =>
  world.service.call('POST', path, { key: account.key, body });
const send = (channel: Channel, recipient: string, text = 'hello'): Promise<Answer> =>
  post('/api/v1/messages/send', { channel_id: channel.id, recipient, text });
const shortOf = ({ status, body }: Answer): unknown => [status, body];

describe('most domain errors: detail is a human-readable string', () => {
  test('400: a redirect_uri that is not whitelisted', async () => {
    expect(shortOf(await setupUrl(world.service, account.key, 'chatapp', 'https://evil.example/'))).toEqual([
      400,
      {
        detail:
          'redirect_uri does not match a redirect pattern of this API key; a pattern belongs to one key: add it for this key in the portal, or by this key if it has the scope admin',
      },
    ]);
  });

  test('401: no API key', async () => {
    expect(shortOf(await world.service.call('GET', '/api/v1/channels'))).toEqual([
      401,
      { detail: 'Missing or invalid API key' },
    ]);
  });

  test('404: a resource that does not exist', async () => {
    expect(shortOf(await send({ ...chatapp, id: crypto.randomUUID() }, person.chatapp))).toEqual([
      404,
      { detail: 'Channel not found' },
    ]);
  });

  test.each([
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/api/v1/channel',
    '/api/v1/channels/',
    '/api/v2/channels',
    '/API/v1/channels',
    '//api/v1/channels',
  ])('404: the unknown path %s', async (path) => {
    const answer = await world.service.call('GET', path, { key: account.key });
    expect(shortOf(answer)).toEqual([404, { detail: 'Not found' }]);
  });

  test('405: a wrong method; Allow names the right ones', async () => {
    const answer = await world.service.call('PUT', `/api/v1/channels/${chatapp.id}`, { key: account.key });
    expect(shortOf(answer)).toEqual([405, { detail: 'Method not allowed' }]);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE');
  });

  test('413: a body over 1 MiB', async () => {
    const uri_pattern = `https://app.example.com/${'a'.repeat(1_048_576)}`;
    expect(shortOf(await post('/api/v1/redirects', { uri_pattern }))).toEqual([
      413,
      { detail: 'Request body too large' },
    ]);
  });

  test('415: a content type that is not JSON', async () => {
    const answer = await world.service.call('POST', '/api/v1/redirects', {
      key: account.key,
      raw: 'uri_pattern=https://app.example.com',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(shortOf(answer)).toEqual([415, { detail: 'Content-Type must be application/json in UTF-8' }]);
  });
});

describe('schema validation (422): detail is a list of field errors', () => {
  const missing = (name: string) => ({ loc: ['body', name], msg: 'Field required', type: 'missing' });
  const cases: [string, string, unknown, unknown[]][] = [
    ['every missing field', '/api/v1/messages/send', {}, ['channel_id', 'recipient', 'text'].map(missing)],
    [
      'a wrong type',
      '/api/v1/messages/send',
      { channel_id: 7, recipient: null, text: ['x'] },
      ['channel_id', 'recipient', 'text'].map((name) => ({
        loc: ['body', name],
        msg: 'Input should be a valid string',
        type: 'string_type',
      })),
    ],
    [
      'a word that is not one of them',
      '/api/v1/channels/setup-url',
      { channel_type: 'telegraph', redirect_uri: 'https://app.example.com/' },
      [
        {
          loc: ['body', 'channel_type'],
          msg: "Input should be 'chatapp', 'photoapp' or 'pagechat'",
          type: 'enum',
        },
      ],
    ],
    [
      'a string that is too long',
      '/api/v1/channels/setup-url',
      { channel_type: 'chatapp', redirect_uri: `https://${'a'.repeat(2_048)}` },
      [
        {
          loc: ['body', 'redirect_uri'],
          msg: 'String should have at most 2048 characters',
          type: 'string_too_long',
        },
      ],
    ],
    [
      'a body that is no object',
      '/api/v1/redirects',
      ['https://app.example.com/'],
      [{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }],
    ],
    [
      'an item of a list',
      '/api/v1/channels/exchange-code',
      { code: 'x', webhook_events: ['message.read', 5] },
      [
        {
          loc: ['body', 'webhook_events', 1],
          msg: 'Input should be a valid string',
          type: 'string_type',
        },
      ],
    ],
    [
      'something else than a list',
      '/api/v1/channels/exchange-code',
      { code: 'x', webhook_events: 'message.read' },
      [{ loc: ['body', 'webhook_events'], msg: 'Input should be a valid list', type: 'list_type' }],
    ],
  ];
  test.each(cases)('%s', async (_name, path, body, detail) => {
    expect(shortOf(await post(path, body))).toEqual([422, { detail }]);
  });

  test('no body', async () => {
    expect(shortOf(await world.service.call('POST', '/api/v1/redirects', { key: account.key }))).toEqual([
      422,
      { detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] },
    ]);
  });

  test('a flag that is not a boolean', async () => {
    const answer = await world.service.call('PATCH', `/api/v1/channels/${chatapp.id}`, {
      key: account.key,
      body: { echo_statuses: 'true' },
    });
    expect(shortOf(answer)).toEqual([
      422,
      {
        detail: [
          { loc: ['body', 'echo_statuses'], msg: 'Input should be a valid boolean', type: 'bool_type' },
        ],
      },
    ]);
  });

  test.each(['0', '1001', 'ten', '-1', '1.5', ''])('limit=%s', async (limit) => {
    const answer = await world.service.call('GET', `/api/v1/channels?limit=${limit}`, { key: account.key });
    expect(shortOf(answer)).toEqual([
      422,
      {
        detail: [
          {
            loc: ['query', 'limit'],
            msg: 'Value error, must be one integer from 1 to 1000',
            type: 'value_error',
          },
        ],
      },
    ]);
  });
});
