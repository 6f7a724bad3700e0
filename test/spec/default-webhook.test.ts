/** [spec: Additions, A default webhook] A new channel works without a webhook of its own, and changes of one without any arrive. */
import { expect, test } from '@jest/globals';
import { connectOwnAsset } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';

const world = sharedWorld({ HEALTH_CHECK_INTERVAL_MS: '200' });

test('changes of a channel without a webhook arrive at the default, signed; its messages do not', async () => {
  const { account, channel, asset } = await connectOwnAsset(world, 'pagechat');
  const { key } = account;
  const unset = { webhook_url: null, webhook_events: null };
  await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, { key, body: unset });
  const body = {
    webhook_url: world.inbox.url,
    webhook_secret: 'of the account',
    webhook_events: ['message.received', 'channel.updated'],
  };
  const changed = await world.service.call('PATCH', '/api/v1/default-webhook', { key, body });
  expect([changed.status, changed.body.webhook_secret]).toEqual([200, 'of the account']);
  await world.write(channel, { type: 'text', text: 'hello' }, '8800000000000777');
  await world.simulator.control('tokens/expire', { asset });
  const arrived = await world.inbox.next(1, ({ event }) => event.channel_id === channel.id);
  expect(arrived.map(({ event }) => [event.event, event.data['changed']])).toEqual([
    ['channel.updated', 'token'],
  ]);
  expect(arrived[0]?.headers['x-webhook-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
});

test('another account has none', async () => {
  const { key } = await newAccount(world.service);
  const { body } = await world.service.call('GET', '/api/v1/default-webhook', { key });
  expect(body.webhook_url).toBeNull();
});

test('what was read can be written back, and null takes back the choice of days', async () => {
  const { key } = await newAccount(world.service);
  const patch = async (body: object) =>
    (await world.service.call('PATCH', '/api/v1/default-webhook', { key, body })).body;
  const { body: atFirst } = await world.service.call('GET', '/api/v1/default-webhook', { key });
  expect(await patch(atFirst)).toEqual({ ...atFirst, webhook_secret: null });
  expect((await patch({ failed_retention_days: 7 })).failed_retention_days).toBe(7);
  expect((await patch({ webhook_url: null })).failed_retention_days).toBe(7);
  expect((await patch({ failed_retention_days: null })).failed_retention_days).toBeNull();
});
