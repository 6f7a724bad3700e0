/** [spec: Additions, Endpoints] */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Arrival, Inbox } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { openTwoReceivers } from '../support/two-receivers.ts';
import type { Channel } from '../support/world.ts';

const world = sharedWorld({ WEBHOOK_RETRY_DELAYS_MS: '100,100,100,100,100,100,100' });
let own: Inbox;
let crm: Inbox;
let channel: Channel;
beforeEach(async () => {
  ({ own, crm, channel } = await openTwoReceivers(world));
});
afterEach(() => Promise.all([own.close(), crm.close()]));

const call = (method: string, path = '', body?: object) =>
  world.service.call(method, `/api/v1/channels/${channel.id}/endpoints${path}`, { key: channel.key, body });
const add = async (more: object = {}) =>
  (await call('POST', '', { url: crm.url, events: ['message.received'], ...more })).body;
const write = (text: string, from = newPerson('pagechat')) =>
  world.write(channel, { text, wait: true }, from);
const textsOf = (arrivals: readonly Arrival[]) => arrivals.map(({ event }) => event.data['text']);

test('an event arrives at the webhook and at each endpoint that lists it, each signed with its own secret', async () => {
  const endpoint = await add();
  await write('hello');
  const [[first], [second]] = [await own.next(1), await crm.next(1)];
  expect(second?.event).toEqual(first?.event);
  const body = second?.raw ?? Buffer.from('');
  const mac = createHmac('sha256', endpoint.secret).update(body).digest('hex');
  expect(second?.headers['x-webhook-signature']).toBe(`sha256=${mac}`);
  expect(second?.headers['x-webhook-id']).not.toBe(first?.headers['x-webhook-id']);
  expect(second?.headers['x-request-id']).toBe(first?.headers['x-request-id']);
});

test('an endpoint gets the events that it lists alone, with its headers', async () => {
  await add({ events: ['message.delivered'], headers: { Authorization: 'Bearer abc', 'X-Tenant': '7' } });
  await write('hello');
  await world.send(channel, 'hi', newPerson('pagechat'));
  const [arrival] = await crm.next(1);
  expect(arrival?.event.event).toBe('message.delivered');
  expect(arrival?.headers).toMatchObject({ authorization: 'Bearer abc', 'x-tenant': '7' });
  expect(own.arrivals.every(({ headers }) => headers['x-tenant'] === undefined)).toBe(true);
  expect(crm.arrivals).toHaveLength(1);
});

test('a channel without a webhook of its own delivers to its endpoints', async () => {
  await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, {
    key: channel.key,
    body: { webhook_url: null, webhook_events: null },
  });
  await add();
  await write('hello');
  expect(textsOf(await crm.next(1))).toEqual(['hello']);
  expect(own.arrivals).toEqual([]);
});

test('an endpoint that hangs or fails delays no other, and gets its retries', async () => {
  crm.answerNext('hang', 500);
  await add();
  for (const text of ['one', 'two', 'three']) await write(text);
  expect(textsOf(await own.next(3))).toEqual(['one', 'two', 'three']);
  await until('two and three', () => crm.arrivals.filter(({ answered }) => answered === 200).length >= 2);
});

test('a removed endpoint gets nothing more: what waited is canceled', async () => {
  const endpoint = await add();
  crm.answerAlways(500);
  await write('one');
  await crm.next(1);
  expect((await call('DELETE', `/${endpoint.id}`)).body).toEqual({ success: true });
  const seen = crm.arrivals.length;
  await write('two');
  await own.next(2);
  expect(textsOf(crm.arrivals.slice(seen))).not.toContain('two');
  expect((await call('GET', `/${endpoint.id}`)).status).toBe(404);
  expect((await call('DELETE', `/${endpoint.id}`)).status).toBe(404);
});

test('a disabled endpoint gets nothing until it is enabled', async () => {
  const endpoint = await add();
  const patched = await call('PATCH', `/${endpoint.id}`, { is_enabled: false });
  expect(patched.body.disabled_at).toMatch(/^20/);
  await write('one');
  await own.next(1);
  expect((await call('PATCH', `/${endpoint.id}`, { is_enabled: true })).body.disabled_at).toBeNull();
  await write('two');
  expect(textsOf(await crm.next(1))).toEqual(['two']);
});

test('a new address, other events and a new secret hold from the answer on; for a day the old secret signs too', async () => {
  const endpoint = await add({ events: [], secret: 'old' });
  await call('PATCH', `/${endpoint.id}`, { events: ['message.received'], secret: 'new' });
  await write('hello');
  const [arrival] = await crm.next(1);
  const signed = (secret: string) =>
    `sha256=${createHmac('sha256', secret)
      .update(arrival?.raw ?? '')
      .digest('hex')}`;
  expect(arrival?.headers['x-webhook-signature']).toBe(signed('new'));
  expect(arrival?.headers['x-webhook-signature-previous']).toBe(signed('old'));
  await call('PATCH', `/${endpoint.id}`, { url: own.url });
  await write('again');
  await until(
    'both at one address',
    () => textsOf(own.arrivals).filter((text) => text === 'again').length === 2,
  );
});

test('its order is its own: while an event is retried there, later ones of its person wait there alone', async () => {
  await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, {
    key: channel.key,
    body: { ordered: true },
  });
  await add();
  crm.answerNext(500, 500);
  const from = newPerson('pagechat');
  for (const text of ['one', 'two', 'three']) await write(text, from);
  expect(textsOf(await own.next(3))).toEqual(['one', 'two', 'three']);
  const arrivals = await crm.next(5);
  expect(arrivals.map(({ event, answered }) => [event.data['text'], answered])).toEqual([
    ['one', 500],
    ['one', 500],
    ['one', 200],
    ['two', 200],
    ['three', 200],
  ]);
});

test('the list is iterated like every list', async () => {
  const [first, second] = [await add(), await add()];
  const page = (await call('GET', '?limit=1')).body;
  expect([page.endpoints.map(({ id }: { id: string }) => id), page.total]).toEqual([[first.id], 2]);
  const next = (await call('GET', `?limit=1&cursor=${page.next_cursor}`)).body;
  expect([next.endpoints.map(({ id }: { id: string }) => id), next.next_cursor]).toEqual([[second.id], null]);
  expect((await call('GET')).body).not.toHaveProperty('next_cursor');
});

test('deliveries of an endpoint that the channel has not: 404, as a replay', async () => {
  const log = (id: string) =>
    world.service.call('GET', `/api/v1/channels/${channel.id}/deliveries?endpoint_id=${id}`, {
      key: channel.key,
    });
  const { id } = await add();
  expect((await log(id)).body).toMatchObject({ deliveries: [], total: 0 });
  await write('hello');
  await crm.next(1);
  await call('DELETE', `/${id}`);
  const failed = await log(`${id}&state=failed`); // none of them, but there are others
  expect([failed.status, failed.body.deliveries]).toEqual([200, []]);
  for (const unknown of ['0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f', 'x', '%20'])
    expect([(await log(unknown)).status, (await log(unknown)).body]).toEqual([
      404,
      { detail: 'Endpoint not found' },
    ]);
});
