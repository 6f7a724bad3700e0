/** [spec: Events, Envelope, Authentication 7, 8; operator-interface §4 webhook headers] A successful delivery. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { allEventsAbout, checkWebhooksAndClose, eventsAbout } from '../support/events.ts';
import { Inbox, isSigned } from '../support/inbox.ts';
import type { Arrival } from '../support/inbox.ts';
import { channelTypes, connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { eventsOf, World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

let world: World;
let channels: Channels;
beforeAll(async () => {
  world = await World.open();
  ({ channels } = await connectAll(world));
});
afterAll(() => checkWebhooksAndClose(world));

async function patch({ id, key }: Channel, body: Record<string, unknown>): Promise<Record<string, unknown>> {
  const answer = await world.service.call('PATCH', `/api/v1/channels/${id}`, { key, body });
  if (answer.status !== 200) throw new Error(`PATCH answered ${answer.status}: ${answer.text}`);
  return answer.body;
}

/** Makes a person write; returns the POST of the event. */
async function written(channel: Channel, inbox = world.inbox): Promise<Arrival> {
  const from = newPerson(channel.type);
  await world.write(channel, { text: 'hello' }, from);
  const [arrival] = await inbox.next(1, ({ event }) => event.data['from'] === from);
  if (arrival === undefined) throw new Error('nothing arrived');
  return arrival;
}

