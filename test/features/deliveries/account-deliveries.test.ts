/** [portal: Deliveries] The delivery logs of an account's channels as one list; one delivery with its body; replays of several. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import type { DeliveryPage } from '../../../src/features/deliveries/types.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import { channelOf } from '../../rules/samples.ts';
import { aDelivery, aTest } from '../../stores/conformance/samples.ts';
import { madeDelivery } from '../support/deliveries.ts';
import { connectedChannel, newTenant, refusalOf } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channels: Channel[];
beforeEach(async () => {
  tenant = await newTenant(service);
  channels = [];
  for (const type of ['pagechat', 'photoapp', 'chatapp'] as const)
    channels.push(await connectedChannel(service, tenant, type));
});

/** A delivery made this many ms ago on the channel with this number. */
function made(agoMs: number, of: number, over: Partial<Delivery> = {}): Promise<Delivery> {
  const channel = channels[of];
  if (channel === undefined) throw new Error('there is no such channel');
  return madeDelivery(service, channel, agoMs, over);
}

const anything = { channelId: null, event: null, state: null, since: null, until: null } as const;
type Asked = Parameters<Service['features']['listAccountDeliveries']>[1];
const list = (
  limit: number,
  place: { older?: PagePosition | null; newer?: PagePosition | null } = {},
  asked: Partial<Asked> = {},
  caller = tenant,
): Promise<DeliveryPage> =>
  service.features.listAccountDeliveries(
    caller,
    { ...anything, ...asked },
    { limit, cursor: place.newer ?? place.older ?? null, isBack: place.newer != null },
  );
const idsIn = ({ items }: { items: readonly { id: string }[] }) => items.map(({ id }) => id);

describe('the list over all channels', () => {
  test('has pages to its end and back, each delivery once, however unevenly the channels have them', async () => {
    const all: Delivery[] = [];
    // The first channel has most, in one stretch; the third has the oldest.
    for (const [n, of] of [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 2, 1, 2].entries()) all.push(await made(n * 10, of));
    const ids = all.map(({ id }) => id);
    const forth: DeliveryPage[] = [];
    for (let older: PagePosition | null = null; ;) {
      const page = await list(4, { older });
      forth.push(page);
      older = page.nextCursor;
      if (older === null) break;
    }
    expect(forth.flatMap(idsIn)).toEqual(ids);
    expect([forth[0]?.previousCursor, forth.length]).toEqual([null, 4]);
    const back = await list(4, { newer: forth.at(-1)?.previousCursor ?? null });
    expect(idsIn(back)).toEqual(idsIn(forth[2]!));
    expect(idsIn(await list(4, { older: back.nextCursor }))).toEqual(idsIn(forth[3]!));
    const again = await list(4, { newer: back.previousCursor });
    expect(idsIn(again)).toEqual(idsIn(forth[1]!));
    const first = await list(4, { newer: again.previousCursor });
    expect([idsIn(first), first.previousCursor]).toEqual([idsIn(forth[0]!), null]);
  });

  test('continues in the channel that has the next delivery, if others have only older ones', async () => {
    const all: Delivery[] = [];
    for (let n = 0; n < 16; n += 1) all.push(await made(n * 10, n < 8 ? 0 : 2));
    const ids = all.map(({ id }) => id);
    const first = await list(8);
    expect(idsIn(first)).toEqual(ids.slice(0, 8));
    const second = await list(8, { older: first.nextCursor });
    expect(idsIn(second)).toEqual(ids.slice(8));
    expect(idsIn(await list(8, { newer: second.previousCursor }))).toEqual(ids.slice(0, 8));
  });

  test('shows new deliveries on the newest page, which is full', async () => {
    const all = [await made(30, 0), await made(20, 1), await made(10, 2)].map(({ id }) => id).toReversed();
    const second = await list(2, { older: (await list(2)).nextCursor });
    const added = await made(0, 1);
    const newer = await list(2, { newer: second.previousCursor });
    expect(idsIn(newer)).toEqual(all.slice(0, 2));
    const newest = await list(2, { newer: newer.previousCursor });
    expect([idsIn(newest), newest.previousCursor]).toEqual([[added.id, all[0]], null]);
  });

  test('filters by channel, event, state and time', async () => {
    const failed = await made(50, 0, { state: 'failed', payload: null });
    const read = await made(40, 1, { event: 'message.read' });
    const late = await made(30, 1);
    const since = service.clock.now() - 45;
    expect(idsIn(await list(9, {}, { state: 'failed' }))).toEqual([failed.id]);
    expect(idsIn(await list(9, {}, { event: 'message.read' }))).toEqual([read.id]);
    const named = await list(9, {}, { channelId: channels[1]?.id ?? '' });
    expect(idsIn(named)).toEqual([late.id, read.id]);
    expect(idsIn(await list(9, {}, { since }))).toEqual([late.id, read.id]);
    expect(idsIn(await list(9, {}, { until: since }))).toEqual([failed.id]);
  });

  test("has nothing of another account's", async () => {
    await made(10, 0);
    const other = await newTenant(service);
    expect(await list(9, {}, {}, other)).toMatchObject({ items: [], nextCursor: null, previousCursor: null });
    const named = list(9, {}, { channelId: channels[0]?.id ?? '' }, other);
    expect((await refusalOf(named)).status).toBe(404);
  });
});

