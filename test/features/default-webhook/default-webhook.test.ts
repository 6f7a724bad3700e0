/** [spec: Additions, A default webhook] What new channels start with, and channels that are there get on request. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { applyDefaultWebhook } from '../../../src/features/default-webhook/apply.ts';
import { changesReceiver } from '../../../src/features/default-webhook/service.ts';
import { resealSecrets } from '../../../src/features/operators/reseal.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { assetOf } from '../support/outside.ts';
import { codeFor, connectedChannel, newIdentity, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
});

const url = 'https://all.example/in';
const events = ['message.received', 'message.sent', 'channel.updated'];
const set = (over: object = {}) =>
  service.features.updateDefaultWebhook(tenant, { webhookUrl: url, webhookEvents: events, ...over });

const exchanged = async (type: 'chatapp' | 'pagechat', settings = {}, atFirst = {}) => {
  const code = await codeFor(service, tenant, assetOf(type, newIdentity()));
  return service.features.exchangeCode(tenant, { code, ...settings }, atFirst);
};
const secretOf = async (channelId: string) => {
  const sealed = (await service.stores.channels.byId(channelId))?.webhookSecret ?? null;
  return sealed === null ? null : service.sealer.openText(sealed, sealContext.webhookSecret(channelId));
};

describe('a channel that is connected for the first time', () => {
  test('starts with address, secret, days and the events that its type has', async () => {
    const made = await set({ failedRetentionDays: 7 });
    const { channel, webhookSecret } = await exchanged('pagechat');
    expect(channel).toMatchObject({
      webhookUrl: url,
      webhookEvents: ['message.received', 'channel.updated'],
      failedRetentionDays: 7,
    });
    expect(made.webhookSecret).toMatch(/^whsec_/);
    expect([await secretOf(channel.id), webhookSecret]).toEqual([made.webhookSecret, null]);
  });

  test('keeps what it is given: an address of its own is a configuration of its own', async () => {
    await set();
    const { channel, webhookSecret } = await exchanged('chatapp', { webhookUrl: 'https://own.example' });
    expect(channel).toMatchObject({ webhookUrl: 'https://own.example', webhookEvents: null });
    expect(await secretOf(channel.id)).toBe(webhookSecret);
  });

  test('starts with the days of the portal only where the account has chosen none', async () => {
    const days = async (type: 'chatapp' | 'pagechat') =>
      (await exchanged(type, {}, { failedRetentionDays: 3 })).channel.failedRetentionDays;
    expect(await days('chatapp')).toBe(3);
    await set({ failedRetentionDays: 0 });
    expect(await days('pagechat')).toBe(0);
  });
});

test('a reconnected channel keeps what it had', async () => {
  const channel = await connectedChannel(service, tenant, 'pagechat');
  await set();
  expect((await service.stores.channels.byId(channel.id))?.webhookUrl).toBeNull();
});

test('channels that are there get it by kind, name and want of an address, each once', async () => {
  const page = await connectedChannel(service, tenant, 'pagechat');
  const number = await connectedChannel(service, tenant, 'chatapp');
  const all = { channelType: null, named: null, withoutWebhook: false };
  expect((await refusalOf(applyDefaultWebhook(service.world, tenant, all))).status).toBe(400);
  await set({ webhookSecret: 'ours' });
  const give = (over: object) => applyDefaultWebhook(service.world, tenant, { ...all, ...over });
  expect(await give({ named: 'nobody has this name' })).toEqual({ changed: 0, hasMore: false });
  expect(await give({ channelType: 'pagechat' })).toEqual({ changed: 1, hasMore: false });
  const found = async (id: string) => (await service.stores.channels.byId(id))?.webhookUrl;
  expect([await found(page.id), await found(number.id)]).toEqual([url, null]);
  expect(await secretOf(page.id)).toBe('ours');
  expect(await give({ withoutWebhook: true })).toEqual({ changed: 1, hasMore: false });
  expect(await give({})).toEqual({ changed: 0, hasMore: false });
});

test('a channel without a webhook sends its changes there, if it lists them', async () => {
  const channel = await connectedChannel(service, tenant, 'chatapp');
  expect(await changesReceiver(service.world, channel)).toBeNull();
  await set({ webhookSecret: 'ours' });
  const receiver = await changesReceiver(service.world, channel);
  expect(receiver).toMatchObject({
    webhookUrl: url,
    webhookEvents: ['channel.updated'],
    previousSecret: null, // that of the channel is none of this receiver's
    previousSecretUntil: null,
  });
  const sealed = receiver?.webhookSecret ?? null;
  expect(sealed && service.sealer.openText(sealed, sealContext.webhookSecret(channel.id))).toBe('ours');
  await set({ webhookEvents: ['message.received'] });
  expect(await changesReceiver(service.world, channel)).toBeNull();
});

test('an event that no type has, and an empty secret, are refused', async () => {
  expect((await refusalOf(set({ webhookEvents: ['message.nothing'] }))).status).toBe(422);
  expect((await refusalOf(set({ webhookSecret: '' }))).status).toBe(422);
});

test('of two changes at once neither is lost, and a secret is made once', async () => {
  const made = await Promise.all([
    set(),
    service.features.updateDefaultWebhook(tenant, { failedRetentionDays: 2 }),
  ]);
  expect(await service.features.readDefaultWebhook(tenant)).toMatchObject({
    webhookUrl: url,
    failedRetentionDays: 2,
    version: 2,
  });
  expect(made[1].webhookSecret).toBeNull();
  expect((await set()).webhookSecret).toBeNull();
});

test('its secret is sealed again under a new key, like those of channels', async () => {
  await set({ webhookSecret: 'ours' });
  await resealSecrets(service.world);
  expect((await exchanged('chatapp')).channel.webhookUrl).toBe(url);
});
