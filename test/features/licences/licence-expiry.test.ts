/** [operator-interface §4: trial subscription; operator-interface §2, SUBSCRIPTION_GRACE_MS] The effect of time on licences. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { dayMs } from '../../../src/kernel/clock.ts';
import type { Source, Subscription, Tier } from '../../../src/rules/licences/subscription.ts';
import type { BillingEvent } from '../../../src/features/licences/billing.ts';
import { idFrom } from '../../../src/kernel/ids.ts';
import { TrialReminders, lapseLicences } from '../../../src/features/licences/expiry.ts';
import { billingEventOf } from '../../rules/samples.ts';
import { connectedChannel, licenceBoundTo, mailsTo, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { withRival } from '../support/rival.ts';
import { serviceForEach } from '../support/shared-service.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { EndingPlace } from '../../../src/features/licences/store.ts';

const trialDays = 14;
const graceDays = 3;

const service = serviceForEach();
let tenant: Tenant;
let start: number;
beforeEach(async () => {
  tenant = await newTenant(service);
  start = service.clock.now();
});

const to = (days: number): void => service.clock.pass(start + days * dayMs - service.clock.now());
const turn = () => service.features.turnLicences();
const stored = (id: string): Promise<Subscription | null> => service.stores.subscriptions.byId(id);
const boundTo = (channelId: string) => licenceBoundTo(service, channelId);
const mails = () => mailsTo(service, tenant);
const kinds = async (): Promise<string[]> => (await mails()).map(({ kind }) => kind);

async function licence(source: Source, endsOnDay: number | null, tier: Tier = 'pro'): Promise<string> {
  const expiresAt = endsOnDay === null ? null : start + endsOnDay * dayMs;
  const request = { tier, source, expiresAt, autoRenew: false };
  return (await service.features.createSubscription(tenant.accountId, request)).subscription.id;
}

describe('a licence ends by itself', () => {
  const before = 1 / 86_400;
  test.each([
    ['a trial at its end', 'trial', 5, 5],
    ['a paid one when its grace is over', 'billing_provider', 5, 5 + graceDays],
    ['one that an operator granted at its end', 'enterprise', 5, 5],
  ] as const)('%s', async (_, source, end, lapse) => {
    const id = await licence(source, end);
    to(lapse - before);
    await turn();
    expect((await stored(id))?.status).toBe('active');
    to(lapse);
    await turn();
    expect((await stored(id))?.status).toBe('expired');
    expect(service.counted('licences_lapsed_total', { source })).toBe(1);
  });

  test('a perpetual one never ends, a canceled one stays canceled', async () => {
    const perpetual = await licence('enterprise', null);
    const canceled = await licence('enterprise', 5);
    await service.features.updateSubscription(canceled, { status: 'canceled' });
    to(2_000);
    await turn();
    expect([(await stored(perpetual))?.status, (await stored(canceled))?.status]).toEqual([
      'active',
      'canceled',
    ]);
  });

  test('more than one batch, also of one moment, end in one run', async () => {
    const ids = await Promise.all(Array.from({ length: 130 }, () => licence('enterprise', 1)));
    to(1);
    await turn();
    const statuses = await Promise.all(ids.map(async (id) => (await stored(id))?.status));
    expect(new Set(statuses)).toEqual(new Set(['expired']));
  });

  test('it is active again when its end is moved to the future, whatever was stored', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    to(trialDays);
    await turn();
    await service.features.updateSubscription(tenant.subscriptionId, { expiresAt: start + 30 * dayMs });
    expect((await stored(tenant.subscriptionId))?.status).toBe('active');
    expect(await boundTo(id)).toBe(tenant.subscriptionId);
  });

  test('a renewal whose licence lapses between its read and its write makes it active all the same', async () => {
    const id = await licence('enterprise', 5);
    to(5);
    const { subscriptions } = service.stores;
    let reads = 0;
    service.stores.subscriptions = {
      ...subscriptions,
      async byId(asked) {
        const found = await subscriptions.byId(asked);
        reads += 1;
        if (reads === 1) await turn();
        return found;
      },
    };
    await service.features.updateSubscription(id, { expiresAt: start + 9 * dayMs });
    expect(await stored(id)).toMatchObject({ status: 'active', expiresAt: start + 9 * dayMs });
  });

  test('a renewal during the run wins', async () => {
    const id = await licence('enterprise', 1);
    to(1);
    const [found] = await service.stores.subscriptions.ending({
      source: 'enterprise',
      after: { expiresAt: 0, id: '' },
      until: start + dayMs,
      limit: 1,
    });
    await service.features.updateSubscription(id, { expiresAt: start + 30 * dayMs });
    expect(await service.stores.subscriptions.lapse(id, found?.expiresAt ?? 0)).toBe(false);
    expect((await stored(id))?.status).toBe('active');
  });
});

describe('its channels', () => {
  test('move to a free slot of a working licence: pro before starter, then the one that lasts longest', async () => {
    const channel = await connectedChannel(service, tenant, 'chatapp');
    await licence('enterprise', null, 'starter');
    await licence('enterprise', 20);
    const best = await licence('enterprise', 40);
    to(trialDays);
    service.changes.length = 0;
    await turn();
    expect(await boundTo(channel.id)).toBe(best);
    expect(service.changes).toContainEqual({ channelId: channel.id });
    expect(await kinds()).toEqual([]);
  });

  test('stay if no slot is free, and their owner gets one mail that says what stopped and what to do', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    to(trialDays);
    await turn();
    await turn();
    expect(await boundTo(id)).toBe(tenant.subscriptionId);
    const ended = (await mails()).filter(({ kind }) => kind === 'licence-ended');
    expect(ended.map(({ subject }) => subject)).toEqual(['Your trial has ended: 1 channel has stopped']);
    const mailId = idFrom(
      'mail',
      'licence-ended',
      tenant.accountId,
      'trial',
      String(start + trialDays * dayMs),
    );
    expect(ended[0]?.id).toBe(mailId);
    expect(ended[0]?.lines.join('\n')).toMatch(
      /\(chatapp\)[\s\S]*https:\/\/trunkline\.example\/portal\/billing/,
    );
  });

  test('of licences that end at the same moment are in one mail, also if one is canceled later', async () => {
    await licence('enterprise', 5);
    const second = await licence('enterprise', 5);
    const canceled = await licence('enterprise', 5);
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    const names: (string | null)[] = [];
    for (let i = 0; i < 3; i += 1) names.push((await connectedChannel(service, tenant, 'chatapp')).name);
    await service.features.updateSubscription(canceled, { status: 'canceled' });
    const subjects = async () => (await mails()).map(({ subject }) => subject).toSorted();
    expect(await subjects()).toEqual(['Your licence has ended: 1 channel has stopped']);
    to(5);
    await turn();
    await service.features.updateSubscription(second, { status: 'canceled' });
    await turn();
    expect(await subjects()).toEqual([
      'Your licence has ended: 1 channel has stopped',
      'Your licence has ended: 2 channels have stopped',
    ]);
    const lines = (await mails()).flatMap((mail) => mail.lines).join('\n');
    for (const name of names) expect(lines.split(name ?? 'nobody')).toHaveLength(2);
  });

  test('stop with a licence that an operator cancels, and their owner gets a mail', async () => {
    await connectedChannel(service, tenant, 'chatapp');
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    expect((await mails()).map(({ subject }) => subject)).toEqual([
      'Your trial has ended: 1 channel has stopped',
    ]);
  });

  test('an inactive one keeps its slot without a mail; one that an operator unbound stays unbound', async () => {
    const inactive = await connectedChannel(service, tenant, 'chatapp');
    const unbound = await connectedChannel(service, tenant, 'photoapp');
    await service.features.deactivateChannel(tenant, inactive.id);
    await service.features.bindChannel(unbound.id, null);
    await licence('enterprise', null);
    to(trialDays);
    await turn();
    expect([await boundTo(inactive.id), await boundTo(unbound.id)]).toEqual([tenant.subscriptionId, null]);
    expect(await kinds()).toEqual([]);
  });

  test('stay unbound if an operator unbinds them at that moment', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    await licence('enterprise', null);
    to(trialDays);
    const unbind = () => service.features.bindChannel(id, null);
    await lapseLicences(withRival(service.world, ['channels', 'bind'], unbind));
    expect(await boundTo(id)).toBeNull();
    expect(await kinds()).toEqual([]);
  });

  test('two of a type and one free slot: the older moves, the other is in the mail', async () => {
    const second = await licence('enterprise', trialDays);
    const first = await connectedChannel(service, tenant, 'chatapp');
    service.clock.pass(1);
    const later = await connectedChannel(service, tenant, 'chatapp');
    const free = await licence('enterprise', null);
    to(trialDays);
    await turn();
    const places = [await boundTo(first.id), await boundTo(later.id)];
    expect(places[0]).toBe(free);
    expect([second, tenant.subscriptionId]).toContain(places[1]);
    expect((await kinds()).filter((kind) => kind === 'licence-ended')).toEqual(['licence-ended']);
  });

  test('that stopped continue with the next licence that is granted, or paid', async () => {
    const granted = await connectedChannel(service, tenant, 'chatapp');
    const paidFor = await connectedChannel(service, tenant, 'photoapp');
    to(trialDays);
    await turn();
    const next = await licence('enterprise', null);
    expect([await boundTo(granted.id), await boundTo(paidFor.id)]).toEqual([next, next]);
  });

  test('move at once if their licence is canceled and another has a free slot', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const other = await licence('enterprise', null);
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    expect(await boundTo(id)).toBe(other);
  });
});

describe('a paid licence, by events and by time', () => {
  const bill = (over: Partial<BillingEvent>) =>
    service.stores.subscriptions.bill(
      billingEventOf({
        eventId: `evt_${service.clock.now()}_${over.change ?? ''}`,
        at: service.clock.now(),
        accountId: tenant.accountId,
        startsAt: start,
        ...over,
      }),
      service.clock.now(),
    );
  const status = async () => (await service.stores.subscriptions.byExternalId('sub_1'))?.status;

  test('unpaid at its end, grace, ended; paid later, active again', async () => {
    await bill({ change: 'created' });
    to(31);
    await turn();
    expect(await status()).toBe('active');
    to(30 + graceDays);
    await turn();
    expect(await status()).toBe('expired');
    await bill({ expiresAt: start + 60 * dayMs });
    expect(await status()).toBe('active');
    await turn();
    expect(await status()).toBe('active');
  });

  test('an event from before the end that comes after it reactivates nothing', async () => {
    await bill({ change: 'created' });
    to(30);
    await bill({ change: 'deleted', status: 'canceled' });
    const older = { eventId: 'evt_late', at: start + 29 * dayMs };
    expect((await bill({ ...older, expiresAt: start + 60 * dayMs })).outcome).toBe('older');
    await turn();
    expect(await status()).toBe('canceled');
  });
});

/** A node that has just taken over the job. */
function reminders(): TrialReminders {
  const { stores, clock } = service;
  const settings = { graceMs: graceDays * dayMs, baseUrl: 'https://trunkline.example' };
  return new TrialReminders(Object.assign(Object.create(null), { stores, clock, settings, log: silentLog }));
}