describe('the list over many channels', () => {
  /** This many channels, each with a page of deliveries and as many more behind it. */
  function manyChannels(count: number): Channel[] {
    const all = Array.from({ length: count }, () =>
      channelOf('pagechat', { id: newId(), accountId: tenant.accountId }),
    );
    const among = async (accountId: string, ids: readonly string[]) =>
      new Map(
        all
          .filter((each) => each.accountId === accountId && ids.includes(each.id))
          .map((each) => [each.id, each]),
      );
    service.stores.channels = { ...service.stores.channels, among };
    channels = all;
    return all;
  }

  const most = [
    ['one channel has', (n: number) => (n % 3 === 0 ? (n * 7) % 25 : 0)],
    ['two channels have', (n: number) => (n % 5 === 0 ? (n * 7) % 25 : n % 2)],
  ] as const;
  test.each(most)(
    'has full pages to its end and back, each delivery once, if %s most of them',
    async (_words, of) => {
      manyChannels(25);
      const all: Delivery[] = [];
      for (let n = 0; n < 80; n += 1) all.push(await made(Math.floor(n / 2) * 10, of(n)));
      const ids = all
        .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id);
      const forth: DeliveryPage[] = [];
      for (let older: PagePosition | null = null; ;) {
        const page = await list(8, { older });
        forth.push(page);
        older = page.nextCursor;
        if (older === null) break;
      }
      expect(forth.map(idsIn)).toEqual(Array.from({ length: 10 }, (_, n) => ids.slice(n * 8, n * 8 + 8)));
      const back: DeliveryPage[] = [];
      for (let newer = forth.at(-1)?.previousCursor ?? null; newer !== null;) {
        const page = await list(8, { newer });
        back.unshift(page);
        newer = page.previousCursor;
      }
      expect(back.map(idsIn)).toEqual(forth.slice(0, -1).map(idsIn));
    },
  );

  test('reads a bounded number of deliveries for a page, and says where to continue', async () => {
    const [{ id: channelId } = { id: '' }] = manyChannels(200);
    const { accountId } = tenant;
    const writes = Array.from({ length: 2_600 }, (_, n) => {
      const event = n === 2_500 ? ('message.echo' as const) : ('message.read' as const);
      const createdAt = service.clock.now() - n;
      const delivery = aDelivery(channelId, { accountId, createdAt, event, payload: null });
      return { write: 'insertDelivery' as const, delivery };
    });
    await service.channelState.commit(channelId, 1, writes);
    const first = await list(9, {}, { event: 'message.echo' });
    expect([idsIn(first), first.nextCursor === null]).toStrictEqual([[], false]);
    const second = await list(9, { older: first.nextCursor }, { event: 'message.echo' });
    expect([idsIn(second), second.nextCursor]).toEqual([[writes[2_500]?.delivery.id], null]);
  });

  test('has each delivery once, also if the search for a page ends at one', async () => {
    const [{ id: channelId } = { id: '' }] = manyChannels(200);
    const { accountId } = tenant;
    const writes = Array.from({ length: 2_600 }, (_, n) => {
      const event = n % 200 === 199 ? ('message.echo' as const) : ('message.read' as const);
      const createdAt = service.clock.now() - n;
      const delivery = aDelivery(channelId, { accountId, createdAt, event, payload: null });
      return { write: 'insertDelivery' as const, delivery };
    });
    await service.channelState.commit(channelId, 1, writes);
    const first = await list(20, {}, { event: 'message.echo' });
    const second = await list(20, { older: first.nextCursor }, { event: 'message.echo' });
    const echoes = writes.filter((_, n) => n % 200 === 199).map(({ delivery }) => delivery.id);
    expect([first, second].map(idsIn)).toEqual([echoes.slice(0, 10), echoes.slice(10)]);
  });

  test('has deliveries of the last of hundreds of channels, with the channels of its rows alone', async () => {
    const all = manyChannels(300);
    const shown = [await made(10, 299), await made(5, 250), await made(3, 299)].toReversed();
    await made(20, 0);
    const page = await list(3);
    expect(idsIn(page)).toEqual(shown.map(({ id }) => id));
    expect([...page.channels.keys()].toSorted()).toEqual([all[250]!.id, all[299]!.id].toSorted());
  });

  test.each(['failed', 'pending'] as const)('finds what is %s, in whatever channel', async (state) => {
    manyChannels(300);
    const wanted = await made(10, 299, { state, payload: null });
    await made(5, 3, { state: 'delivered', payload: null });
    expect(idsIn(await list(9, {}, { state }))).toEqual([wanted.id]);
  });
});

