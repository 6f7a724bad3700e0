/** [spec: Sending messages, SendTemplateRequest; Template status; upstream §3.2; operator-interface §4] */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { connectAll, faultFor, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { draft, templatesOf } from '../support/templates.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const world = sharedWorld();
let channels: Channels;
beforeAll(async () => {
  ({ channels } = await connectAll(world));
});

interface Send {
  template_name?: unknown;
  language?: unknown;
  variables?: unknown;
}

const orderReady: Send = {
  template_name: 'order_ready',
  language: 'en_US',
  variables: {
    header: ['Harbour Bakery'],
    body: ['Mia', 'A-1007'],
    buttons: [{ index: 0, value: 'A-1007' }],
  },
};

function send(
  template: Send,
  recipient = newPerson('chatapp'),
  channel: Channel = channels.chatapp,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = { channel_id: channel.id, recipient, ...template };
  return world.service.call('POST', '/api/v1/messages/send-template', { key: channel.key, body, headers });
}

const sentTo = (recipient: string) => ledger(world.simulator, { recipient, outcome: 'all' });
/** A JSON body with such a key is refused before validation. */
const isReserved = (name: string): boolean => name === '__proto__' || name === 'constructor';
const shown = ({ status, body }: Answer): unknown[] => [status, body];

describe('an approved template is sent', () => {
  test('positional, with header, body and a URL button: sent, and its statuses follow', async () => {
    const recipient = newPerson('chatapp');
    const { status, body } = await send(orderReady, recipient);
    expect([status, body]).toEqual([
      200,
      { success: true, message_id: expect.any(String), error: null, status: 'sent' },
    ]);
    expect(await sentTo(recipient)).toEqual([
      expect.objectContaining({ type: 'template', outcome: 'accepted', tag: body.message_id }),
    ]);
    await world.inbox.event('message.sent', body.message_id);
    await world.inbox.event('message.delivered', body.message_id);
  });

  test.each(['en_US', 'de'])('named, in %s', async (language) => {
    const variables = { body: { first_name: 'Mia' } };
    const { body } = await send({ template_name: 'welcome', language, variables });
    expect(body.status).toBe('sent');
  });

  test.each([undefined, null, {}, { body: [] }, { header: null, body: null, buttons: null }])(
    'without variables: %j',
    async (variables) => {
      const { body } = await send({ template_name: 'hello_world', language: 'en_US', variables });
      expect(body.status).toBe('sent');
    },
  );

  test.each(['held_for_quality_assessment', 'paused'])(
    "upstream's status %s counts as sent",
    async (message_status) => {
      const recipient = newPerson('chatapp');
      await faultFor(world.simulator, recipient, { act: 'ok', message_status });
      expect((await send(orderReady, recipient)).body).toMatchObject({ success: true, status: 'sent' });
    },
  );

  test('a template created through the API and approved upstream is sent', async () => {
    const { create } = templatesOf(world.service, channels.chatapp);
    const made = await create(draft('picked_up'));
    expect(made.status).toBe(201);
    const variables = { body: ['Mia', 'A-1007'] };
    const early = await send({ template_name: 'picked_up', language: 'en_US', variables });
    expect([early.status, early.body.detail]).toEqual([400, expect.stringContaining('PENDING')]);
    await world.simulator.control(`templates/${made.body.meta_template_id}`, { event: 'APPROVED' });
    const sent = await until('the approval', async () => {
      const answer = await send({ template_name: 'picked_up', language: 'en_US', variables });
      return answer.status === 200 ? answer : null;
    });
    expect(sent.body.status).toBe('sent');
  });
});

describe('a change of a template that was sent a moment before', () => {
  /** The template with this name, approved and sent once. */
  async function sentOnce(name: string): Promise<{ template: Send; metaId: string }> {
    const { body } = await templatesOf(world.service, channels.chatapp).create(draft(name));
    const metaId: string = body.meta_template_id;
    await world.simulator.control(`templates/${metaId}`, { event: 'APPROVED', wait: true });
    const template = { template_name: name, language: 'en_US', variables: { body: ['Mia', 'A-1007'] } };
    expect((await send(template)).body.status).toBe('sent');
    return { template, metaId };
  }

  test('is known once its webhook is answered: a paused template is 400, and upstream is not called', async () => {
    const { template, metaId } = await sentOnce('paused_since');
    await world.simulator.control(`templates/${metaId}`, { event: 'PAUSED', wait: true });
    const recipient = newPerson('chatapp');
    const { status, body } = await send(template, recipient);
    expect([status, body.detail]).toEqual([400, expect.stringContaining('PAUSED')]);
    expect(await sentTo(recipient)).toEqual([]);
  });

  test('is known once a list shows it: a send fits the new components', async () => {
    const { template, metaId } = await sentOnce('shorter_since');
    await world.simulator.control('webhooks/rules', { match: { kind: 'template' }, drop: true });
    const components = [{ type: 'BODY', text: 'Your order is ready.' }];
    await world.simulator.control(`templates/${metaId}`, { components });
    const { body } = await templatesOf(world.service, channels.chatapp).list();
    const listed = body.templates.find(({ meta_template_id: id }: Record<string, unknown>) => id === metaId);
    expect(listed.components).toEqual(components);
    expect((await send({ ...template, variables: {} })).body.status).toBe('sent');
  });
});

describe('variables that do not match are a 422 that names them, and upstream is not called', () => {
  const wrong: [string, unknown, (string | number)[], string][] = [
    [
      'a missing one',
      { header: ['x'], body: ['Mia'], buttons: [{ index: 0, value: 'x' }] },
      ['body', 1],
      '{{2}}',
    ],
    ['all missing', undefined, ['header', 0], '{{1}}'],
    [
      'a surplus one',
      { header: ['x'], body: ['a', 'b', 'c'], buttons: [{ index: 0, value: 'x' }] },
      ['body', 2],
      '{{3}}',
    ],
    [
      'an empty one',
      { header: [''], body: ['a', 'b'], buttons: [{ index: 0, value: 'x' }] },
      ['header', 0],
      'empty',
    ],
    [
      'an enormous one',
      { header: ['x'], body: ['a', 'b'.repeat(500_000)], buttons: [{ index: 0, value: 'x' }] },
      ['body', 1],
      'at most',
    ],
    ['a number', { header: ['x'], body: ['a', 7], buttons: [] }, ['body', 1], 'valid string'],
    ['no button', { header: ['x'], body: ['a', 'b'] }, ['buttons'], 'URL button'],
    [
      'an unknown button',
      { header: ['x'], body: ['a', 'b'], buttons: [{ index: 7, value: 'x' }] },
      ['buttons', 0],
      'no button',
    ],
    [
      'an index in quotes',
      { header: ['x'], body: ['a', 'b'], buttons: [{ index: '0', value: 'x' }] },
      ['buttons', 0, 'index'],
      'must be a whole number',
    ],
    ['names', { header: ['x'], body: { first: 'a' }, buttons: [] }, ['body'], 'valid list'],
  ];
  test.each(wrong)('%s', async (_what, variables, at, said) => {
    const recipient = newPerson('chatapp');
    const { status, body } = await send({ ...orderReady, variables }, recipient);
    expect(status).toBe(422);
    const places = body.detail.map(({ loc }: { loc: unknown[] }) => loc.slice(2));
    expect(places).toContainEqual(at);
    expect(JSON.stringify(body.detail)).toContain(said);
    expect(places).not.toContainEqual([]); // each problem has its own path
    expect(await sentTo(recipient)).toEqual([]);
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a variable named %s is unknown, and does not stand in for a missing one',
    async (name) => {
      const raw = JSON.stringify({
        channel_id: channels.chatapp.id,
        recipient: newPerson('chatapp'),
        template_name: 'welcome',
        language: 'de',
      }).replace(/}$/, `,"variables":{"body":{"${name}":"x"}}}`);
      const answer = await world.service.call('POST', '/api/v1/messages/send-template', {
        key: channels.chatapp.key,
        raw,
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain(isReserved(name) ? 'reserved name' : 'first_name');
    },
  );

  test.each([
    7,
    'x',
    ['x'],
    { body: 'x' },
    { body: [['x']] },
    { body: { first_name: 7 } },
    { buttons: [{}] },
  ])('variables of a wrong type: %j', async (variables) => {
    const template = { template_name: 'welcome', language: 'de', variables };
    expect((await send(template)).status).toBe(422);
  });
});

describe('refused templates', () => {
  test('an unknown template: 404', async () => {
    expect(shown(await send({ ...orderReady, template_name: 'nobody_has_it' }))).toEqual([
      404,
      { detail: 'Template not found' },
    ]);
    expect(shown(await send({ ...orderReady, language: 'xx' }))).toEqual([
      404,
      { detail: 'Template not found: there is one of this name in en_US' },
    ]);
  });

  test("another account's channel: 404, and so is its template through an own channel", async () => {
    const stranger = await newAccount(world.service);
    const foreign = { ...channels.chatapp, key: stranger.key };
    expect((await send(orderReady, undefined, foreign)).status).toBe(404);
  });

  test.each(['photoapp', 'pagechat'] as const)('on %s: 400 wrong_channel_type', async (type) => {
    expect(shown(await send(orderReady, newPerson(type), channels[type]))).toEqual([
      400,
      {
        detail: {
          code: 'wrong_channel_type',
          message: `This operation is not available on ${type} channels`,
          channel_type: type,
        },
      },
    ]);
  });

  test('upstream refuses the variables nevertheless: failed with its code', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 132_012 });
    expect((await send(orderReady, recipient)).body).toMatchObject({
      success: false,
      status: 'failed',
      error_code: 132_012,
      error: expect.stringContaining('template'),
    });
  });
});

test('Idempotency-Key: the same variables, in any order, get the first answer; others are 409', async () => {
  const recipient = newPerson('chatapp');
  const key = { 'idempotency-key': `template-${recipient}` };
  const first = await send(orderReady, recipient, channels.chatapp, key);
  const reordered = {
    buttons: [{ value: 'A-1007', index: 0 }],
    body: ['Mia', 'A-1007'],
    header: ['Harbour Bakery'],
  };
  const again = await send({ ...orderReady, variables: reordered }, recipient, channels.chatapp, key);
  const variables = { header: ['x'], body: ['Mia', 'B-1'], buttons: [{ index: 0, value: 'B-1' }] };
  const other = await send({ ...orderReady, variables }, recipient, channels.chatapp, key);
  expect([first.status, again.body, other.status]).toEqual([200, first.body, 409]);
  expect(await sentTo(recipient)).toHaveLength(1);
});