describe('the owner is reminded three days before the end of a trial', () => {
  test('once, with the date, the channels and where to subscribe', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    to(trialDays - 3 - 1 / 24);
    await turn();
    expect(await kinds()).toEqual([]);
    to(trialDays - 3);
    await turn();
    await turn();
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ kind: 'trial-ending', subject: 'Your trial ends on 2026-01-15' });
    const name = (await service.stores.channels.byId(id))?.name ?? '';
    expect(mail?.lines.join('\n')).toContain(`- "${name}" (chatapp)`);
    expect(mail?.lines.at(-1)).toBe('Subscriptions: https://trunkline.example/portal/billing');
  });

  test('not a second time by a node that has just taken over the job', async () => {
    to(trialDays - 2);
    await turn();
    expect(await reminders().remind()).toBe(0);
    expect(await kinds()).toEqual(['trial-ending']);
  });

  test('within the hour, if an operator moves the end to a day that the reminders have passed, or the licence that continued ends', async () => {
    const paid = await licence('enterprise', null);
    const other = await newTenant(service);
    await service.features.createSubscription(other.accountId, {
      tier: 'pro',
      source: 'trial',
      expiresAt: start + 20 * dayMs,
      autoRenew: false,
    });
    const both = async () => [...(await kinds()), ...(await mailsTo(service, other)).map(({ kind }) => kind)];
    await service.features.updateSubscription(other.subscriptionId, { status: 'canceled' });
    to(trialDays - 2);
    await turn();
    expect(await both()).toEqual([]);
    await service.features.updateSubscription(paid, { status: 'canceled' });
    const [moved] = await service.stores.subscriptions.list(other.accountId);
    await service.features.updateSubscription(moved?.id ?? '', {
      expiresAt: service.clock.now() + dayMs,
    });
    to(trialDays - 2 + 1 / 24);
    await turn();
    expect((await both()).toSorted()).toEqual(['trial-ending', 'trial-ending']);
  });

  test('after the last reminder, until the end of that trial, and from the beginning once an hour', async () => {
    const { subscriptions } = service.stores;
    const asked: EndingPlace[] = [];
    service.stores.subscriptions = {
      ...subscriptions,
      ending(of) {
        asked.push(of.after);
        return subscriptions.ending(of);
      },
    };
    const ofTenant = { expiresAt: start + trialDays * dayMs, id: tenant.subscriptionId };
    const own = reminders();
    to(trialDays - 2);
    expect(await own.remind()).toBe(1);
    to(trialDays - 2 + 0.5 / 24);
    expect(await own.remind()).toBe(0);
    to(trialDays - 1);
    expect(await own.remind()).toBe(0);
    expect(asked).toEqual([
      { expiresAt: start + (trialDays - 2) * dayMs, id: '' },
      ofTenant,
      { expiresAt: start + (trialDays - 1) * dayMs, id: '' },
    ]);
  });

  test('also if another licence has ended by then too', async () => {
    await licence('enterprise', 1);
    to(trialDays - 2);
    await turn();
    expect(await kinds()).toEqual(['trial-ending']);
  });

  test('not if another licence continues', async () => {
    await licence('enterprise', null);
    to(trialDays - 2);
    await turn();
    expect(await kinds()).toEqual([]);
  });

  test('of all trials, however many end at once', async () => {
    const others = await Promise.all(Array.from({ length: 120 }, () => newTenant(service)));
    to(trialDays - 2);
    await turn();
    const told = await Promise.all(
      others.map(async ({ accountId }) => (await mailsTo(service, { accountId })).length),
    );
    expect(told.filter((count) => count !== 1)).toEqual([]);
  });
});