describe('one delivery', () => {
  const read = ({ channelId, id }: Pick<Delivery, 'channelId' | 'id'>, caller = tenant) =>
    service.features.readDelivery(caller, channelId, id);

  test('has its body without what people wrote, while the body is stored', async () => {
    const waiting = await made(10, 0);
    const { body, delivery } = await read(waiting);
    expect(body).toContain('"text": "(18 characters, not shown)"');
    expect(body).not.toContain('a secret of theirs');
    expect(delivery.id).toBe(waiting.id);
    expect((await read(await made(9, 0, { state: 'delivered', payload: null }))).body).toBeNull();
  });

  test('has the request and the answer of each attempt in its log', async () => {
    const at = service.clock.now();
    const attemptLog = `${at} 12 503 status;${at + 9} 12 500 status`;
    const failed = await made(10, 0, { state: 'failed', payload: null, attemptLog });
    const transcript = { address: 'https://a.example/', request: [['a', 'b']] as const, answer: null };
    const { accountId } = tenant;
    const about = { accountId, channelId: failed.channelId, deliveryId: failed.id, isTaken: false };
    service.features.noteTranscript({ ...about, startedAt: at + 9, transcript });
    const another = await made(10, 0);
    service.features.noteTranscript({ ...about, deliveryId: another.id, startedAt: at, transcript });
    const { attempts } = await read(failed);
    expect(attempts.map(({ status, transcript: kept }) => [status, kept])).toEqual([
      [503, null],
      [500, transcript],
    ]);
  });

  test('of another account or channel is 404', async () => {
    const one = await made(10, 0);
    expect((await refusalOf(read(one, await newTenant(service)))).status).toBe(404);
    expect((await refusalOf(read({ ...one, channelId: channels[1]?.id ?? '' }))).status).toBe(404);
  });
});

describe('several deliveries', () => {
  test('that are ticked are replayed in the given order; ids of no own delivery are skipped', async () => {
    const [first, second] = [await made(20, 0), await made(10, 1)];
    const gone = await made(5, 1, { state: 'delivered', payload: null });
    const tried = aTest(channels[0]?.id ?? '', { accountId: tenant.accountId });
    await service.stores.deliveryLog.addTest(tried);
    const which = [first, second, gone, tried].map(({ channelId, id }) => ({ channelId, deliveryId: id }));
    expect(await service.features.retryDeliveries(tenant, which)).toEqual({ begun: 2, left: 2 });
    const asked = service.router.asked.flatMap((ask) =>
      ask.ask.type === 'retry-delivery' ? [ask.ask.delivery.id] : [],
    );
    expect(asked).toEqual([first.id, second.id]);
    const other = await newTenant(service);
    expect(await service.features.retryDeliveries(other, which)).toEqual({ begun: 0, left: 4 });
  });

  test('that failed are counted, and replayed over all channels that keep them, with progress', async () => {
    const settings = { webhookUrl: 'https://app.example.com/in', webhookEvents: ['message.received'] };
    for (const { id } of channels.slice(0, 2))
      await service.features.updateChannel(tenant, id, { ...settings, failedRetentionDays: 7 });
    const now = service.clock.now();
    const kept = { state: 'failed', keptSince: now - 5, keptBytes: 1 } as const;
    for (const n of [0, 0, 1, 2]) await made(50, n, kept);
    const asked = { since: now - 10, until: null, events: null };
    const count = (channelId: string | null, caller = tenant) =>
      service.features.countKept(caller, channelId, asked);
    expect([await count(null), await count(channels[1]?.id ?? '')]).toEqual([3, 1]);
    expect(await count(null, await newTenant(service))).toBe(0);
    expect(await service.features.replaysProgress(tenant, null, null)).toBeNull();
    expect(await service.features.replayAll(tenant, null, asked)).toEqual({ begun: 3, left: 0 });
    expect(await service.features.replaysProgress(tenant, null, null)).toMatchObject({
      total: 3,
      begun: 0,
      isRunning: true,
    });
  });
});