describe('the POST', () => {
  test.each(channelTypes)('%s: JSON with the five fields of the envelope, one event', async (type) => {
    const before = Math.floor(Date.now() / 1_000);
    const { event, headers, raw } = await written(channels[type]);
    expect(Object.keys(event)).toEqual(['event', 'channel_id', 'channel_type', 'timestamp', 'data']);
    expect([event.event, event.channel_id, event.channel_type]).toEqual([
      'message.received',
      channels[type].id,
      type,
    ]);
    expect(event.timestamp).toBe(new Date(event.timestamp).toISOString());
    expect(headers['content-type']).toBe('application/json');
    expect(headers['content-length']).toBe(String(raw.length));
    expect(headers['x-webhook-attempt']).toBe('1');
    expect(headers['x-webhook-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(Number(headers['x-webhook-timestamp'])).toBeGreaterThanOrEqual(before);
    expect(Number(headers['x-webhook-timestamp'])).toBeLessThanOrEqual(Date.now() / 1_000);
  });

  test('goes to the path and query of webhook_url', async () => {
    await patch(channels.chatapp, { webhook_url: `${world.inbox.url}/in?tenant=7&x=%20` });
    expect((await written(channels.chatapp)).path).toBe('/webhooks/in?tenant=7&x=%20');
    await patch(channels.chatapp, { webhook_url: world.inbox.url });
  });

  test('a new webhook_url takes effect with the next event', async () => {
    const other = await Inbox.open();
    try {
      await patch(channels.chatapp, { webhook_url: other.url });
      expect((await written(channels.chatapp, other)).event.event).toBe('message.received');
    } finally {
      await patch(channels.chatapp, { webhook_url: world.inbox.url });
      await other.close();
    }
  });
});

describe('only the event types listed in webhook_events are delivered', () => {
  test('each type alone, of those that a conversation causes', async () => {
    const channel = channels.chatapp;
    for (const wanted of ['message.received', 'message.sent', 'message.delivered', 'message.read']) {
      await patch(channel, { webhook_events: [wanted] });
      const who = newPerson('chatapp');
      await world.write(channel, { text: 'hi', wait: true }, who);
      await world.send(channel, 'hi back', who);
      await world.simulator.control(`sends?recipient=${who}&status=delivered&wait_ms=3000`);
      await world.read(channel, who);
      const told = await allEventsAbout(world, channel, who, 1);
      expect(told.map(({ event }) => event)).toEqual([wanted]);
    }
    await patch(channel, { webhook_events: eventsOf.chatapp });
  });

  test('by default none is enabled', async () => {
    const { id, key, type } = channels.photoapp;
    await patch(channels.photoapp, { webhook_events: null });
    const who = newPerson(type);
    await world.write(channels.photoapp, { text: 'hi', wait: true }, who);
    expect(await allEventsAbout(world, channels.photoapp, who, 0)).toEqual([]);
    const { body } = await world.service.call('GET', `/api/v1/channels/${id}`, { key });
    expect(body.webhook_events).toBeNull();
    await patch(channels.photoapp, { webhook_events: eventsOf.photoapp });
  });

  test('without a webhook_url none is delivered', async () => {
    const { pagechat } = channels;
    await patch(pagechat, { webhook_url: null });
    const who = newPerson('pagechat');
    await world.write(pagechat, { text: 'hi', wait: true }, who);
    await patch(pagechat, { webhook_url: world.inbox.url });
    await world.write(pagechat, { text: 'again', wait: true }, who);
    const told = await allEventsAbout(world, pagechat, who, 1);
    expect(told.map(({ data }) => data['text'])).toEqual(['again']);
  });
});

describe('the signature', () => {
  test.each(channelTypes)('%s: HMAC-SHA256 of the raw body with webhook_secret', async (type) => {
    const arrival = await written(channels[type]);
    expect(arrival.headers['x-webhook-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(isSigned(arrival, channels[type].webhookSecret)).toBe(true);
    expect(isSigned(arrival, `${channels[type].webhookSecret}x`)).toBe(false);
  });

  test('after a rotation, the next delivery is signed with the new secret and with the previous one', async () => {
    const { webhookSecret: before } = channels.chatapp;
    expect((await written(channels.chatapp)).headers).not.toHaveProperty('x-webhook-signature-previous');
    await patch(channels.chatapp, { webhook_secret: 'rotated-secret-of-the-client' });
    const arrival = await written(channels.chatapp);
    expect(isSigned(arrival, 'rotated-secret-of-the-client')).toBe(true);
    const { 'x-webhook-signature-previous': previous = '' } = arrival.headers;
    const headers = { ...arrival.headers, 'x-webhook-signature': previous };
    expect(isSigned({ ...arrival, headers }, before)).toBe(true);
    const named = Object.fromEntries(
      Object.entries(arrival.headers).map(([name, value]) => [name, String(value)]),
    );
    const event = JSON.parse(arrival.raw.toString());
    expect(new Webhook(before).verify(arrival.raw, named)).toEqual(event);
    const raw = new Webhook('rotated-secret-of-the-client', { format: 'raw' });
    expect(raw.verify(arrival.raw, named)).toEqual(event);
  });

  test.each(channelTypes)('%s: the public library takes it with the secret that was shown', async (type) => {
    const { raw, headers } = await written(channels[type]);
    const { webhookSecret } = channels[type];
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(webhookSecret).verify(raw, named)).toEqual(JSON.parse(raw.toString()));
    expect(headers['webhook-id']).toBe(headers['x-webhook-id']);
    expect(headers['webhook-timestamp']).toBe(headers['x-webhook-timestamp']);
    const repeated = { ...named, 'webhook-timestamp': String(Number(named['webhook-timestamp']) - 1) };
    expect(() => new Webhook(webhookSecret).verify(raw, repeated)).toThrow('No matching signature');
  });

  test('without a secret the header is absent', async () => {
    await patch(channels.pagechat, { webhook_secret: null });
    const { headers } = await written(channels.pagechat);
    expect(headers).not.toHaveProperty('x-webhook-signature');
    expect(headers).not.toHaveProperty('x-webhook-signature-previous');
    expect(headers).not.toHaveProperty('webhook-signature');
    const { id, key } = channels.pagechat;
    const { body } = await world.service.call('GET', `/api/v1/channels/${id}`, { key });
    expect(body.has_webhook_secret).toBe(false);
  });
});

test('each event has its own id, and events of one channel never reach the receiver of another', async () => {
  const other = await Inbox.open();
  try {
    await patch(channels.photoapp, { webhook_url: other.url });
    const arrivals = [await written(channels.photoapp, other), await written(channels.photoapp, other)];
    expect(new Set(arrivals.map(({ headers }) => headers['x-webhook-id'])).size).toBe(2);
    expect(new Set(other.arrivals.map(({ event }) => event.channel_id))).toEqual(
      new Set([channels.photoapp.id]),
    );
    for (const { event } of arrivals) {
      expect(eventsAbout(world, channels.photoapp, String(event.data['from']))).toEqual([]);
    }
  } finally {
    await patch(channels.photoapp, { webhook_url: world.inbox.url });
    await other.close();
  }
});
