/** [operator-interface §3, Billing; §4: several subscriptions with a free slot] The effect of an event of the payment provider. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { dayMs } from '../../../src/kernel/clock.ts';
import type { BillingEvent } from '../../../src/features/licences/billing.ts';
import { receiveBillingEvent } from '../../../src/features/licences/receive-billing-event.ts';
import { fault } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { billingEventOf } from '../../rules/samples.ts';
import { everything } from '../../../src/kernel/paging.ts';
import {
  connectedChannel,
  licenceBoundTo,
  mailsTo,
  newTenant,
  openService,
  refusalOf,
} from '../support/service.ts';
import { withRival } from '../support/rival.ts';
import type { Service, Tenant } from '../support/service.ts';
import type { BillingNews } from '../../../src/features/licences/billing-reader.ts';

/** The provider's next event; an error: its signature is invalid. */
let news: BillingNews | Error;
let service: Service;
let tenant: Tenant;
let start: number;

beforeEach(async () => {
  service = await openService({}, undefined, {
    read: async () => {
      if (news instanceof Error) throw news;
      return news;
    },
  });
  tenant = await newTenant(service);
  start = service.clock.now();
  service.told.length = 0;
});
afterEach(() => service.close());

const receive = (said: BillingNews | Error): Promise<void> => {
  news = said;
  return service.features.receiveBillingEvent(Buffer.from('{}'), 'signature');
};

let events = 0;
const event = (over: Partial<BillingEvent> = {}): BillingNews => {
  events += 1;
  return {
    kind: 'subscription',
    event: billingEventOf({
      eventId: `evt_${events}`,
      at: service.clock.now(),
      accountId: tenant.accountId,
      startsAt: start,
      ...over,
    }),
  };
};

const outcomes = () =>
  Object.fromEntries(
    [
      'applied',
      'seen',
      'older',
      'unknown_account',
      'other_account',
      'unknown_tier',
      'other_type',
      'unreadable',
    ]
      .map((outcome) => [outcome, service.counted('billing_events_total', { outcome })] as const)
      .filter(([, times]) => times > 0),
  );
const boundTo = (channelId: string) => licenceBoundTo(service, channelId);
const paid = async (externalId = 'sub_1'): Promise<string> =>
  (await service.stores.subscriptions.byExternalId(externalId))?.id ?? '';

describe('an event without effect', () => {
  test('is a 404 if no provider is configured', async () => {
    const without = await openService();
    const refusal = await refusalOf(without.features.receiveBillingEvent(Buffer.from('{}'), ''));
    await without.close();
    expect(refusal.status).toBe(404);
  });

  test('is refused and not counted if its signature is invalid', async () => {
    const refusal = await refusalOf(receive(fault('bad_request', { why: 'not signed' })));
    expect([refusal.status, outcomes()]).toEqual([400, {}]);
  });

  test('is accepted and counted, because the provider would retry it for days', async () => {
    await receive({ kind: 'other' });
    expect([outcomes(), service.told]).toEqual([{ other_type: 1 }, []]);
  });

  test('is logged if it cannot be parsed', async () => {
    await receive({ kind: 'unreadable', eventId: 'evt_odd' });
    expect(outcomes()).toEqual({ unreadable: 1 });
    expect(service.told).toMatchObject([
      { level: 'warn', msg: 'billing.event-unreadable', eventId: 'evt_odd' },
    ]);
  });

  test.each<[string, string, Partial<BillingEvent>]>([
    ['of nobody here', 'unknown_account', { accountId: newId() }],
    ['that names nobody', 'unknown_account', { accountId: null }],
    ['that names no tier of ours', 'unknown_tier', { tier: null }],
  ])('is logged with the ids in it: %s', async (_words, outcome, over) => {
    await receive(event({ externalId: 'sub_odd', ...over }));
    expect([outcomes(), service.changes]).toEqual([{ [outcome]: 1 }, []]);
    expect(service.told).toMatchObject([
      { level: 'warn', msg: 'billing.event-not-applied', externalId: 'sub_odd', outcome },
    ]);
  });

  test('another account cannot take over a licence', async () => {
    await receive(event());
    const other = await newTenant(service);
    service.told.length = 0;
    await receive(event({ accountId: other.accountId }));
    expect(outcomes()).toEqual({ applied: 1, other_account: 1 });
    expect(service.told).toMatchObject([{ outcome: 'other_account' }]);
    const { items } = await service.features.listSubscriptions(other, everything);
    expect(items.map(({ subscription }) => subscription.source)).toEqual(['trial']);
  });

  test('an event without an account belongs to the account of its licence', async () => {
    await receive(event());
    await receive(event({ accountId: null, tier: 'starter' }));
    expect(outcomes()).toEqual({ applied: 2 });
    expect((await service.stores.subscriptions.byExternalId('sub_1'))?.tier).toBe('starter');
  });

  test('an older event is neither logged nor published', async () => {
    await connectedChannel(service, tenant, 'chatapp');
    await receive(event());
    [service.changes.length, service.told.length] = [0, 0];
    await receive(event({ at: start - 1_000, status: 'canceled' }));
    expect([outcomes(), service.told, service.changes]).toEqual([{ applied: 1, older: 1 }, [], []]);
  });
});

