/** [operator-interface §2, DELIVERY_LOG_DAYS] Finished work is erased at the end of its retention, however short that is. */
import { expect, test } from '@jest/globals';
import { makeInProcessJobs } from '../../src/jobs/in-process.ts';
import { lapseLicences } from '../../src/features/licences/expiry.ts';
import { makeMailer } from '../../src/features/mails/mailer.ts';
import { runHousekeeping } from '../../src/app/housekeeping.ts';
import { scheduleJobs } from '../../src/app/jobs.ts';
import { dayMs } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { RequestLog } from '../../src/features/requests/request-log.ts';
import { Transcripts } from '../../src/features/deliveries/transcripts.ts';
import { Quarantine } from '../../src/features/quarantine/quarantine.ts';
import { silentLog as log } from '../support/silent-log.ts';
import { aDelivery, aMail, aPass } from '../stores/conformance/samples.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';
import { newTenant } from '../features/support/service.ts';
import { serviceForEach } from '../features/support/shared-service.ts';
import { plainSealer } from '../actors/support/plain-sealer.ts';

const service = serviceForEach();

/** Starts it; returns the function that stops it. */
async function keepHouse(
  clock: FakeClock,
  deliveryLogDays: number,
  stores = service.stores,
): Promise<() => Promise<void>> {
  const jobs = makeInProcessJobs({ clock, log });
  const { features: own, router } = service;
  const counters = { increment: () => undefined };
  const mailing = { mails: stores.mails, accounts: stores.accounts, people: stores.people };
  const mailer = makeMailer({
    smtpUrl: null,
    sealer: plainSealer,
    from: null,
    baseUrl: 'https://trunkline.example',
    ...mailing,
    counters,
    clock,
    log,
  });
  const times = { deliveryLogDays, healthCheckIntervalMs: dayMs, digestIntervalMs: 900_000 };
  const settings = { ...times, hasOlderKeys: false };
  const parts = { stores, own, router, mailer, clock, log };
  await scheduleJobs({ ...parts, ...settings, ownJobs: jobs, sharedJobs: jobs });
  clock.advance(60_000);
  return () => jobs.stop();
}

/** The ages in days of the finished deliveries that are still stored. */
async function keptOf(ages: readonly number[], deliveryLogDays: number, left: number): Promise<number[]> {
  const clock = new FakeClock();
  const channelId = newId();
  const deliveries = ages.map((days) => {
    const createdAt = clock.now() - days * dayMs;
    return aDelivery(channelId, { state: 'delivered', payload: null, createdAt });
  });
  const writes = deliveries.map((delivery) => ({ write: 'insertDelivery' as const, delivery }));
  await service.channelState.commit(channelId, 1, writes);
  const stop = await keepHouse(clock, deliveryLogDays);
  const ids = deliveries.map(({ id }) => id);
  const kept = await until('the old ones to be erased', async () => {
    const found = await service.channelState.findDeliveries(channelId, ids);
    return found.length <= left ? found : null;
  });
  await stop();
  return ages.filter((_, at) => kept.includes(ids[at] ?? ''));
}

test.each([
  { days: 3, kept: [0.5, 2] },
  { days: 0, kept: [0.5] },
  { days: 30, kept: [0.5, 2, 4, 9] },
])('DELIVERY_LOG_DAYS=$days keeps those of $kept days', async ({ days, kept }) => {
  expect(await keptOf([0.5, 2, 4, 9, 40], days, kept.length)).toEqual(kept);
});

test('[faults: 457] a node whose clock is ahead of the server of the store erases nothing that has not expired, and ends no licence', async () => {
  const { stores: own, features, clock, world } = service;
  const now = clock.now();
  const dueWork = { ...own.dueWork, serverTime: async () => now };
  const stores = { ...own, dueWork };
  const { accountId } = await newTenant(service);
  const [licence] = await own.subscriptions.list(accountId);
  const pass = aPass({ expiresAt: now + 3_600_000 });
  await own.passes.insert(pass);
  const isThere = async (): Promise<boolean> => (await own.passes.find(pass.id, pass.kind, now)) !== null;
  clock.pass(30 * dayMs);
  const times = { deliveryLogDays: 7, digestIntervalMs: 900_000 };
  const keep = (over: typeof own) =>
    runHousekeeping(
      { stores: over, own: features, clock, log: world.log, ...times },
      new AbortController().signal,
    );

  await keep(stores);
  await lapseLicences({ ...world, stores });
  expect([await isThere(), (await own.subscriptions.list(accountId))[0]]).toEqual([true, licence]);
  expect(service.told).toContainEqual(expect.objectContaining({ msg: 'clock.ahead', level: 'warn' }));

  await keep(own);
  await lapseLicences(world);
  expect(await isThere()).toBe(false);
  expect((await own.subscriptions.list(accountId))[0]?.status).toBe('expired');
});

test('[faults: 457] a running node whose clock was set back days behind the server says so', async () => {
  const { stores: own, features, clock, world } = service;
  const dueWork = { ...own.dueWork, serverTime: async () => clock.now() + 2 * dayMs };
  const times = { deliveryLogDays: 7, digestIntervalMs: 900_000 };
  const parts = { stores: { ...own, dueWork }, own: features, clock, log: world.log, ...times };
  await runHousekeeping(parts, new AbortController().signal);
  const told = { msg: 'clock.behind', level: 'warn', ms: 2 * dayMs };
  expect(service.told).toContainEqual(expect.objectContaining(told));
});

