/** The portal's home page. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { dayMs, hourMs, minuteMs } from '../../../src/kernel/clock.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { withAttempt } from '../../../src/rules/webhooks/delivery.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { Caller } from '../../../src/rules/caller.ts';
import { aDelivery, aPerson, aTest } from '../../stores/conformance/samples.ts';
import { until } from '../../support/until.ts';
import { homeOf } from '../support/home.ts';
import { connectedChannel, newLicence, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});

const home = (caller: Caller = tenant) => homeOf(service, caller);
const history = async (...of: Parameters<typeof home>) => (await home(...of)).history;
const taken = (attempt: number, latencyMs: number, accountId = tenant.accountId) =>
  service.features.noteAcknowledged({ accountId, attempt, latencyMs });

async function made(...overs: Partial<Delivery>[]): Promise<void> {
  const { accountId } = tenant;
  const writes = overs.map((over) => ({
    write: 'insertDelivery' as const,
    delivery: aDelivery(channel.id, { accountId, createdAt: service.clock.now(), ...over }),
  }));
  await service.channelState.commit(channel.id, 1, writes);
}

/** A delivery that was made, and failed a moment later. */
async function givenUp(of = channel): Promise<void> {
  const at = service.clock.now() - 5;
  const attemptLog = withAttempt(null, { at, durationMs: 5, status: 500, failure: 'status' });
  await made({ channelId: of.id, state: 'failed', payload: null, attemptLog });
  service.features.noteDelivery(of.id, { isTaken: false, attempt: 8, result: '500' });
  service.features.noteGivenUp(of.id);
}

describe('ended deliveries', () => {
  test('are counted in their hour, before and after it is written', async () => {
    taken(1, 15);
    taken(1, 15);
    taken(3, 90_000);
    service.features.noteGivenUp(channel.id);
    const counts = { delivered: 2, retried: 1, givenUp: 1 };
    expect((await history()).periods.at(-1)).toMatchObject(counts);
    await service.features.flushActivity();
    expect((await history()).periods.at(-1)).toMatchObject(counts);
    taken(1, 15);
    expect((await history()).sum).toMatchObject({ ...counts, delivered: 3, within20ms: 3, within5min: 1 });
  });

  test("of the last 24 hours are counted, another account's separately", async () => {
    const other = await newTenant(service);
    taken(1, 15);
    service.clock.pass(hourMs);
    taken(1, 15);
    service.clock.pass(23 * hourMs);
    taken(1, 15, other.accountId);
    const { periods: hours } = await history();
    expect([hours.length, hours.map(({ delivered }) => delivered).slice(0, 3)]).toEqual([24, [1, 0, 0]]);
    expect((await history(other)).sum.delivered).toBe(1);
  });

  test('count as delivered today since midnight', async () => {
    service.clock.pass(dayMs - (service.clock.now() % dayMs) - 1);
    taken(1, 15);
    service.clock.pass(1);
    taken(2, 15);
    service.clock.pass(hourMs);
    const { takenToday, sum: all } = await history();
    expect([takenToday, all.delivered + all.retried]).toEqual([1, 2]);
  });

  test('count by how they ended at last: one that was replayed is no longer given up, in the hour in which it was', async () => {
    const gaveUpAt = service.clock.now();
    service.features.noteGivenUp(channel.id);
    service.features.noteGivenUp(channel.id);
    await service.features.flushActivity();
    service.clock.pass(hourMs);
    service.features.noteGivenUp(channel.id, gaveUpAt, -1);
    taken(1, 15);
    const { periods: hours, sum: all } = await history();
    expect(all).toMatchObject({ delivered: 1, givenUp: 1 });
    expect(hours.slice(-2)).toMatchObject([{ givenUp: 1 }, { delivered: 1, givenUp: 0 }]);
    await service.features.flushActivity();
    expect((await history()).sum).toMatchObject({ delivered: 1, givenUp: 1 });
  });

  test('never count as less than none, also if the node that counted them has died', async () => {
    service.features.noteGivenUp(channel.id, service.clock.now(), -1);
    expect((await history()).sum.givenUp).toBe(0);
  });

  test.each([
    ['24h', hourMs, 24],
    ['7d', 6 * hourMs, 28],
    ['30d', dayMs, 30],
  ] as const)('of the last %s are counted in periods, each once', async (span, periodMs, count) => {
    const over = async () => (await homeOf(service, tenant, span)).history;
    service.clock.pass(periodMs - (service.clock.now() % periodMs));
    taken(1, 15);
    service.clock.pass(periodMs - 1);
    taken(2, 15);
    service.features.noteGivenUp(channel.id);
    service.clock.pass(1);
    taken(1, 15);
    const { periods, sum } = await over();
    const counts = periods.map((each) => [each.delivered, each.retried, each.givenUp]);
    expect([counts.length, ...counts.slice(-3)]).toEqual([count, [0, 0, 0], [1, 1, 1], [1, 0, 0]]);
    expect(periods.map((each) => each.until - each.at)).toEqual(counts.map(() => periodMs));
    expect(periods.at(-1)?.at).toBe(service.clock.now());
    expect(sum).toMatchObject({ delivered: 2, retried: 1, givenUp: 1 });
    await service.features.flushActivity();
    service.clock.pass((count - 1) * periodMs);
    expect((await over()).sum).toMatchObject({ delivered: 1, retried: 0, givenUp: 0 });
  });

  test('before the account are unknown, and without any are none', async () => {
    const known = async () => (await history()).periods.map(({ isKnown }) => isKnown);
    expect(await known()).toEqual([...Array.from({ length: 23 }, () => false), true]);
    service.clock.pass(2 * hourMs);
    expect((await known()).slice(-4)).toEqual([false, true, true, true]);
  });

  test('of a deleted channel count for nobody', async () => {
    service.features.noteGivenUp(newId());
    await service.features.flushActivity();
    expect((await history()).sum.givenUp).toBe(0);
  });
});

