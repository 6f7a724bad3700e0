/** A large account: pages for people stay quick to read. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { EventType } from '../../../src/rules/events/table.ts';
import { withAttempt } from '../../../src/rules/webhooks/delivery.ts';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import { aDelivery } from '../../stores/conformance/samples.ts';
import { homeOf } from '../support/home.ts';
import { connectedChannel, newTenant, openService } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';

const channelsMade = 100;
const deliveriesMade = 12_000;
const attemptsOfEach = 9;
const rare = 30;
const licence = { tier: 'pro', source: 'enterprise', expiresAt: null, autoRenew: false } as const;

let service: Service;
let tenant: Tenant;
let busy: Channel;
beforeAll(async () => {
  service = await openService();
  tenant = await newTenant(service);
  for (let count = 0; count < channelsMade; count += 1) {
    if (count > 0) await service.features.createSubscription(tenant.accountId, licence);
    busy = await connectedChannel(service, tenant, 'pagechat');
  }
  await fill();
}, 300_000);
afterAll(() => service.close());

/** A hundred thousand deliveries, with a few failed ones at the far end. */
async function fill(): Promise<void> {
  const now = service.clock.now();
  let attemptLog: string | null = null;
  for (let n = 0; n < attemptsOfEach; n += 1) {
    attemptLog = withAttempt(attemptLog, {
      at: now - 9_000 + n,
      durationMs: 12,
      status: 503,
      failure: 'status',
    });
  }
  const { accountId } = tenant;
  for (let made = 0; made < deliveriesMade; made += 4_000) {
    const writes = Array.from({ length: 4_000 }, (_, n) => {
      const isRare = made + n < rare;
      const state = isRare ? ('failed' as const) : ('delivered' as const);
      const event: EventType = isRare ? 'message.echo' : 'message.received';
      const over = { accountId, state, event, payload: null, attempts: attemptsOfEach, attemptLog };
      return {
        write: 'insertDelivery' as const,
        delivery: aDelivery(busy.id, { ...over, createdAt: now - deliveriesMade + made + n }),
      };
    });
    await service.channelState.commit(busy.id, 1, writes);
  }
}

test('the number of its channels is asked for, however many are listed', async () => {
  const { channels, channelsTotal } = await service.features.inspectAccount(tenant.accountId);
  expect([channels.length, channelsTotal]).toEqual([channelsMade, channelsMade]);
});

test('channels come in pages, each once, with its health', async () => {
  const seen = new Set<string>();
  let pages = 0;
  let cursor: PagePosition | null = null;
  do {
    const page = await service.features.listChannelsWithHealth(tenant, { limit: 50, cursor });
    expect(page.items.length).toBeLessThanOrEqual(50);
    for (const { channel } of page.items) seen.add(channel.id);
    pages += 1;
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect([seen.size, pages]).toEqual([channelsMade, channelsMade / 50]);
});

test('a page of a long log has at most the requested entries', async () => {
  const any = { event: null, state: null };
  const first = await service.features.listDeliveries(tenant, busy.id, any, { limit: 50, cursor: null });
  expect(first.items.map(({ attempts }) => attempts)).toEqual(
    Array.from({ length: 50 }, () => attemptsOfEach),
  );
  const next = await service.features.listDeliveries(tenant, busy.id, any, {
    limit: 50,
    cursor: first.nextCursor,
  });
  expect(next.items[0]?.createdAt).toBe((first.items.at(-1)?.createdAt ?? 0) - 1);
});

test('the few failed ones at the end are found with one page', async () => {
  const failed = { event: null, state: 'failed' as const };
  const found = await service.features.listDeliveries(tenant, busy.id, failed, { limit: 50, cursor: null });
  expect([found.items.length, found.nextCursor]).toEqual([rare, null]);
});

test('a rare event is searched for in bounded parts, and found', async () => {
  const echoes = { event: 'message.echo' as const, state: null };
  let found = 0;
  let calls = 0;
  let cursor: PagePosition | null = null;
  do {
    const page = await service.features.listDeliveries(tenant, busy.id, echoes, { limit: 50, cursor });
    found += page.items.length;
    calls += 1;
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect([found, calls]).toEqual([rare, Math.ceil(deliveriesMade / 5_000)]);
});

test('searches of one account run one after another, and others are answered meanwhile [faults: 179]', async () => {
  const { deliveryLog } = service.stores;
  const list = deliveryLog.list.bind(deliveryLog);
  let [running, most] = [0, 0];
  deliveryLog.list = async (query) => {
    running += 1;
    most = Math.max(most, running);
    return list(query).finally(() => (running -= 1));
  };
  const other = await newTenant(service);
  const { id } = await connectedChannel(service, other, 'pagechat');
  const echoes = { event: 'message.echo' as const, state: null };
  const ended: string[] = [];
  const searches = Array.from({ length: 40 }, () =>
    service.features.listDeliveries(tenant, busy.id, echoes, { limit: 50, cursor: null }).then(
      () => void ended.push('found'),
      ({ status }) => void ended.push(`refused ${status}`),
    ),
  );
  await service.features.listDeliveries(other, id, echoes, { limit: 50, cursor: null });
  ended.push('of the other');
  await Promise.all(searches);
  deliveryLog.list = list;
  expect(most).toBe(2);
  expect(ended.filter((end) => end === 'found')).toHaveLength(33);
  expect(ended.filter((end) => end === 'refused 429')).toHaveLength(7);
  expect(ended.indexOf('of the other')).toBeLessThan(9);
});

test('Home reads all of its channels, but few deliveries', async () => {
  service.features.noteDelivery(busy.id, { isTaken: false, attempt: 9, result: '503' });
  const { channels, givenUp } = await homeOf(service, tenant);
  expect([channels.items.length, givenUp.channels.map(({ count }) => count)]).toEqual([channelsMade, [rare]]);
});

test('a subscriber that missed everything gets everything, at most a page in memory at once', async () => {
  let heard = 0;
  let most = 0;
  for await (const page of service.features.missedEvents(
    tenant.accountId,
    service.clock.now() - deliveriesMade,
  )) {
    heard += page.length;
    most = Math.max(most, page.length);
  }
  expect([heard, most]).toEqual([deliveriesMade, 100]);
});
