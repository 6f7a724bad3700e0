/** A test event of any type: its payload is shown, and can be changed before it is sent. [faults: 396] */
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { describeData } from '../../../src/http/docs/event-schemas.ts';
import { requestBody } from '../../../src/http/validation/request-body.ts';
import { makeAjv } from '../../../src/http/validation/rules.ts';
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import { deliveryEvents } from '../../../src/rules/events/table.ts';
import { invited, newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';
import { noNetworks } from '../../../src/rules/address.ts';
import { isSigned } from '../../support/inbox.ts';
import { sharedWorld } from '../../support/shared-world.ts';
import type { Channel } from '../../support/world.ts';

const world = sharedWorld();
let owner: Visitor & { email: string };
let channel: Channel;
let path: string;
beforeAll(async () => {
  owner = await newVisitor(world);
  const made = await owner.post('/portal/keys', { name: 'shop', scope: 'admin' });
  const [, key = ''] = /(mip_live_[\w-]{43})/.exec((await owner.ask(made.location ?? '')).text) ?? [];
  channel = await world.connect({ key }, 'chatapp');
  path = `/portal/channels/${channel.id}/test-event`;
});
beforeEach(() => world.inbox.clear());

const typedIn = (text: string): string =>
  (/<textarea[^>]*>([^<]*)<\/textarea>/.exec(text)?.[1] ?? '').replaceAll('&quot;', '"');
const asked = (event: string, data: unknown) => owner.post(path, { event, data: JSON.stringify(data) });

test('the page offers the events of the channel, each with its example', async () => {
  const { text } = await owner.ask(path);
  const events = [...text.matchAll(/<option value="([\w.]+)"/g)].map(([, event = '']) => event);
  expect(events).toEqual(['webhook.test', ...kindOf('chatapp').availableEvents]);
  for (const event of ['message.failed', 'channel.updated'] as const)
    expect(JSON.parse(typedIn((await owner.ask(`${path}?event=${event}`)).text))).toEqual(
      describeData(event).example,
    );
  expect((await owner.ask(`${path}?event=no.such`)).text).toContain('value="message.received"');
});

test.each(deliveryEvents)('the example of %s fits its schema', (event) => {
  const rules = { allowInsecure: false, allowedNetworks: noNetworks, ownUrls: [], ownHosts: [] };
  const { data, example } = describeData(event);
  expect(requestBody(data).compile(makeAjv(rules))(example)).toEqual(example);
});

test('the receiver gets what was typed, signed, in an envelope; the list marks it as a test', async () => {
  const data = { ...describeData('message.received').example, text: 'Hello <b>there</b>', more: [1] };
  const { status, text } = await asked('message.received', data);
  expect([status, text.includes('Your receiver took the test event')]).toEqual([200, true]);
  expect(JSON.parse(typedIn(text).replaceAll('&lt;', '<'))).toEqual(data);
  const arrival = await world.inbox.event('message.received');
  expect(isSigned(arrival, channel.webhookSecret ?? '')).toBe(true);
  expect(arrival.event).toEqual({
    event: 'message.received',
    channel_id: channel.id,
    channel_type: 'chatapp',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    data,
  });
  const listed = await world.service.call('GET', `/api/v1/channels/${channel.id}/deliveries`, {
    key: channel.key,
  });
  expect(listed.body.deliveries[0]).toMatchObject({
    id: arrival.headers['x-webhook-id'],
    event: 'webhook.test',
    state: 'delivered',
  });
});

test.each([
  ['no JSON', '{"a":', 'JSON decode error'],
  ['no object', '[]', 'This is no JSON object.'],
  [
    'a field of another type',
    JSON.stringify({ ...describeData('message.received').example, text: 7 }),
    'text',
  ],
  ['a field that is missing', '{}', 'message_id'],
  ['too long', JSON.stringify({ text: 'x'.repeat(16 * 1_024) }), 'at most 16384 bytes'],
  ['too deep', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 'Nested deeper'],
  ['a reserved name', '{"__proto__":{"a":1}}', 'reserved name'],
])('%s is refused at the field, and nothing is sent', async (_what, data, why) => {
  const { status, text } = await owner.post(path, { event: 'message.received', data });
  expect(status).toBe(422);
  expect(/id="data-wrong">([^]*?)<\/p>/.exec(text)?.[1]).toContain(why);
  expect(world.inbox.arrivals).toEqual([]);
});

test('a viewer sees the payload and cannot send it; of another account the channel is 404', async () => {
  const viewer = await invited(world, owner, 'viewer');
  expect((await viewer.ask(path)).text).toContain('<fieldset disabled');
  expect((await viewer.post(path, { event: 'webhook.test', data: '{}' })).status).toBe(403);
  const stranger = await newVisitor(world);
  for (const answer of [await stranger.ask(path), await stranger.post(path, { data: '{}' })])
    expect(answer.status).toBe(404);
  expect(world.inbox.arrivals).toEqual([]);
});