describe('a first payment', () => {
  test('moves the oldest active channel of each type from the trial', async () => {
    const ids: string[] = [];
    for (const type of ['chatapp', 'photoapp', 'pagechat'] as const)
      ids.push((await connectedChannel(service, tenant, type)).id);
    service.changes.length = 0;
    await receive(event());
    const licence = await paid();
    expect(await Promise.all(ids.map(boundTo))).toEqual(ids.map(() => licence));
    expect(service.changes).toHaveLength(3);
    expect(service.changes).toEqual(expect.arrayContaining(ids.map((channelId) => ({ channelId }))));
  });

  test('leaves channels on the trial that are inactive, or that an operator unbound', async () => {
    const inactive = await connectedChannel(service, tenant, 'chatapp');
    const unbound = await connectedChannel(service, tenant, 'photoapp');
    await service.features.deactivateChannel(tenant, inactive.id);
    await service.features.bindChannel(unbound.id, null);
    await receive(event());
    expect([await boundTo(inactive.id), await boundTo(unbound.id)]).toEqual([tenant.subscriptionId, null]);
  });

  test('leaves a channel unbound that an operator unbinds at that moment', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const unbind = () => service.features.bindChannel(id, null);
    news = event();
    const world = withRival(service.world, ['channels', 'bind'], unbind);
    await receiveBillingEvent(world, Buffer.from('{}'), 'signature');
    expect(await boundTo(id)).toBeNull();
  });

  test('moves at most one channel of a type, the oldest; a second one stays', async () => {
    await receive(event());
    const first = await connectedChannel(service, tenant, 'chatapp');
    service.clock.pass(1_000);
    const second = await connectedChannel(service, tenant, 'chatapp');
    const [one, two] = [await paid(), tenant.subscriptionId];
    const before = [await boundTo(first.id), await boundTo(second.id)];
    service.changes.length = 0;
    await receive(event());
    expect(service.changes).toEqual([{ channelId: before[0] === one ? first.id : second.id }]);
    expect([await boundTo(first.id), await boundTo(second.id)]).toEqual(before);
    expect(new Set(before)).toEqual(new Set([one, two]));
  });

  test('moves the older of two stopped channels, whichever stopped first', async () => {
    await service.features.createSubscription(tenant.accountId, {
      tier: 'pro',
      source: 'enterprise',
      expiresAt: start + dayMs,
      autoRenew: false,
    });
    const first = await connectedChannel(service, tenant, 'chatapp');
    service.clock.pass(1_000);
    const second = await connectedChannel(service, tenant, 'chatapp');
    const before = await boundTo(second.id);
    service.clock.pass(15 * dayMs);
    await receive(event());
    expect([await boundTo(first.id), await boundTo(second.id)]).toEqual([await paid(), before]);
  });

  test('for another licence next to a working one leaves its channels where they are', async () => {
    const chat = await connectedChannel(service, tenant, 'chatapp');
    await receive(event());
    const first = await paid();
    await receive(event({ externalId: 'sub_2' }));
    expect([await boundTo(chat.id), (await paid('sub_2')) === first]).toEqual([first, false]);
  });

  test('that has ended meanwhile moves nothing to that licence', async () => {
    const chat = await connectedChannel(service, tenant, 'chatapp');
    service.changes.length = 0;
    await receive(event({ status: 'canceled', expiresAt: start - dayMs }));
    expect([outcomes(), await boundTo(chat.id)]).toEqual([{ applied: 1 }, tenant.subscriptionId]);
    expect(service.changes).toEqual([]);
  });

  test('publishes every change to its channels, also a repeated one, because a node may have crashed before', async () => {
    const chat = await connectedChannel(service, tenant, 'chatapp');
    const page = await connectedChannel(service, tenant, 'pagechat');
    await service.features.bindChannel(page.id, null);
    const first = event();
    await receive(first);
    service.changes.length = 0;
    await receive(first);
    expect(outcomes()).toEqual({ applied: 1, seen: 1 });
    expect(service.changes).toEqual([{ channelId: chat.id }]);
    service.changes.length = 0;
    await receive(event({ tier: 'starter' }));
    expect(service.changes).toEqual([{ channelId: chat.id }]);
  });

  test('is told to the owner of a channel that was out of reach then [faults: 445]', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const left = async (): Promise<number> => {
      const before = service.router.reloadsOf(id);
      service.clock.pass(60_000);
      while ((await service.features.followUpChanges()) > 0);
      return service.router.reloadsOf(id) - before;
    };
    const unreached = async (said: BillingNews): Promise<void> => {
      service.router.unreachable.set(id, fault('unavailable'));
      await receive(said);
      service.router.unreachable.clear();
    };
    await left();
    await unreached(event()); // moves it from the trial
    expect(await left()).toBe(1);
    await unreached(event({ tier: 'starter' }));
    expect(await left()).toBe(1);
  });

  test('that ends makes one mail about the channels that have stopped', async () => {
    const channel = await connectedChannel(service, tenant, 'chatapp');
    const other = await connectedChannel(service, tenant, 'photoapp');
    await receive(event());
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    expect(await mailsTo(service, tenant)).toEqual([]);
    const canceled = { change: 'deleted', status: 'canceled' } as const;
    const said = event(canceled);
    await receive(said);
    await receive(said);
    await receive(event(canceled));
    expect((await mailsTo(service, tenant)).map(({ kind, subject }) => [kind, subject])).toEqual([
      ['licence-ended', 'Your subscription has ended: 2 channels have stopped'],
    ]);
    const lines = (await mailsTo(service, tenant))[0]?.lines.join('\n');
    for (const { name } of [channel, other]) expect(lines).toContain(name);
  });

  test('moves the channels of an unpaid licence to the paid one', async () => {
    await receive(event());
    const chat = await connectedChannel(service, tenant, 'chatapp');
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    service.clock.pass(1_000);
    await receive(event({ status: 'canceled', change: 'deleted', expiresAt: start }));
    await receive(event({ externalId: 'sub_2' }));
    expect(await boundTo(chat.id)).toBe(await paid('sub_2'));
  });
});

