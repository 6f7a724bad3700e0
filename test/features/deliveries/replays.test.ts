/** [operator-interface §3, §4: content of given-up events] Failed deliveries that are kept, replayed, and erased. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { AskedReplay } from '../../../src/features/deliveries/types.ts';
import { keptDelivery, madeDelivery } from '../support/deliveries.ts';
import { connectedChannel, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await aChannel('chatapp');
  service.router.told.length = 0;
  service.router.unreachable.clear();
});

/** Keeps failed deliveries for a week. */
async function aChannel(
  type: Channel['channelType'],
  webhookUrl: string | null = 'https://app.example.com/in',
) {
  const { id } = await connectedChannel(service, tenant, type);
  const patch = { webhookUrl, webhookEvents: ['message.received'], failedRetentionDays: 7 };
  return (await service.features.updateChannel(tenant, id, patch)).channel;
}

const kept = (agoMs: number, over: Partial<Delivery> = {}, of = channel) =>
  keptDelivery(service, of, agoMs, over);
const asked = (over: Partial<AskedReplay> = {}): AskedReplay => ({
  since: 0,
  until: null,
  events: null,
  ...over,
});
const replay = (over: Partial<AskedReplay> = {}, caller = tenant) =>
  service.features.replayDeliveries(caller, channel.id, asked(over));
const open = () => service.stores.replays.allOpen(channel.id, 100);
const replaysTold = () => service.router.told.filter(({ message }) => message.type === 'replay');

