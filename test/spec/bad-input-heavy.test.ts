/** [faults I9, 45-47, 67, 68; spec: Errors] Requests that are expensive to check are refused quickly, and no other request waits for them. */
import { createHmac } from 'node:crypto';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import type { CallOptions } from '../support/api.ts';
import { Attack, routeNamed } from '../support/hostile.ts';
import { Pings, withoutStall } from '../support/pings.ts';
import { bootSimulator, environment, spawnHookMs, spawnService } from '../support/service.ts';
import { contractWorld } from '../support/upstream-app.ts';
import { World } from '../support/world.ts';
import { listening } from '../support/ports.ts';

/** The target is 50 ms; machines that run tests are busy. */
const maxStallMs = 150;

let world: World;
let attack: Attack;
let pings: Pings;
let before: unknown;
beforeAll(async () => {
  const simulator = await bootSimulator(contractWorld);
  // The attacker is this process, the service another: the work of making these bodies must not look like a stall of the service.
  const service = await spawnService(await environment(simulator.url));
  world = await World.of(service, simulator);
  attack = await Attack.on(world);
  pings = new Pings(service.url, service.process.pid);
  before = await attack.everything();
}, spawnHookMs);
afterAll(async () => {
  await pings.stop();
  await world.close();
});

const valueError = (loc: string[], problem: string) => [
  { loc: ['body', ...loc], msg: `Value error, ${problem}`, type: 'value_error' },
];
const tooDeep = valueError([], 'nested deeper than 32 levels');
const tooMany = valueError([], 'more than 10000 values');
const keys = Array.from({ length: 60_000 }, (_, n) => `"k${n}":0`).join(',');
const noObject = [{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }];