test('[faults: 454] a mail is not erased before the end of the digest that it waits for', async () => {
  const { stores, features: own, clock } = service;
  const accountId = newId();
  const now = clock.now();
  for (const days of [29, 39]) {
    const at = { createdAt: now - days * dayMs, sendAfter: now + (30 - days) * dayMs };
    await stores.mails.add(aMail({ id: `${days}`, accountId, kind: 'delivery-digest', ...at }));
  }
  const digestIntervalMs = 30 * dayMs;
  const parts = { stores, own, clock, log, deliveryLogDays: 7, digestIntervalMs };
  await runHousekeeping(parts, new AbortController().signal);
  const left = await stores.mails.list(accountId, { limit: 9, cursor: null });
  expect(left.items.map(({ id }) => id)).toEqual(['29']);
});

test('other expired data is erased while a sweep of the log takes hours', async () => {
  const clock = new FakeClock();
  const createdAt = clock.now() - 40 * dayMs;
  const of = { channelId: newId(), accountId: newId() };
  const asked = { since: 0, until: createdAt, events: null, total: 1, createdAt, openSince: null };
  await service.stores.replays.begin({ id: newId(), ...of, ...asked }, 20);
  const dropFinished = (_: number, stopping?: AbortSignal): Promise<number> =>
    new Promise((resolve) => stopping?.addEventListener('abort', () => resolve(0)));
  const stores = { ...service.stores, dueWork: { ...service.stores.dueWork, dropFinished } };

  const stop = await keepHouse(clock, 7, stores);

  await until('the old replay to be erased', async () => (await stores.replays.latest(of)) === null);
  await stop();
});

/** Records that call `sweep` instead of erasing, for everything that housekeeping erases in slices. */
function watched(sweep: (what: string, stopping: unknown) => void) {
  const { stores, features: own } = service;
  const as =
    (what: string) =>
    async (...given: readonly unknown[]): Promise<number> => {
      sweep(what, given.at(-1));
      return 0;
    };
  return {
    stores: {
      ...stores,
      setupSessions: { ...stores.setupSessions, dropExpired: as('sessions') },
      media: { ...stores.media, dropExpired: as('media') },
      passes: { ...stores.passes, dropExpired: as('passes') },
      mails: { ...stores.mails, dropLinks: as('links'), dropOlder: as('mails') },
      idempotency: { ...stores.idempotency, dropOlder: as('idempotency') },
      replays: { ...stores.replays, dropOlder: as('replays') },
      deliveryHours: { ...stores.deliveryHours, dropOlder: as('hours') },
      audit: { ...stores.audit, dropOlder: as('audit') },
    },
    own: {
      ...own,
      trimBuffers: async (stopping?: AbortSignal) => sweep('buffers', stopping),
      sweepKeptDeliveries: async (stopping?: AbortSignal) => sweep('kept', stopping),
      dropOldTemplates: async (stopping?: AbortSignal) => sweep('templates', stopping),
      trimAudit: async (stopping?: AbortSignal) => sweep('entries beyond the bound', stopping),
    },
  };
}

test.each([
  'sessions',
  'media',
  'passes',
  'links',
  'idempotency',
  'buffers',
  'kept',
  'replays',
  'hours',
  'templates',
  'audit',
  'entries beyond the bound',
  'mails',
])('a stop reaches the sweep of %s, and no later one begins', async (what) => {
  const stopping = new AbortController();
  const begun: [string, unknown][] = [];
  const parts = watched((name, signal) => {
    begun.push([name, signal]);
    if (name === what) stopping.abort();
  });
  const times = { deliveryLogDays: 7, digestIntervalMs: 900_000 };
  await runHousekeeping({ ...parts, clock: service.clock, log, ...times }, stopping.signal);
  expect(begun.at(-1)).toEqual([what, stopping.signal]);
});

test('a sweep of kept deliveries ends with a stop', async () => {
  const { keptDeliveries } = service.stores;
  const channels = async () => ['a', 'b'];
  const swept: string[] = [];
  const stopping = new AbortController();
  const sweep = async (channelId: string) => {
    swept.push(channelId);
    stopping.abort();
    return 0;
  };
  service.stores.keptDeliveries = { ...keptDeliveries, channels, sweep };
  await service.features.sweepKeptDeliveries(stopping.signal);
  expect(swept).toEqual(['a']);
});

test('a stop reaches the trims of quarantined items, requests and transcripts', async () => {
  const { clock, stores } = service;
  const { signal } = new AbortController();
  const given: unknown[] = [];
  const trim = async (_most: number, _since: number, stopping?: AbortSignal): Promise<number> =>
    given.push(stopping);
  const sealer = plainSealer;
  const all = [
    new Quarantine({ ...stores.quarantine, trim }, { byIdentity: async () => new Map() }, clock),
    new RequestLog({ ...stores.requestLog, trim }, clock),
    new Transcripts({ store: { ...stores.transcripts, trim }, sealer, clock, keptMs: 1 }),
  ];
  for (const each of all) await each.trim(signal);
  expect(given).toEqual([signal, signal, signal]);
});
