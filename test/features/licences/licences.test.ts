/** [operator-interface §4] The licences of an account: the list, and which slots take over the channels of one that ends. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { dayMs } from '../../../src/kernel/clock.ts';
import { idFrom } from '../../../src/kernel/ids.ts';
import { TrialReminders } from '../../../src/features/licences/expiry.ts';
import type { SubscriptionList } from '../../../src/features/licences/types.ts';
import { assetOf } from '../support/outside.ts';
import { everything } from '../../../src/kernel/paging.ts';
import {
  codeFor,
  connectedChannel,
  licenceBoundTo,
  mailsTo,
  newIdentity,
  newTenant,
} from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';
import { silentLog } from '../../support/silent-log.ts';

const trialDays = 14;

const service = serviceForEach();
let tenant: Tenant;
let start: number;
beforeEach(async () => {
  tenant = await newTenant(service);
  start = service.clock.now();
});

const to = (days: number): void => service.clock.pass(start + days * dayMs - service.clock.now());
const boundTo = (channelId: string) => licenceBoundTo(service, channelId);

/** With this end; null: none. */
async function licence(endsOnDay: number | null): Promise<string> {
  const expiresAt = endsOnDay === null ? null : start + endsOnDay * dayMs;
  const request = { tier: 'pro', source: 'enterprise', expiresAt, autoRenew: false } as const;
  return (await service.features.createSubscription(tenant.accountId, request)).subscription.id;
}

describe('the list of licences', () => {
  const idsOf = ({ items }: SubscriptionList): string[] => items.map(({ subscription }) => subscription.id);

  test('shows each licence with all its channels', async () => {
    const [chat, photo, loose] = [
      await connectedChannel(service, tenant, 'chatapp'),
      await connectedChannel(service, tenant, 'photoapp'),
      await connectedChannel(service, tenant, 'pagechat'),
    ];
    await service.features.bindChannel(loose.id, null);
    service.clock.pass(1);
    const other = await licence(null);
    const { items } = await service.features.listSubscriptions(tenant, everything);
    const channels = items.map((item) => [
      item.subscription.id,
      item.channels.map(({ id }) => id).toSorted(),
    ]);
    expect(channels).toStrictEqual([
      [other, []],
      [tenant.subscriptionId, [chat.id, photo.id].toSorted()],
    ]);
  });

  test('has pages, with each licence once, also those of one moment', async () => {
    for (let n = 0; n < 4; n += 1) {
      service.clock.pass(n % 2);
      await licence(null);
    }
    const whole = await service.features.listSubscriptions(tenant, everything);
    expect([whole.items.length, whole.nextCursor]).toEqual([5, null]);
    const paged: string[] = [];
    const sizes: number[] = [];
    let cursor: SubscriptionList['nextCursor'] = null;
    do {
      const page: SubscriptionList = await service.features.listSubscriptions(tenant, { limit: 3, cursor });
      paged.push(...idsOf(page));
      sizes.push(page.items.length);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect([paged, sizes]).toEqual([idsOf(whole), [3, 2]]);
  });
});

describe('a licence that ends while its list is read', () => {
  test('counts as active, and the list has the time of its count', async () => {
    to(trialDays - 1);
    const asOf = service.clock.now();
    const reading = service.features.listSubscriptions(tenant, everything);
    to(trialDays);
    const { activeTotal, availableSlots, ...found } = await reading;
    expect([activeTotal, availableSlots.chatapp.total, found.asOf]).toEqual([1, 1, asOf]);
  });
});

describe('channels whose licence has ended', () => {
  test('move to the slot that is free, while an unexchanged code holds the better one', async () => {
    const [free, held] = [await licence(30), await licence(null)];
    const stranded = await connectedChannel(service, tenant, 'chatapp');
    await service.features.bindChannel(stranded.id, tenant.subscriptionId);
    to(trialDays - 1 / 1_000);
    await codeFor(service, tenant, assetOf('chatapp', newIdentity()));
    to(trialDays);
    await service.features.turnLicences();
    expect([await boundTo(stranded.id), held === free]).toEqual([free, false]);
    expect((await mailsTo(service, tenant)).map(({ kind }) => kind)).toEqual([]);
  });
});

describe('the reminder of a trial', () => {
  const reminders = (): TrialReminders => {
    const { stores, clock } = service;
    const settings = { graceMs: 0, baseUrl: 'https://trunkline.example' };
    return new TrialReminders(
      Object.assign(Object.create(null), { stores, clock, settings, log: silentLog }),
    );
  };

  test('has an id of its own, and names no inactive channel', async () => {
    const [active, inactive] = [
      await connectedChannel(service, tenant, 'chatapp'),
      await connectedChannel(service, tenant, 'photoapp'),
    ];
    await service.features.deactivateChannel(tenant, inactive.id);
    to(trialDays - 2);
    expect(await reminders().remind()).toBe(1);
    const [mail] = await mailsTo(service, tenant);
    const { subscriptionId } = tenant;
    expect(mail?.id).toBe(idFrom('mail', 'trial-ending', subscriptionId, String(start + trialDays * dayMs)));
    expect(mail?.lines.filter((line) => line.startsWith('- '))).toEqual([`- "${active.name}" (chatapp)`]);
  });

  test('is sent although another licence continues for now, if that ends before the trial', async () => {
    await licence(trialDays - 1);
    to(trialDays - 2);
    expect(await reminders().remind()).toBe(1);
  });

  test('is not counted if another licence continues', async () => {
    await licence(null);
    to(trialDays - 2);
    expect(await reminders().remind()).toBe(0);
  });
});