test('pending ones are counted over all channels', async () => {
  await made({}, {}, { state: 'delivered', payload: null });
  expect((await home()).waiting).toEqual({ count: 2, isMore: false });
  expect((await home(await newTenant(service))).waiting).toEqual({ count: 0, isMore: false });
});

describe('failed deliveries', () => {
  let viewer: Caller;
  beforeEach(async () => {
    viewer = await aPersonOf(tenant);
  });

  async function aPersonOf({ accountId, apiKeyId }: Tenant): Promise<Caller> {
    const person = aPerson({ accountId });
    await service.stores.people.insert(person);
    return { accountId, apiKeyId, person: { id: person.id, email: person.email } };
  }
  /** Resolves once the visit is stored. */
  async function looked(caller: Caller) {
    const at = service.clock.now();
    const seen = await home(caller);
    await until('the look to be noted', async () => {
      const person = await service.stores.people.byId(caller.person?.id ?? '');
      return person?.homeSeenAt === at;
    });
    return seen.givenUp;
  }
  const counts = ({ channels }: Awaited<ReturnType<typeof looked>>) =>
    channels.map(({ channel: { id }, count, isMore }) => [id, count, isMore]);

  test("are news until the person's next visit, for each person separately", async () => {
    await givenUp();
    const startedAt = service.clock.now();
    expect(await looked(viewer)).toMatchObject({ since: null, channels: [{ count: 1 }] });
    service.clock.pass(hourMs);
    expect(await looked(viewer)).toEqual({ since: startedAt, logDays: 7, channels: [], isMore: false });
    const other = await aPersonOf(tenant);
    expect(counts(await looked(other))).toEqual([[channel.id, 1, false]]);
    service.clock.pass(hourMs);
    await givenUp();
    expect(counts(await looked(viewer))).toEqual([[channel.id, 1, false]]);
  });

  test('do not include webhook tests', async () => {
    const { accountId } = tenant;
    const ada = await aPersonOf(tenant);
    await looked(ada);
    service.clock.pass(hourMs);
    const tried = aTest(channel.id, { accountId, state: 'failed', createdAt: service.clock.now() - 5 });
    await service.stores.deliveryLog.addTest(tried);
    await givenUp();
    expect(counts(await looked(ada))).toEqual([[channel.id, 1, false]]);
  });

  test('stay on the page while it is reloaded', async () => {
    await looked(viewer);
    service.clock.pass(hourMs);
    await givenUp();
    service.clock.pass(minuteMs);
    expect(counts(await looked(viewer))).toHaveLength(1);
    service.clock.pass(6 * minuteMs);
    expect(counts(await looked(viewer))).toHaveLength(1);
  });

  test('that were made before the last visit and failed after it are news', async () => {
    await looked(viewer);
    const createdAt = service.clock.now() - 10 * minuteMs;
    service.clock.pass(5 * minuteMs);
    const at = service.clock.now();
    const attemptLog = withAttempt(null, { at, durationMs: 5, status: 500, failure: 'status' });
    await made({ state: 'failed', payload: null, attemptLog, createdAt });
    service.features.noteDelivery(channel.id, { isTaken: false, attempt: 8, result: '500' });
    service.clock.pass(hourMs);
    expect(counts(await looked(viewer))).toEqual([[channel.id, 1, false]]);
  });

  test('are counted up to a bound', async () => {
    const log = withAttempt(null, { at: service.clock.now(), durationMs: 5, status: 500, failure: 'status' });
    const failed = { state: 'failed', payload: null, attemptLog: log } as const;
    await made(...Array.from({ length: 130 }, () => failed));
    service.features.noteDelivery(channel.id, { isTaken: false, attempt: 8, result: '500' });
    expect(counts(await looked(viewer))).toEqual([[channel.id, 100, true]]);
  });
});

describe('licences', () => {
  const endings = async () => (await home()).endingLicences.map(({ id }) => id);

  test('that end within a week are shown, the first to end first', async () => {
    expect(await endings()).toEqual([]); // the trial has 14 days
    const now = service.clock.now();
    const [soon, later, renewed] = [
      await newLicence(service, tenant),
      await newLicence(service, tenant),
      await newLicence(service, tenant),
    ];
    await service.features.updateSubscription(later, { expiresAt: now + 8 * dayMs });
    await service.features.updateSubscription(soon, { expiresAt: now + 2 * dayMs });
    await service.features.updateSubscription(renewed, { expiresAt: now + dayMs, autoRenew: true });
    expect(await endings()).toEqual([soon]);
    service.clock.pass(dayMs + 1);
    expect(await endings()).toEqual([soon, later]);
    service.clock.pass(6 * dayMs);
    expect(await endings()).toEqual([later, tenant.subscriptionId]);
  });

  test('that were not renewed are shown during their grace period', async () => {
    const now = service.clock.now();
    const terms = {
      tier: 'pro',
      source: 'billing_provider',
      expiresAt: now + dayMs,
      autoRenew: true,
    } as const;
    const { subscription } = await service.features.createSubscription(tenant.accountId, terms);
    expect(await endings()).toEqual([]);
    service.clock.pass(dayMs + 1);
    expect(await endings()).toEqual([subscription.id]);
    service.clock.pass(3 * dayMs);
    expect(await endings()).toEqual([]);
  });
});

test('the next steps are shown, and the state of the channels', async () => {
  const seen = await home();
  expect(seen.hasKey).toBe(true);
  expect(seen.channels.items.map(({ channel: { id } }) => id)).toEqual([channel.id]);
  expect(service.health.probed).toEqual([]);
});
