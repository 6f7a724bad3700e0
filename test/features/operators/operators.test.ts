import { describe, expect, test } from '@jest/globals';
import { emptyHour } from '../../../src/features/deliveries/hours.ts';
import { hourMs } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { chatappProfile } from '../../support/profiles.ts';
import { assetOf } from '../support/outside.ts';
import { everything } from '../../../src/kernel/paging.ts';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import {
  connected,
  connectedChannel,
  newIdentity,
  newLicence,
  newTenant,
  openService,
  refusalOf,
} from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

const none = { total: 0, starter: 0, pro: 0 };
const onePro = { total: 1, starter: 0, pro: 1 };

describe('subscriptions', () => {
  test('are listed with their channels, the active total and the free slots', async () => {
    const tenant = await newTenant(service);
    const channel = await connectedChannel(service, tenant, 'chatapp');
    const second = await newLicence(service, tenant);
    await service.features.updateSubscription(second, { status: 'canceled' });
    const listed = await service.features.listSubscriptions(tenant, everything);
    expect(listed.items.map((each) => [each.subscription.id, each.channels.map(({ id }) => id)])).toEqual(
      expect.arrayContaining([
        [second, []],
        [tenant.subscriptionId, [channel.id]],
      ]),
    );
    expect(listed.activeTotal).toBe(1);
    expect(listed.availableSlots).toEqual({ chatapp: none, photoapp: onePro, pagechat: onePro });
  });

  test('an inactive channel still occupies its slot', async () => {
    const tenant = await newTenant(service);
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    await service.features.deactivateChannel(tenant, id);
    const { availableSlots } = await service.features.listSubscriptions(tenant, everything);
    expect(availableSlots.chatapp).toEqual(none);
  });

  test('pages are cut by time and id, and the totals are always those of the account', async () => {
    const tenant = await newTenant(service);
    for (let i = 0; i < 4; i += 1) await newLicence(service, tenant);
    const whole = await service.features.listSubscriptions(tenant, everything);
    const ids: string[] = [];
    let cursor: PagePosition | null = null;
    do {
      const page = await service.features.listSubscriptions(tenant, { limit: 2, cursor });
      expect([page.activeTotal, page.items.length]).toEqual([5, ids.length === 4 ? 1 : 2]);
      ids.push(...page.items.map(({ subscription }) => subscription.id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(ids).toEqual(whole.items.map(({ subscription }) => subscription.id));
  });

  test('a change of a licence reaches the owner of every channel bound to it', async () => {
    const tenant = await newTenant(service);
    const channels = [
      await connectedChannel(service, tenant, 'chatapp'),
      await connectedChannel(service, tenant, 'pagechat'),
    ];
    const before = channels.map(({ id }) => service.router.reloadsOf(id));
    const updated = await service.features.updateSubscription(tenant.subscriptionId, { tier: 'starter' });
    expect(updated.subscription.tier).toBe('starter');
    expect(updated.channels).toHaveLength(2);
    expect(channels.map(({ id }) => service.router.reloadsOf(id))).toEqual(before.map((times) => times + 1));
  });

  test('an unknown account or licence is 404', async () => {
    const request = { tier: 'pro', source: 'enterprise', expiresAt: null, autoRenew: false } as const;
    const created = await refusalOf(service.features.createSubscription(newId(), request));
    expect(created).toEqual({ status: 404, detail: 'Account not found' });
    const updated = await refusalOf(service.features.updateSubscription(newId(), { tier: 'pro' }));
    expect(updated).toEqual({ status: 404, detail: 'Subscription not found' });
  });
});

describe('claims and bindings', () => {
  test("only an inactive channel's claim can be released; then another account can connect its identity", async () => {
    const [owner, other] = [await newTenant(service), await newTenant(service)];
    const asset = assetOf('chatapp', newIdentity());
    const { channel } = await connected(service, owner, asset);
    const active = await refusalOf(service.features.releaseClaim(channel.id));
    expect(active).toEqual({
      status: 409,
      detail: 'The channel is active; deactivate it before its claim is released',
    });
    await service.features.deactivateChannel(owner, channel.id);
    await service.features.releaseClaim(channel.id);
    const taken = await connected(service, other, asset);
    expect(taken.channel).toMatchObject({ accountId: other.accountId, identity: asset.identity });
    expect((await refusalOf(service.features.releaseClaim(newId()))).status).toBe(404);
  });

  test('a channel whose ownership was released takes no slot: nobody could connect it', async () => {
    const owner = await newTenant(service);
    const { id } = await connectedChannel(service, owner, 'chatapp');
    await service.features.deactivateChannel(owner, id);
    await service.features.releaseClaim(id);
    expect((await refusalOf(service.features.bindChannel(id, owner.subscriptionId))).status).toBe(409);
    await service.features.bindChannel(id, null);
    const { availableSlots } = await service.features.listSubscriptions(owner, everything);
    expect(availableSlots.chatapp.total).toBe(1);
  });

  test('a channel is bound to a free slot of its account only', async () => {
    const tenant = await newTenant(service);
    const second = await newLicence(service, tenant);
    const [one, two] = [
      await connectedChannel(service, tenant, 'chatapp'),
      await connectedChannel(service, tenant, 'chatapp'),
    ];
    const boundTo = async (id: string) => {
      const { channel } = await service.features.readChannel(tenant, id);
      return channel.subscriptionId;
    };
    expect(new Set([await boundTo(one.id), await boundTo(two.id)])).toEqual(
      new Set([tenant.subscriptionId, second]),
    );
    const slotOfTwo = await boundTo(two.id);
    expect((await refusalOf(service.features.bindChannel(one.id, slotOfTwo))).status).toBe(409);
    await service.features.bindChannel(two.id, null);
    await service.features.bindChannel(one.id, slotOfTwo);
    expect([await boundTo(one.id), await boundTo(two.id)]).toEqual([slotOfTwo, null]);
  });
});

describe('looking at the service', () => {
  test('a channel is shown with its owner', async () => {
    const tenant = await newTenant(service);
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    expect(await service.features.inspectChannel(id)).toEqual({
      channelId: id,
      nodeId: 'node-1',
      epoch: 7,
      sendsOpen: 0,
      sendsWaiting: 0,
      deliveriesPending: 0,
      factsHeld: 0,
      filesOpen: 0,
    });
    expect((await refusalOf(service.features.inspectChannel(newId()))).status).toBe(404);
  });

  test('the nodes are listed; a drain goes to the named node, else to the one that is asked', async () => {
    expect(await service.features.listNodes()).toEqual([
      { nodeId: 'node-1', channelsOwned: 1, startedAt: 0, draining: false, isLinked: true, status: null },
    ]);
    await service.features.drain();
    await service.features.drain('node-2');
    expect(service.drained).toEqual([null, 'node-2']);
  });

  test('the stored mails of an account are listed', async () => {
    const tenant = await newTenant(service);
    expect(await service.features.listMails(tenant.accountId, everything)).toEqual({
      items: [],
      nextCursor: null,
    });
  });
});

describe('accounts are found', () => {
  const idsOf = async (text: string) => (await service.features.findAccounts(text)).items.map(({ id }) => id);

  test('by the phone number and the username of a channel, in any notation', async () => {
    const tenant = await newTenant(service);
    const asset = assetOf('chatapp', newIdentity());
    const profile = chatappProfile({ phoneNumberId: asset.identity, phoneNumber: '+31 6 1234-98765' });
    await connected(service, tenant, { ...asset, profile });
    for (const text of ['+31 6 1234 98765', '31612349', '(31)612349-8765'])
      expect([text, await idsOf(text)]).toEqual([text, [tenant.accountId]]);
    const other = await newTenant(service);
    const photo = assetOf('photoapp', newIdentity());
    const handle = `harbour.bakery_${photo.identity}`;
    await connected(service, other, {
      ...photo,
      profile: { type: 'photoapp', accountId: photo.identity, username: handle, pageId: 'page-1' },
    });
    for (const text of [handle, `@${handle.toUpperCase()}`, 'harbour.bak'])
      expect([text, await idsOf(text)]).toEqual([text, [other.accountId]]);
  });

  test('by the beginnings of all words of their names, the newest first, a bounded number', async () => {
    const made: string[] = [];
    for (let n = 0; n < 51; n += 1) {
      const { account } = await service.features.createAccount({
        email: `quay-${n}@example.com`,
        name: `Quayside Number${n} Ltd`,
        tier: null,
      });
      made.unshift(account.id);
    }
    expect(await idsOf('number7 quay')).toEqual([made[43]]);
    const { items, isCut } = await service.features.findAccounts('QUAYS');
    // Two that are made in one millisecond are ordered by their ids.
    const newest = made.toSorted().toReversed().slice(0, 50);
    expect([items.map(({ id }) => id), isCut]).toEqual([newest, true]);
    expect(await idsOf('uayside')).toEqual([]);
    expect(await idsOf('quay-7@exam')).toEqual([made[43]]);
  });
});

describe('volume', () => {
  test('includes what this node has not written yet', async () => {
    const on = await openService();
    try {
      const mine = await newTenant(on);
      const { accountId } = mine;
      const { id } = await connectedChannel(on, mine, 'pagechat');
      on.features.noteAcknowledged({ accountId, attempt: 1, latencyMs: 1 });
      expect(await on.features.accountVolume(accountId)).toMatchObject({ delivered: 1, givenUp: 0 });
      on.features.noteGivenUp(id);
      expect(await on.features.givenUpLately()).toMatchObject({ events: 1, accounts: 1 });
      expect(await on.features.accountVolume(accountId)).toMatchObject({ delivered: 1, givenUp: 1 });
    } finally {
      await on.close();
    }
  });

  test.each([
    [9_999, false],
    [10_000, true],
  ])('of all failures says whether there may be more accounts: of %d', async (count, isCut) => {
    const { deliveryHours } = service.stores;
    const hours = Array.from({ length: count }, (_, n) => ({ ...emptyHour(`account ${n}`, 0), givenUp: 1 }));
    const givenUpOfAll = async (_: number, limit: number) => hours.slice(0, limit);
    service.stores.deliveryHours = { ...deliveryHours, givenUpOfAll };
    const lately = await service.features.givenUpLately();
    service.stores.deliveryHours = deliveryHours;
    expect(lately).toMatchObject({ events: count, accounts: count, isCut });
  });

  test('of an account covers seven days, and failures of all cover this hour and the one before', async () => {
    const on = await openService();
    try {
      const [one, other] = [await newTenant(on), await newTenant(on)];
      const now = Math.floor(on.clock.now() / hourMs) * hourMs;
      const hour = (accountId: string, at: number, counts: { delivered?: number; givenUp?: number }) => ({
        ...emptyHour(accountId, at),
        ...counts,
      });
      await on.stores.deliveryHours.add([
        hour(one.accountId, now, { delivered: 5, givenUp: 2 }),
        hour(one.accountId, now - 3 * hourMs, { delivered: 1, givenUp: 40 }),
        hour(one.accountId, now - 8 * 24 * hourMs, { delivered: 100 }),
        hour(other.accountId, now - hourMs, { givenUp: 3 }),
        hour((await newTenant(on)).accountId, now, { delivered: 7 }),
      ]);
      expect(await on.features.accountVolume(one.accountId)).toMatchObject({ delivered: 6, givenUp: 42 });
      const { worst, ...lately } = await on.features.givenUpLately();
      expect(lately).toEqual({ since: now - hourMs, events: 5, accounts: 2, isCut: false });
      expect(worst.map(({ account, events }) => [account.id, events])).toEqual([
        [other.accountId, 3],
        [one.accountId, 2],
      ]);
    } finally {
      await on.close();
    }
  });
});
