/** [spec: Additions, What changed] What upstream changes reaches a receiver that asked for it, once, as every event does. */
import { expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { connectOwnAsset } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { Channel } from '../support/world.ts';

const world = sharedWorld({ HEALTH_CHECK_INTERVAL_MS: '200' });

const changes = ['channel.updated', 'template.updated'];

async function listening(type: 'chatapp' | 'pagechat', events: readonly string[] = changes) {
  const own = await connectOwnAsset(world, type);
  const { id, key } = own.channel;
  const body = { webhook_events: events };
  const { status } = await world.service.call('PATCH', `/api/v1/channels/${id}`, { key, body });
  expect(status).toBe(200);
  return own;
}

async function arrived({ id }: Channel, count: number) {
  const ours = await world.inbox.next(count, ({ event }) => event.channel_id === id);
  expect(ours).toHaveLength(count);
  return ours;
}

const said = async (channel: Channel, count: number) =>
  (await arrived(channel, count)).map(({ event: { event, data } }) => [
    event,
    data['changed'],
    data['before'],
    data['after'],
  ]);

const control = (call: string, body: object) => world.simulator.control(call, body);

test('a token that dies, as a delivery of the log, signed', async () => {
  const { channel, asset } = await listening('pagechat', ['channel.updated']);
  await control('tokens/expire', { asset });
  const [arrival] = await arrived(channel, 1);
  expect(arrival?.event.data).toEqual({
    change_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    changed: 'token',
    before: 'ok',
    after: 'token_refused',
    reason: 'Upstream refuses the access token; connect the channel again',
  });
  expect(arrival?.headers['x-webhook-signature']).toMatch(/^sha256=/);
  const path = `/api/v1/channels/${channel.id}/deliveries`;
  const deliveries = await until('the outcome to be in the log', async () => {
    const { body } = await world.service.call('GET', path, { key: channel.key });
    return body.deliveries.every(({ state }: { state: string }) => state === 'delivered') && body.deliveries;
  });
  expect(deliveries).toEqual([
    expect.objectContaining({ event: 'channel.updated', message_id: arrival?.event.data['change_id'] }),
  ]);
});

test('quality, a pause, a restriction and a removal of a number', async () => {
  const { channel, asset: waba_id } = await listening('chatapp');
  const phone_number_id = channel.upstream;
  await control('quality', { phone_number_id, rating: 'RED' });
  await arrived(channel, 1);
  await control('account-updates', { waba_id, event: 'ACCOUNT_RESTRICTION' });
  await arrived(channel, 2);
  await control('account-updates', { waba_id, event: 'PARTNER_REMOVED' });
  expect(await said(channel, 3)).toEqual([
    ['channel.updated', 'quality', 'GREEN', 'RED'],
    ['channel.updated', 'account', 'ok', 'account_restricted'],
    ['channel.updated', 'access', 'ok', 'access_removed'],
  ]);
});

test('a template: its review, a pause, its category and quality', async () => {
  const { channel } = await listening('chatapp');
  const path = `/api/v1/channels/${channel.id}/templates`;
  const components = [{ type: 'BODY', text: 'Your order is ready.' }];
  const body = { name: 'order_done', language: 'en_US', category: 'UTILITY', components };
  const made = await world.service.call('POST', path, { key: channel.key, body });
  expect(made.status).toBe(201);
  const upstream = made.body.meta_template_id;
  await control(`templates/${upstream}`, { event: 'REJECTED', reason: 'PROMOTIONAL' });
  const [arrival] = await arrived(channel, 1);
  expect(arrival?.event.data).toEqual({
    change_id: expect.any(String),
    template_id: made.body.id,
    template_name: 'order_done',
    language: 'en_US',
    changed: 'status',
    before: 'PENDING',
    after: 'REJECTED',
    reason: expect.stringContaining('PROMOTIONAL'),
  });
  await control(`templates/${upstream}`, { event: 'APPROVED' });
  await arrived(channel, 2);
  await control(`templates/${upstream}`, { quality: 'RED' });
  await arrived(channel, 3);
  await control(`templates/${upstream}`, { category: 'MARKETING' });
  const told = (await said(channel, 4)).slice(1);
  // Upstream's word for no score yet is known once the template has been read, before or after the review.
  const scored = told.map(([event, part, before, after]) => [event, part, before ?? 'UNKNOWN', after]);
  expect(scored).toEqual([
    ['template.updated', 'status', 'REJECTED', 'APPROVED'],
    ['template.updated', 'quality', 'UNKNOWN', 'RED'],
    ['template.updated', 'category', 'UTILITY', 'MARKETING'],
  ]);
});

test('a template that upstream approves at once: its status was PENDING', async () => {
  const { channel } = await listening('chatapp');
  await control('templates/reviews', { event: 'APPROVED', after_ms: null });
  const components = [{ type: 'BODY', text: 'Your order is ready.' }];
  const body = { name: 'order_at_once', language: 'en_US', category: 'UTILITY', components };
  const path = `/api/v1/channels/${channel.id}/templates`;
  expect((await world.service.call('POST', path, { key: channel.key, body })).status).toBe(201);
  expect(await said(channel, 1)).toEqual([['template.updated', 'status', 'PENDING', 'APPROVED']]);
});

test('a channel that asked for none of them gets none', async () => {
  const { channel, asset: waba_id } = await listening('chatapp', ['message.received']);
  await control('account-updates', { waba_id, event: 'ACCOUNT_RESTRICTION' });
  await world.write(channel, { type: 'text', text: 'hello' }, '4915900000777');
  const [arrival] = await arrived(channel, 1);
  expect(arrival?.event.event).toBe('message.received');
});