describe('a replay', () => {
  test("is stored, and its channel's owner is informed; the answer has the number of deliveries", async () => {
    await kept(30);
    await kept(10);
    const now = service.clock.now();
    expect(await replay({ since: now - 20 })).toEqual({ replaying: 1 });
    expect(await open()).toEqual([
      {
        id: expect.any(String),
        channelId: channel.id,
        accountId: tenant.accountId,
        since: now - 20,
        until: now,
        events: null,
        total: 1,
        createdAt: now,
        openSince: now,
      },
    ]);
    expect(replaysTold()).toEqual([{ channelId: channel.id, message: { type: 'replay' } }]);
  });

  test('covers failures up to a time, of the given events', async () => {
    await kept(30);
    await kept(20, { event: 'message.read' });
    const at = service.clock.now();
    expect(await replay({ until: at - 25 })).toEqual({ replaying: 1 });
    expect(await replay({ events: ['message.read'] })).toEqual({ replaying: 1 });
    expect((await open()).map(({ until, events }) => [until, events])).toEqual([
      [at - 25, null],
      [at, ['message.read']],
    ]);
  });

  test('covers nothing that fails after the request', async () => {
    await kept(10);
    await replay({ until: service.clock.now() + dayMs });
    expect((await open()).map(({ until }) => until)).toEqual([service.clock.now()]);
  });

  test('of nothing is none', async () => {
    expect(await replay()).toEqual({ replaying: 0 });
    expect([await open(), replaysTold()]).toEqual([[], []]);
  });

  test.each([{ webhookUrl: null }, { webhookEvents: [] }, { webhookEvents: null }])(
    'is 409 if nothing can be posted: %j',
    async (patch) => {
      await kept(10);
      await service.features.updateChannel(tenant, channel.id, patch);
      expect(await refusalOf(replay())).toEqual({
        status: 409,
        detail: 'The channel has no webhook_url or no webhook_events: no event can be delivered',
      });
    },
  );

  test('is 409 while the channel has twenty open ones', async () => {
    await kept(10);
    for (let n = 0; n < 20; n += 1) await replay();
    expect(await refusalOf(replay())).toEqual({
      status: 409,
      detail: '20 replays of the channel are running: wait until one has ended',
    });
    const [first] = await open();
    await service.stores.replays.end(first?.id ?? '');
    expect(await replay()).toEqual({ replaying: 1 });
  });

  test('is one of at most twenty, however many are requested at once', async () => {
    await kept(10);
    const asking = await Promise.allSettled(Array.from({ length: 30 }, () => replay()));
    expect(asking.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect([(await open()).length, replaysTold().length]).toEqual([20, 20]);
  });

  test('of another account’s channel is 404', async () => {
    const stranger = await newTenant(service);
    expect((await refusalOf(replay({}, stranger))).status).toBe(404);
    expect((await refusalOf(service.features.replayProgress(stranger, channel.id, null))).status).toBe(404);
  });
});

describe('the progress of a replay', () => {
  const progress = () => service.features.replayProgress(tenant, channel.id, null);

  test('is the number of deliveries that are revived already, until it has ended', async () => {
    expect(await progress()).toBeNull();
    await kept(20);
    await kept(10);
    const askedAt = service.clock.now();
    await replay();
    expect(await progress()).toEqual({ total: 2, begun: 0, isRunning: true, askedAt });
    await service.stores.keptDeliveries.erase(channel.id, askedAt - 15);
    expect(await progress()).toEqual({ total: 2, begun: 1, isRunning: true, askedAt });
    const [only] = await open();
    await service.stores.replays.end(only?.id ?? '');
    expect(await progress()).toEqual({ total: 2, begun: 2, isRunning: false, askedAt });
  });

  test('is 0 while there are more kept deliveries than at its start', async () => {
    await kept(10);
    await replay();
    await kept(5);
    expect(await progress()).toMatchObject({ total: 1, begun: 0 });
  });
});

describe('over all channels', () => {
  const all = (over: Partial<AskedReplay> = {}) => service.features.replayAll(tenant, null, asked(over));
  const progress = () => service.features.replaysProgress(tenant, null, null);

  test('channels whose deliveries cannot be posted are skipped, and counted', async () => {
    const silent = await aChannel('pagechat', null);
    await kept(10);
    for (let n = 0; n < 2; n += 1) await kept(10, {}, silent);
    expect(await all()).toEqual({ begun: 1, left: 2 });
  });

  test('deliveries of inactive channels, or of channels that keep nothing any more, are not counted', async () => {
    const other = await aChannel('pagechat');
    await kept(10, {}, other);
    await service.stores.channels.deactivate(other.id, tenant.accountId);
    expect(await service.features.countKept(tenant, null, asked())).toBe(0);
    const third = await connectedChannel(service, tenant, 'photoapp');
    await kept(10, {}, third);
    await kept(10);
    expect(await service.features.countKept(tenant, null, asked())).toBe(1);
    expect(await service.features.countKept(tenant, null, asked({ until: service.clock.now() - 11 }))).toBe(
      0,
    );
    expect(await service.features.countKept(tenant, third.id, asked())).toBe(1);
  });

  test('a given channel is replayed alone', async () => {
    const other = await aChannel('pagechat');
    await kept(10);
    await kept(10, {}, other);
    expect(await service.features.replayAll(tenant, other.id, asked())).toEqual({ begun: 1, left: 0 });
    expect(await open()).toEqual([]);
  });

  test('a failure of the store is no refusal: it is thrown', async () => {
    await kept(10);
    const { replays } = service.stores;
    service.stores.replays = { ...replays, begin: () => Promise.reject(new StoreUnavailable('away')) };
    await expect(all()).rejects.toThrow('away');
    service.stores.replays = replays;
  });

  /** The first replay begins, the next ones do not. */
  const beginsThen = (failure: Error): void => {
    const { replays } = service.stores;
    let begun = 0;
    service.stores.replays = {
      ...replays,
      begin(...which) {
        begun += 1;
        return begun > 1 ? Promise.reject(failure) : replays.begin(...which);
      },
    };
  };

  test('replays started before the store went down are reported, as incomplete', async () => {
    const other = await aChannel('pagechat');
    const { replays } = service.stores;
    await kept(10);
    await kept(10, {}, other);
    beginsThen(new StoreUnavailable('away'));
    const first = await all();
    service.stores.replays = replays;
    expect(first).toEqual({ begun: 1, left: 0, isCutShort: true });
  });

  test.each([
    ['of the service', fault('internal')],
    ['of the code', new TypeError('a bug')],
  ])('an internal error %s is thrown, although some have started', async (_words, defect) => {
    const other = await aChannel('pagechat');
    const { replays } = service.stores;
    await kept(10);
    await kept(10, {}, other);
    beginsThen(defect);
    const first = await all().catch((thrown: unknown) => thrown);
    service.stores.replays = replays;
    expect(first).toBe(defect);
  });

  test.each([['rate_limited'], ['overloaded']] as const)(
    'replays started before the service was too busy (%s) are reported, as incomplete',
    async (code) => {
      const other = await aChannel('pagechat');
      const { replays } = service.stores;
      await kept(10);
      await kept(10, {}, other);
      beginsThen(fault(code, { retryAfter: 1 }));
      const first = await all();
      const second = await refusalOf(all());
      service.stores.replays = replays;
      expect(first).toEqual({ begun: 1, left: 0, isCutShort: true });
      expect(second.status).toBe(code === 'overloaded' ? 503 : 429);
      expect(replaysTold()).toHaveLength(1);
    },
  );

  test('the last of hundreds of channels is counted and replayed, in one request', async () => {
    const many = Array.from({ length: 300 }, () => ({ ...channel, id: newId() }));
    const { channels } = service.stores;
    const among: typeof channels.among = async (accountId, ids) =>
      new Map(
        many
          .filter((each) => accountId === each.accountId && ids.includes(each.id))
          .map((each) => [each.id, each]),
      );
    service.stores.channels = { ...channels, among };
    for (const n of [0, 299, 299]) await kept(10, {}, many[n]);
    const counted = await service.features.countKept(tenant, null, asked());
    const outcome = await all();
    service.stores.channels = channels;
    expect([counted, outcome]).toEqual([3, { begun: 3, left: 0 }]);
    const [last] = await service.stores.replays.allOpen(many[299]!.id, 1);
    expect(last?.total).toBe(2);
    expect(await progress()).toMatchObject({ total: 3, begun: 0, isRunning: true });
  });

  test('the last replays have ended once all of them have', async () => {
    const other = await aChannel('pagechat');
    for (const each of [channel, other]) {
      await kept(10, {}, each);
      await service.features.replayDeliveries(tenant, each.id, asked());
      const [begun] = await service.stores.replays.allOpen(each.id, 1);
      await service.stores.replays.end(begun?.id ?? '');
    }
    expect(await progress()).toMatchObject({ total: 2, begun: 2, isRunning: false });
  });

  test('the last replays are reported together while one runs, and for ten minutes', async () => {
    const other = await aChannel('pagechat');
    await kept(10);
    for (let n = 0; n < 2; n += 1) await kept(10, {}, other);
    const askedAt = service.clock.now();
    await replay();
    service.clock.pass(1_000);
    await service.features.replayDeliveries(tenant, other.id, asked());
    expect(await progress()).toEqual({ total: 3, begun: 0, isRunning: true, askedAt });
    const [first] = await open();
    await service.stores.replays.end(first?.id ?? '');
    expect(await progress()).toEqual({ total: 3, begun: 1, isRunning: true, askedAt });
    service.clock.pass(599_000);
    expect(await progress()).toEqual({ total: 2, begun: 0, isRunning: true, askedAt: askedAt + 1_000 });
    expect(await service.features.replaysProgress(tenant, channel.id, null)).toBeNull();
    const [second] = await service.stores.replays.allOpen(other.id, 1);
    await service.stores.replays.end(second?.id ?? '');
    expect(await progress()).toMatchObject({ begun: 2, isRunning: false });
    service.clock.pass(1_000);
    expect(await progress()).toBeNull();
  });
});

describe('ticked deliveries', () => {
  test('are reported up to where the service became too busy', async () => {
    const other = await aChannel('pagechat');
    const waiting = [await madeDelivery(service, channel, 10), await madeDelivery(service, other, 10)];
    const which = waiting.map(({ id, channelId }) => ({ channelId, deliveryId: id }));
    service.router.unreachable.set(other.id, fault('unavailable'));
    const outcome = await service.features.retryDeliveries(tenant, which);
    expect(outcome).toEqual({ begun: 1, left: 0, isCutShort: true });
  });

  test('stop at an error that is no refusal', async () => {
    const waiting = await madeDelivery(service, channel, 10);
    const which = [{ channelId: channel.id, deliveryId: waiting.id }];
    const busy = fault('unavailable');
    service.router.unreachable.set(channel.id, busy);
    await expect(service.features.retryDeliveries(tenant, which)).rejects.toBe(busy);
  });
});

describe('a node', () => {
  test('informs the owners of all channels with an unfinished replay', async () => {
    const ids = Array.from({ length: 201 }, () => newId());
    for (const channelId of ids) {
      const which = { since: 0, until: 1, events: null, total: 1, createdAt: 1, openSince: 1 };
      await service.stores.replays.begin(
        { id: newId(), channelId, accountId: tenant.accountId, ...which },
        20,
      );
    }
    const { replays } = service.stores;
    let reads = 0;
    const channels: typeof replays.channels = (after, limit) => {
      reads += 1;
      return replays.channels(after, limit);
    };
    service.stores.replays = { ...replays, channels };
    await service.features.resumeReplays();
    service.stores.replays = replays;
    expect(reads).toBe(2);
    const told = new Set(replaysTold().map(({ channelId }) => channelId));
    expect(replaysTold()).toHaveLength(told.size);
    expect(ids.filter((id) => !told.has(id))).toEqual([]);
  });

  const left = ({ id }: Pick<Channel, 'id'> = channel) =>
    service.stores.keptDeliveries.count(id, { since: 0, until: service.clock.now(), events: null });

  test("erases deliveries that are older than their channel's retention, and informs the owner, who has room again", async () => {
    await kept(7 * dayMs);
    await kept(7 * dayMs - 1);
    await service.features.sweepKeptDeliveries();
    expect(await left()).toBe(1);
    expect(service.router.told).toEqual([{ channelId: channel.id, message: { type: 'settings-changed' } }]);
    await service.features.sweepKeptDeliveries();
    expect(service.router.told).toHaveLength(1);
  });

  test('erases all kept deliveries of channels that are inactive, keep nothing, or are deleted', async () => {
    const silent = await connectedChannel(service, tenant, 'pagechat');
    const inactive = await aChannel('photoapp');
    const gone = { ...channel, id: newId() };
    for (const each of [channel, silent, inactive, gone]) await kept(0, {}, each);
    await service.stores.channels.deactivate(inactive.id, tenant.accountId);
    service.router.told.length = 0;
    await service.features.sweepKeptDeliveries();
    expect(await Promise.all([channel, silent, inactive, gone].map(left))).toEqual([1, 0, 0, 0]);
    expect(service.router.told).toEqual([]);
  });

  test('erases at the pace of a sweep: no client waits for it', async () => {
    await kept(7 * dayMs);
    const { keptDeliveries } = service.stores;
    const erase = () => Promise.reject(new Error('without pauses'));
    service.stores.keptDeliveries = { ...keptDeliveries, erase };
    await service.features.sweepKeptDeliveries();
    service.stores.keptDeliveries = keptDeliveries;
    expect(await left()).toBe(0);
  });

  test('covers all channels, however many keep something', async () => {
    const many = Array.from({ length: 201 }, () => ({ ...channel, id: newId() }));
    for (const each of many) await kept(0, {}, each);
    const { keptDeliveries } = service.stores;
    const reads: { after: string; last: string | undefined }[] = [];
    const channels: typeof keptDeliveries.channels = async (after, limit) => {
      const found = await keptDeliveries.channels(after, limit);
      reads.push({ after, last: found.at(-1) });
      return found;
    };
    service.stores.keptDeliveries = { ...keptDeliveries, channels };
    await service.features.sweepKeptDeliveries();
    service.stores.keptDeliveries = keptDeliveries;
    expect([reads.length, reads[1]?.after]).toEqual([2, reads[0]?.last]);
    const counts = await Promise.all(many.map(left));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(0);
  });
});