describe('an operator binds a channel [operator-interface §3]', () => {
  test('to a licence of its account; its owner and the other nodes are informed', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    service.changes.length = 0;
    await service.features.bindChannel(id, null);
    expect([await boundTo(id), service.changes]).toEqual([null, [{ channelId: id }]]);
  });

  test('and a licence is shown only with its own channels', async () => {
    const chat = await connectedChannel(service, tenant, 'chatapp');
    const page = await connectedChannel(service, tenant, 'pagechat');
    await service.features.bindChannel(page.id, null);
    const { channels } = await service.features.updateSubscription(tenant.subscriptionId, { tier: 'pro' });
    expect(channels.map(({ id }) => id)).toEqual([chat.id]);
  });

  test('an unknown channel or licence, or one of another account, is 404', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const other = await newTenant(service);
    expect(await refusalOf(service.features.bindChannel(newId(), null))).toEqual({
      status: 404,
      detail: 'Channel not found',
    });
    for (const licence of [newId(), other.subscriptionId])
      expect(await refusalOf(service.features.bindChannel(id, licence))).toEqual({
        status: 404,
        detail: 'Subscription not found',
      });
    expect(await boundTo(id)).toBe(tenant.subscriptionId);
  });

  test('to a slot that another channel holds: 409', async () => {
    const first = await connectedChannel(service, tenant, 'chatapp');
    await service.features.bindChannel(first.id, null);
    await connectedChannel(service, tenant, 'chatapp');
    expect(await refusalOf(service.features.bindChannel(first.id, tenant.subscriptionId))).toEqual({
      status: 409,
      detail: expect.stringContaining('Another channel of this type is bound to the subscription'),
    });
  });
});
