import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../src/rules/channels/channel.ts';
import type { Redirect } from '../../src/features/redirects/entity.ts';
import type { Caller } from '../../src/rules/caller.ts';
import { newId } from '../../src/kernel/ids.ts';
import { assetOf } from './support/outside.ts';
import { everything } from '../../src/kernel/paging.ts';
import { codeFor, connectedChannel, newIdentity, newTenant, refusalOf } from './support/service.ts';
import type { Service, Tenant } from './support/service.ts';
import { sharedService } from './support/shared-service.ts';

/** Account A tries everything with what belongs to account B. [faults: I6, 82] */
const service = sharedService();
let a: Tenant;
let b: Tenant;
let channelOfB: Channel;
let redirectOfB: Redirect;
let codeOfB: string;

beforeAll(async () => {
  [a, b] = [await newTenant(service), await newTenant(service)];
  channelOfB = await connectedChannel(service, b, 'chatapp');
  redirectOfB = await service.features.addRedirect(b, 'https://b.example.com/*');
  codeOfB = await codeFor(service, b, assetOf('pagechat', newIdentity()));
  // B's channel is busy: it is in the cache when A asks.
  await service.features.sendText(b, sendTo(channelOfB.id));
});

function sendTo(channelId: string) {
  return { channelId, recipient: '4915900000777', text: 'hello', idempotencyKey: null };
}

type Operation = (features: Service['features'], caller: Caller, id: string) => Promise<unknown>;
const onChannels: [string, Operation][] = [
  ['GET channel', (features, caller, id) => features.readChannel(caller, id)],
  ['PATCH channel', (features, caller, id) => features.updateChannel(caller, id, { webhookUrl: null })],
  ['DELETE channel', (features, caller, id) => features.deactivateChannel(caller, id)],
  ['send', (features, caller, id) => features.sendText(caller, sendTo(id))],
  [
    'send with a key',
    (features, caller, id) => features.sendText(caller, { ...sendTo(id), idempotencyKey: newId() }),
  ],
];

describe("another account's ids behave exactly like absent ones", () => {
  test.each(onChannels)('%s', async (_, operation) => {
    const sent = service.router.sends.length;
    const foreign = await refusalOf(operation(service.features, a, channelOfB.id));
    const absent = await refusalOf(operation(service.features, a, newId()));
    expect(foreign).toEqual({ status: 404, detail: 'Channel not found' });
    expect(absent).toEqual(foreign);
    expect(service.router.sends).toHaveLength(sent);
  });

  test('DELETE redirect, also with another key of the same account', async () => {
    const { apiKeyId } = await service.features.createKey(b.accountId);
    const expected = { status: 404, detail: 'Redirect not found' };
    for (const caller of [a, { accountId: b.accountId, apiKeyId }]) {
      expect(await refusalOf(service.features.removeRedirect(caller, redirectOfB.id))).toEqual(expected);
      expect(await refusalOf(service.features.removeRedirect(caller, newId()))).toEqual(expected);
    }
  });

  test('exchange-code', async () => {
    const expected = { status: 400, detail: 'code is unknown, expired or already used' };
    expect(await refusalOf(service.features.exchangeCode(a, { code: codeOfB }))).toEqual(expected);
  });

  test('binding a channel to the licence of another account', async () => {
    const expected = { status: 404, detail: 'Subscription not found' };
    expect(await refusalOf(service.features.bindChannel(channelOfB.id, a.subscriptionId))).toEqual(expected);
    expect(await refusalOf(service.features.bindChannel(channelOfB.id, newId()))).toEqual(expected);
  });

  test('lists hold only what is the own', async () => {
    expect((await service.features.listChannels(a, everything)).items).toEqual([]);
    expect((await service.features.listRedirects(a, everything)).items).toHaveLength(1);
    const { items } = await service.features.listSubscriptions(a, everything);
    expect(items.map(({ subscription }) => subscription.id)).toEqual([a.subscriptionId]);
  });

  test('an Idempotency-Key belongs to its account', async () => {
    const channelOfA = await connectedChannel(service, a, 'chatapp');
    const ofB = await service.features.sendText(b, { ...sendTo(channelOfB.id), idempotencyKey: 'same' });
    const ofA = await service.features.sendText(a, { ...sendTo(channelOfA.id), idempotencyKey: 'same' });
    expect(ofA.messageId).not.toBe(ofB.messageId);
  });

  test('after all of that everything of account B is as it was', async () => {
    const { channel } = await service.features.readChannel(b, channelOfB.id);
    expect(channel).toEqual(channelOfB);
    const redirects = await service.features.listRedirects(b, everything);
    expect(redirects.items).toContainEqual(redirectOfB);
    expect((await service.features.exchangeCode(b, { code: codeOfB })).channel.accountId).toBe(b.accountId);
  });
});
