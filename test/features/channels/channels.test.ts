import { beforeEach, describe, expect, test } from '@jest/globals';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { previousSecretAt } from '../../../src/rules/channels/channel.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import { keptDelivery } from '../support/deliveries.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { connectedChannel, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
  service.upstream.failuresLeft = 0;
});

const webhookUrl = 'https://hooks.example.com/in';

function clearSecretOf({ id, webhookSecret }: Pick<Channel, 'id' | 'webhookSecret'>): string | null {
  if (webhookSecret === null) return null;
  return service.sealer.openText(webhookSecret, sealContext.webhookSecret(id));
}

describe('GET channels', () => {
  test('lists active and inactive channels, each with its licence', async () => {
    const [chatapp, pagechat] = [
      await connectedChannel(service, tenant, 'chatapp'),
      await connectedChannel(service, tenant, 'pagechat'),
    ];
    await service.features.deactivateChannel(tenant, pagechat.id);
    await service.features.bindChannel(pagechat.id, null);
    const { items, nextCursor } = await service.features.listChannels(tenant, everything);
    const found = items.map(({ channel, subscription }) => [channel.id, channel.isActive, subscription?.id]);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual([chatapp.id, true, tenant.subscriptionId]);
    expect(found).toContainEqual([pagechat.id, false, undefined]);
    expect(nextCursor).toBeNull();
  });

  test('one channel is read from the store, also right after another node has changed it', async () => {
    const channel = await connectedChannel(service, tenant, 'chatapp');
    await service.features.readChannel(tenant, channel.id);
    await service.stores.channels.updateWebhook(
      { id: channel.id, accountId: tenant.accountId },
      { webhookUrl },
    );
    const read = await service.features.readChannel(tenant, channel.id);
    expect([read.channel.webhookUrl, read.subscription?.id]).toEqual([webhookUrl, tenant.subscriptionId]);
  });
});

describe('a new webhook_secret', () => {
  const dayMs = 24 * 60 * 60 * 1_000;
  const standing = async (id: string) => service.stores.channels.byId(id);

  test('leaves the previous one valid for a day, and no longer', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const first = await service.features.updateChannel(tenant, id, { webhookUrl });
    expect(first.channel).toMatchObject({ previousSecret: null, previousSecretUntil: null });
    const from = service.clock.now();
    const { channel } = await service.features.updateChannel(tenant, id, { webhookSecret: 'two' });
    const until = channel.previousSecretUntil ?? 0;
    expect(until).toBeGreaterThanOrEqual(from + dayMs);
    expect(until).toBeLessThanOrEqual(service.clock.now() + dayMs);
    expect(channel.previousSecret).toBe(first.channel.webhookSecret);
    expect(previousSecretAt(channel, until - 1)).toBe(first.channel.webhookSecret);
    expect(previousSecretAt(channel, until)).toBeNull();
  });

  test('is the only valid one if there was none before', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    await service.features.updateChannel(tenant, id, { webhookSecret: 'one' });
    expect(await standing(id)).toMatchObject({ previousSecret: null, previousSecretUntil: null });
  });

  test('replaces one whose encryption key is gone', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const lost = service.sealer.sealText('one', 'another context');
    await service.stores.channels.updateWebhook({ id, accountId: tenant.accountId }, { webhookSecret: lost });
    const { channel } = await service.features.updateChannel(tenant, id, { webhookSecret: 'two' });
    expect([channel.previousSecret, clearSecretOf(channel)]).toEqual([lost, 'two']);
  });

  test('that comes at the same time as another one has that one before it, and as null none', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const patch = (webhookSecret: string | null) =>
      service.features.updateChannel(tenant, id, { webhookSecret });
    await patch('one');
    await Promise.all([patch('two'), patch('three')]);
    const both = await standing(id);
    const secrets = [both?.webhookSecret, both?.previousSecret].map((webhookSecret = null) =>
      clearSecretOf({ id, webhookSecret }),
    );
    expect(new Set(secrets)).toEqual(new Set(['two', 'three']));
    await Promise.all([patch(null), patch('four')]);
    expect(await standing(id)).toMatchObject({ previousSecret: null, previousSecretUntil: null });
  });

  test('that is the same changes nothing, and null ends both', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const patch = (webhookSecret: string | null) =>
      service.features.updateChannel(tenant, id, { webhookSecret });
    await patch('one');
    const { channel: rotated } = await patch('two');
    const { previousSecret, previousSecretUntil } = rotated;
    await patch('two');
    expect(await standing(id)).toMatchObject({ previousSecret, previousSecretUntil });
    await patch(null);
    expect(await standing(id)).toMatchObject({
      webhookSecret: null,
      previousSecret: null,
      previousSecretUntil: null,
    });
  });
});