const bodies: [name: string, status: number, detail: unknown, raw: NonNullable<CallOptions['raw']>][] = [
  ['100,000 arrays in each other', 422, tooDeep, '['.repeat(100_000)],
  ['100,000 objects in each other', 422, tooDeep, '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
  ['half a million values', 422, tooMany, `[${'0,'.repeat(500_000)}0]`],
  ['60,000 different keys', 422, tooMany, `{${keys}}`],
  ['one text of 1 MB', 422, noObject, JSON.stringify('x'.repeat(1_000_000))],
  ['10 MB', 413, 'Request body too large', Buffer.alloc(10 * 1_048_576, 'a')],
];

describe('an expensive body', () => {
  test.each(bodies)('%s: %i', async (_what, status, detail, raw) => {
    const send = routeNamed('sendText');
    const answer = await withoutStall(pings, maxStallMs, () => attack.ask(send, { raw }));
    expect([answer.status, answer.body]).toEqual([status, { detail }]);
  });
});

describe('an expensive field', () => {
  const mega = 900_000;
  const send = (fields: Record<string, string>) => ({
    channel_id: attack.channel.id,
    recipient: '4915900000777',
    text: 'hello',
    ...fields,
  });
  const fields: [string, string, () => unknown, number, unknown][] = [
    [
      'text',
      'sendText',
      () => send({ text: 'ﷺ'.repeat(300_000) }),
      400,
      expect.objectContaining({ code: 'text_too_long' }),
    ],
    [
      'recipient of digits',
      'sendText',
      () => send({ recipient: '4'.repeat(mega) }),
      400,
      expect.objectContaining({ reason: 'too_long' }),
    ],
    [
      'recipient of dashes',
      'sendText',
      () => send({ recipient: '-'.repeat(mega) }),
      400,
      expect.objectContaining({ reason: 'too_long' }),
    ],
    [
      'recipient of spaces',
      'sendText',
      () => send({ recipient: ' '.repeat(mega) }),
      400,
      expect.objectContaining({ reason: 'too_long' }),
    ],
    ['channel_id', 'sendText', () => send({ channel_id: '0-'.repeat(mega / 2) }), 404, 'Channel not found'],
    [
      'media_url',
      'sendMedia',
      () => send({ media_type: 'image', media_url: `https://${'a.'.repeat(mega / 2)}` }),
      422,
      [
        {
          loc: ['body', 'media_url'],
          msg: 'String should have at most 2048 characters',
          type: 'string_too_long',
        },
      ],
    ],
    [
      'code',
      'exchangeCode',
      () => ({ code: `${'z'.repeat(mega)}.` }),
      400,
      'code is unknown, expired or already used',
    ],
    [
      'webhook_url',
      'updateChannel',
      () => ({ webhook_url: `https://${'a.'.repeat(mega / 2)}` }),
      422,
      valueError(['webhook_url'], 'webhook_url must have at most 2048 characters'),
    ],
    [
      'webhook_secret',
      'updateChannel',
      () => ({ webhook_secret: 's'.repeat(mega) }),
      422,
      [
        {
          loc: ['body', 'webhook_secret'],
          msg: 'String should have at most 256 characters',
          type: 'string_too_long',
        },
      ],
    ],
    [
      'webhook_events',
      'updateChannel',
      () => ({ webhook_events: Array.from({ length: 9_000 }, () => 'message.received') }),
      422,
      valueError(['webhook_events'], 'should have at most 100 items'),
    ],
    [
      'email',
      'createAccount',
      () => ({ email: ' @'.repeat(mega / 2) }),
      422,
      expect.arrayContaining([
        { loc: ['body', 'email'], msg: 'String should have at most 254 characters', type: 'string_too_long' },
      ]),
    ],
  ];
  test.each(fields)('%s of %s', async (_field, operation, makeBody, status, detail) => {
    const raw = JSON.stringify(makeBody());
    const ask = () => attack.ask(routeNamed(operation), { raw });
    const answer = await withoutStall(pings, maxStallMs, ask);
    expect([answer.status, answer.body]).toEqual([status, { detail }]);
    // The error does not send the megabyte back.
    expect(answer.text.length).toBeLessThan(1_000);
  });

  test.each([
    ['/api/v1/channels?limit=', 422],
    ['/api/v1/channels?cursor=', 422],
    ['/api/v1/channels?', 200],
    ['/setup/callback?state=', 400],
    ['/setup/', 404],
    ['/api/v1/channels/', 404],
    ['/upstream/webhooks?hub.challenge=', 403],
  ])('14 KB after %s', async (path, status) => {
    const { key } = attack.account;
    const url = `${world.service.url}${path}${'(a+)+&x=1'.repeat(1_555)}`;
    const answer = await withoutStall(pings, maxStallMs, () => call('GET', url, { key }));
    expect(answer.status).toBe(status);
  });
});

describe('a correctly signed webhook of upstream may be large', () => {
  const signed = (body: unknown): [string, Record<string, string>] => {
    const raw = JSON.stringify(body);
    const digest = createHmac('sha256', 'example-app-secret-0001').update(raw).digest('hex');
    return [raw, { 'x-hub-signature-256': `sha256=${digest}` }];
  };
  const post = (body: unknown) => {
    const [raw, headers] = signed(body);
    const url = `${world.service.url}/upstream/webhooks`;
    return withoutStall(pings, maxStallMs, () => call('POST', url, { raw, headers }));
  };

  test.each([
    [
      '10,000 entries of nobody',
      () => ({ object: 'page', entry: Array.from({ length: 10_000 }, () => ({ id: '1', messaging: [{}] })) }),
    ],
    [
      '50,000 nulls',
      () => ({
        object: 'page',
        entry: [{ id: '1', messaging: Array.from({ length: 50_000 }, () => null) }],
      }),
    ],
    ['one text of 2 MB', () => ({ object: 'page', entry: [{ id: 'x'.repeat(2_000_000) }] })],
  ])('%s: 200', async (_what, makeBody) => {
    expect((await post(makeBody())).status).toBe(200);
  });

  test('1,000 messages to one channel: 200', async () => {
    const messages = Array.from({ length: 1_000 }, (_, n) => ({
      from: '4915900000777',
      id: `wamid.many.${n}`,
      timestamp: '1767225600',
      type: 'text',
      text: { body: `message ${n}` },
    }));
    const metadata = { display_phone_number: '15550100042', phone_number_id: '422300000000002' };
    const value = { messaging_product: 'whatsapp', metadata, contacts: [], messages };
    const entry = [{ id: '311200000000001', changes: [{ field: 'messages', value }] }];
    expect((await post({ object: 'whatsapp_business_account', entry })).status).toBe(200);
  });
});

test('after all these requests, nothing is stored and nothing was sent', async () => {
  expect(await attack.everything()).toEqual(before);
});

test('the pings detect a blocked server', async () => {
  const blocked = http.createServer((request, response) => {
    const end = performance.now() + (request.url === '/block' ? 200 : 0);
    while (performance.now() < end);
    response.end();
  });
  const url = `http://127.0.0.1:${await listening(blocked)}`;
  const own = new Pings(url);
  const blocking = withoutStall(own, 100, () => call('GET', `${url}/block`));
  await expect(blocking).rejects.toThrow('the service stood still for');
  await own.stop();
  blocked.closeAllConnections();
  blocked.close();
});