describe('PATCH of a channel', () => {
  test('the first webhook_url without a secret generates one, which is returned once', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const first = await service.features.updateChannel(tenant, id, { webhookUrl });
    expect(first.webhookSecret).toMatch(/^whsec_[A-Za-z0-9]{44}$/);
    expect(clearSecretOf(first.channel)).toBe(first.webhookSecret);
    expect(first.channel.webhookSecret).not.toContain('whsec_');

    const second = await service.features.updateChannel(tenant, id, { webhookUrl: `${webhookUrl}/2` });
    expect(second.webhookSecret).toBeNull();
    expect(clearSecretOf(second.channel)).toBe(first.webhookSecret);
  });

  test('no secret is generated without a webhook_url, nor if one was given before', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const patch = async (settings: Parameters<typeof service.features.updateChannel>[2]) => {
      const done = await service.features.updateChannel(tenant, id, settings);
      return [done.webhookSecret, clearSecretOf(done.channel)];
    };
    expect(await patch({ echoStatuses: true })).toEqual([null, null]);
    expect(await patch({ webhookSecret: 'mine' })).toEqual(['mine', 'mine']);
    expect(await patch({ webhookUrl })).toEqual([null, 'mine']);
  });

  test('of a channel that is deleted meanwhile is 404', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const { channels } = service.stores;
    service.stores.channels = { ...channels, updateWebhook: async () => null };
    try {
      const call = service.features.updateChannel(tenant, id, { webhookUrl });
      expect(await refusalOf(call)).toEqual({ status: 404, detail: 'Channel not found' });
    } finally {
      service.stores.channels = channels;
    }
  });

  test.each([
    [30, []],
    [31, []],
    [29, ['settings-changed']],
  ])('that keeps failed deliveries for %i days instead of 30 erases older ones', async (days, told) => {
    const channel = await connectedChannel(service, tenant, 'chatapp');
    const keeps = (failedRetentionDays: number) =>
      service.features.updateChannel(tenant, channel.id, { failedRetentionDays });
    await keeps(30);
    await keptDelivery(service, channel, 30 * 86_400_000);
    service.clock.pass(1);
    service.router.told.length = 0;
    await keeps(days);
    expect(service.router.told.map(({ message }) => message.type)).toEqual(told);
  });

  test('null with the first webhook_url counts as no secret: one is generated; null alone clears it later', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const first = await service.features.updateChannel(tenant, id, { webhookUrl, webhookSecret: null });
    expect(first.webhookSecret).toMatch(/^whsec_[A-Za-z0-9]{44}$/);
    expect(clearSecretOf(first.channel)).toBe(first.webhookSecret);
    const cleared = await service.features.updateChannel(tenant, id, { webhookSecret: null });
    expect([cleared.webhookSecret, clearSecretOf(cleared.channel)]).toEqual([null, null]);
  });

  test('a given secret sets or rotates, an omitted one stays, null clears; a later URL generates none', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const patch = async (settings: Parameters<typeof service.features.updateChannel>[2]) => {
      const done = await service.features.updateChannel(tenant, id, settings);
      return [done.webhookSecret, clearSecretOf(done.channel)];
    };
    const [one, two] = ['first-secret-0001', 'second-secret-002'];
    expect(await patch({ webhookUrl, webhookSecret: one })).toEqual([one, one]);
    expect(await patch({ echoStatuses: true })).toEqual([null, one]);
    expect(await patch({ webhookSecret: two })).toEqual([two, two]);
    expect(await patch({ webhookSecret: null })).toEqual([null, null]);
    expect(await patch({ webhookUrl: `${webhookUrl}/2` })).toEqual([null, null]);
  });

  test.each([
    [0, false],
    [1, true],
    [256, true],
    [257, false],
  ])('a secret of %i characters: accepted %s', async (length, accepted) => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const call = service.features.updateChannel(tenant, id, { webhookSecret: 's'.repeat(length) });
    if (accepted) expect((await call).webhookSecret).toHaveLength(length);
    else expect(await refusalOf(call)).toEqual({ status: 422, detail: [secretProblem] });
  });

  const secretProblem = {
    loc: ['body', 'webhook_secret'],
    msg: 'Value error, webhook_secret must have 1 to 256 characters',
    type: 'value_error',
  };

  test.each<[ChannelType, string, number]>([
    ['chatapp', 'message.typing', 422],
    ['photoapp', 'message.sent', 422],
    ['pagechat', 'message.failed', 422],
    ['chatapp', 'message.failed', 200],
    ['photoapp', 'message.echo', 200],
  ])('%s, webhook_events with %s: %i', async (channelType, event, status) => {
    const { id } = await connectedChannel(service, tenant, channelType);
    const call = service.features.updateChannel(tenant, id, { webhookEvents: ['message.received', event] });
    if (status === 200) {
      expect((await call).channel.webhookEvents).toEqual(['message.received', event]);
      return;
    }
    const { detail } = await refusalOf(call);
    const { availableEvents } = kindOf(channelType);
    expect(detail).toEqual([
      {
        loc: ['body', 'webhook_events', 1],
        msg: `Value error, event is not available on ${channelType} channels; available: ${availableEvents.join(', ')}`,
        type: 'value_error',
      },
    ]);
  });

  test('an event that is named twice is enabled once', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const webhookEvents = ['message.read', 'message.received', 'message.read'];
    const { channel } = await service.features.updateChannel(tenant, id, { webhookEvents });
    expect(channel.webhookEvents).toEqual(['message.read', 'message.received']);
  });

  test('fields that are not in the request stay unchanged; null clears', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const webhookEvents = ['message.received'];
    await service.features.updateChannel(tenant, id, { webhookUrl, webhookEvents, echoStatuses: true });
    const kept = await service.features.updateChannel(tenant, id, {});
    expect(kept.channel).toMatchObject({ webhookUrl, webhookEvents, echoStatuses: true });
    const cleared = await service.features.updateChannel(tenant, id, {
      webhookUrl: null,
      webhookEvents: null,
    });
    expect(cleared.channel).toMatchObject({ webhookUrl: null, webhookEvents: null, echoStatuses: true });
  });

  test('the owner has read the new settings and the other nodes are informed before the client is answered', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const before = service.router.reloadsOf(id);
    await service.features.updateChannel(tenant, id, { webhookUrl });
    expect(service.router.reloadsOf(id)).toBe(before + 1);
    expect(service.changes.at(-1)).toEqual({ channelId: id });
  });

  test('an unreachable owner does not fail the change: it is informed later', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    service.router.unreachable.set(id, new Error('link is down'));
    const { channel } = await service.features.updateChannel(tenant, id, { webhookUrl });
    expect(channel.webhookUrl).toBe(webhookUrl);
    expect(service.router.told).toContainEqual({ channelId: id, message: { type: 'settings-changed' } });
  });
});
