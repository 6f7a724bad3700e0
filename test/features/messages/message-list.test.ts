/** [operator-interface §3] The messages of an account as one list, and the history of one message. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import type { MessageFilter } from '../../../src/features/messages/types.ts';
import { aDelivery, aMessage } from '../../stores/conformance/samples.ts';
import { connectedChannel, newLicence, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const logMs = 604_800_000;
const service = sharedService();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
});

async function sent(
  agoMs: number,
  over: Partial<OutboundMessage> = {},
  of = channel,
): Promise<OutboundMessage> {
  const { accountId } = tenant;
  const createdAt = service.clock.now() - agoMs;
  const message = aMessage(of.id, { accountId, createdAt, attemptedAt: createdAt, state: 'sent', ...over });
  await service.channelState.commit(of.id, 1, [{ write: 'insertMessage', message }]);
  return message;
}

/** A delivery of an inbound message, or of an echo. */
async function delivered(agoMs: number, over: Partial<Delivery> = {}, of = channel): Promise<Delivery> {
  const { accountId } = tenant;
  const { messageId = newId(), event = 'message.received' } = over;
  const delivery = aDelivery(of.id, {
    id: makeDeliveryId(of.id, messageId, event),
    accountId,
    event,
    messageId,
    messageType: 'text',
    createdAt: service.clock.now() - agoMs,
    ...over,
  });
  await service.channelState.commit(of.id, 1, [{ write: 'insertDelivery', delivery }]);
  return delivery;
}

const any: MessageFilter = {
  person: null,
  channelId: null,
  direction: null,
  status: null,
  since: null,
  until: null,
};

function list(
  filter: Partial<MessageFilter> = {},
  { limit = null, cursor = null }: { limit?: number | null; cursor?: PagePosition | null } = {},
  caller = tenant,
) {
  return service.features.listMessages(caller, { ...any, ...filter }, { limit, cursor });
}

async function idsOf(...asked: Parameters<typeof list>): Promise<string[]> {
  return (await list(...asked)).items.map(({ messageId }) => messageId);
}

/** Reads every page. */
async function pagesOf(limit: number, filter: Partial<MessageFilter> = {}): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: PagePosition | null = null; ;) {
    const page: Awaited<ReturnType<typeof list>> = await list(filter, { limit, cursor });
    pages.push(page.items.map(({ messageId }) => messageId));
    if (page.nextCursor === null) return pages;
    cursor = page.nextCursor;
  }
}

describe('the list', () => {
  test("has sent and received messages, the newest first, each with its channel's type", async () => {
    const photoapp = await connectedChannel(service, tenant, 'photoapp');
    const out = await sent(20, { recipient: '491', messageType: 'image' });
    const came = await delivered(10, { person: '492' }, photoapp);
    expect((await list()).items).toEqual([
      {
        messageId: came.messageId,
        channelId: photoapp.id,
        channelType: 'photoapp',
        direction: 'inbound',
        person: '492',
        type: 'text',
        status: 'received',
        createdAt: came.createdAt,
      },
      {
        messageId: out.id,
        channelId: channel.id,
        channelType: 'chatapp',
        direction: 'outbound',
        person: '491',
        type: 'image',
        status: 'sent',
        createdAt: out.createdAt,
      },
    ]);
  });

  test('has echoes with the state of their statuses, but neither a status nor a marker on its own', async () => {
    const echo = await delivered(30, { event: 'message.echo' });
    const tracked = await delivered(20, { event: 'message.echo' });
    await sent(20, { id: tracked.messageId, origin: 'echo', rank: 3 });
    await sent(10, { state: 'abandoned' });
    await delivered(10, { event: 'message.read', messageType: null });
    const { items } = await list();
    expect(items.map(({ messageId, direction, status }) => [messageId, direction, status])).toEqual([
      [tracked.messageId, 'echo', 'read'],
      [echo.messageId, 'echo', 'sent'],
    ]);
  });

  test('has pages, each message once, however sent and received ones are mixed', async () => {
    const all: string[] = [];
    for (const [n, isSent] of [true, true, true, false, true, false, false, false, true].entries())
      all.push(isSent ? (await sent(n * 10)).id : (await delivered(n * 10)).messageId);
    expect(await pagesOf(2)).toEqual([
      all.slice(0, 2),
      all.slice(2, 4),
      all.slice(4, 6),
      all.slice(6, 8),
      all.slice(8),
    ]);
    expect((await pagesOf(3)).flat()).toEqual(all);
    expect(await pagesOf(9)).toEqual([all]);
  });

  test('orders messages of one moment by their ids', async () => {
    const ids = [await sent(10), await sent(10), await sent(10)].map(({ id }) => id);
    expect((await pagesOf(1)).flat()).toEqual(ids.toSorted().toReversed());
  });

  test('has each message of one moment once, in one order, whether sent or received', async () => {
    const places: { id: string; messageId: string }[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { id } = await sent(10);
      const { id: deliveryId, messageId } = await delivered(10);
      places.push({ id, messageId: id }, { id: deliveryId, messageId });
    }
    const inOrder = places.toSorted((a, b) => (a.id < b.id ? 1 : -1)).map(({ messageId }) => messageId);
    expect(await idsOf()).toEqual(inOrder);
    for (const limit of [1, 3]) expect((await pagesOf(limit)).flat()).toEqual(inOrder);
  });

  test('has a hundred entries by default', async () => {
    for (let n = 0; n < 101; n += 1) await sent(n);
    const page = await list();
    expect([page.items.length, page.nextCursor === null]).toEqual([100, false]);
    expect(await idsOf({}, { cursor: page.nextCursor })).toHaveLength(1);
  });

  test('has each message once if one kind is far behind the other', async () => {
    for (let n = 0; n < 8; n += 1) await sent(n * 10);
    const came: string[] = [];
    for (const ago of [5, 65, 200]) came.push((await delivered(ago)).messageId);
    expect(await idsOf({ status: 'received' }, { limit: 5 })).toEqual(came);
  });

  test('reads at most a thousand entries, and says where to continue', async () => {
    const { accountId } = tenant;
    const createdAt = service.clock.now();
    const writes = Array.from({ length: 1_000 }, () => ({
      write: 'insertMessage' as const,
      message: aMessage(channel.id, { accountId, createdAt, state: 'sent' }),
    }));
    await service.channelState.commit(channel.id, 1, writes);
    const queued = await sent(10, { state: 'queued' });
    const page = await list({ status: 'queued' });
    expect([page.items, page.nextCursor === null]).toEqual([[], false]);
    expect(await idsOf({ status: 'queued' }, { cursor: page.nextCursor })).toEqual([queued.id]);
  });

  test('of a person on one channel reads at most a thousand of the others, and goes on [faults: 408]', async () => {
    const { accountId } = tenant;
    const other = await connectedChannel(service, tenant, 'pagechat');
    const wanted = await sent(10, { recipient: 'ada' }, other);
    const createdAt = service.clock.now();
    const writes = Array.from({ length: 1_000 }, () => ({
      write: 'insertMessage' as const,
      message: aMessage(channel.id, { accountId, createdAt, recipient: 'ada', state: 'sent' }),
    }));
    await service.channelState.commit(channel.id, 1, writes);
    const asked = { person: 'ada', channelId: other.id };
    const page = await list(asked);
    expect([page.items, page.nextCursor === null]).toEqual([[], false]);
    expect(await idsOf(asked, { cursor: page.nextCursor })).toEqual([wanted.id]);
  });

  test('has a received message after a thousand sent ones on the first page', async () => {
    const { accountId } = tenant;
    const message = () => aMessage(channel.id, { accountId, createdAt: service.clock.now(), state: 'sent' });
    const writes = Array.from({ length: 1_000 }, () => ({
      write: 'insertMessage' as const,
      message: message(),
    }));
    await service.channelState.commit(channel.id, 1, writes);
    const came = await delivered(10);
    expect(await idsOf({ status: 'received' })).toEqual([came.messageId]);
  });

  test('has a queued message after a thousand received ones on the first page', async () => {
    const { accountId } = tenant;
    const [createdAt, messageType] = [service.clock.now(), 'text'];
    const delivery = () =>
      aDelivery(channel.id, { accountId, createdAt, event: 'message.received', messageType });
    const writes = Array.from({ length: 1_000 }, () => ({
      write: 'insertDelivery' as const,
      delivery: delivery(),
    }));
    await service.channelState.commit(channel.id, 1, writes);
    const queued = await sent(10, { state: 'queued' });
    expect(await idsOf({ status: 'queued' })).toEqual([queued.id]);
  });

  test('has nothing of a deleted channel', async () => {
    await sent(10, {}, { ...channel, id: newId() });
    expect(await idsOf()).toStrictEqual([]);
  });

  test('reaches as far back as the log is kept', async () => {
    const kept = await sent(logMs);
    await sent(logMs + 1);
    expect(await idsOf()).toEqual([kept.id]);
    expect(await idsOf({ since: 0 })).toEqual([kept.id]);
  });

  test('is of one account', async () => {
    await sent(10);
    expect(await idsOf({}, {}, await newTenant(service))).toEqual([]);
  });

  test("of another account's channel is 404", async () => {
    const stranger = await newTenant(service);
    expect((await refusalOf(list({ channelId: channel.id }, {}, stranger))).status).toBe(404);
  });
});

describe('the filtered list', () => {
  test('of one channel has only its messages', async () => {
    const photoapp = await connectedChannel(service, tenant, 'photoapp');
    await sent(10);
    const there = await sent(20, {}, photoapp);
    expect(await idsOf({ channelId: photoapp.id })).toEqual([there.id]);
  });

  test("of one person has only that person's, in any notation of the number", async () => {
    await sent(10, { recipient: '4915900000778' });
    const out = await sent(20, { recipient: '4915900000777' });
    const came = await delivered(30, { person: '4915900000777' });
    expect(await idsOf({ person: '+49 159 0000-0777' })).toEqual([out.id, came.messageId]);
  });

  test('of one direction has only that', async () => {
    const out = await sent(10);
    const came = await delivered(20);
    const echo = await delivered(30, { event: 'message.echo' });
    expect([
      await idsOf({ direction: 'outbound' }),
      await idsOf({ direction: 'inbound' }),
      await idsOf({ direction: 'echo' }),
    ]).toEqual([[out.id], [came.messageId], [echo.messageId]]);
  });

  test('of one status has only that, and its pages may be short', async () => {
    const queued = await sent(30, { state: 'queued' });
    await sent(20);
    await sent(10);
    expect(await pagesOf(1, { status: 'queued' })).toEqual([[queued.id]]);
    expect(await idsOf({ status: 'received' })).toEqual([]);
  });

  test('of a period has what was made since its start and before its end', async () => {
    const now = service.clock.now();
    const [second, third] = [await sent(20), await sent(30)];
    // The first of its moment: the end is excluded, whatever the id.
    await sent(10, { id: '00000000-0000-4000-8000-000000000001' });
    await sent(40);
    expect(await idsOf({ since: now - 30, until: now - 10 })).toEqual([second.id, third.id]);
    const cursor = { createdAt: now, id: 'z' };
    expect(await idsOf({ since: now - 30, until: now - 10 }, { cursor })).toEqual([second.id, third.id]);
  });
});

describe('one message', () => {
  const timeline = (id: string, caller = tenant, of = channel) =>
    service.features.messageTimeline(caller, of.id, id);

  test('has the deliveries of its events', async () => {
    const message = await sent(10);
    const delivery = await delivered(5, { event: 'message.sent', messageId: message.id, messageType: null });
    const told = await timeline(message.id);
    expect(told.message).toMatchObject({ id: message.id, state: 'sent' });
    expect(told.deliveries.map(({ id, event }) => [id, event])).toEqual([[delivery.id, 'message.sent']]);
    expect(await service.features.inspectMessage(message.id)).toEqual(told);
  });

  test.each([
    ['ahead: so it says', 1_000, 1_000],
    ['over: it waits behind others, and no time is known', 0, null],
  ])('the time of its next try is %s', async (_, inMs, told) => {
    const now = service.clock.now();
    const { id } = await sent(10, { state: 'queued', nextTryAt: now + inMs });
    const { message } = await timeline(id);
    expect(message.nextTryAt).toBe(told === null ? null : now + told);
  });

  test.each<[string, number, Partial<OutboundMessage>]>([
    ['under whose id nothing was sent', 10, { state: 'abandoned' }],
    ['that is older than the log is kept', logMs + 1, {}],
  ])('%s is not found', async (_, agoMs, over) => {
    const { id } = await sent(agoMs, over);
    expect(await refusalOf(timeline(id))).toEqual({
      status: 404,
      detail: 'Message not found: only what was sent through this service has a timeline',
    });
  });

  test('is found as long as the log is kept', async () => {
    const { id } = await sent(logMs);
    expect((await timeline(id)).message.id).toBe(id);
  });

  test('[faults: 452] is found while it waits, however long, and as long as the log is kept after its last call', async () => {
    const waiting = await sent(2 * logMs, { state: 'queued' });
    const called = await sent(2 * logMs, { attemptedAt: service.clock.now() - logMs });
    const echo = await sent(2 * logMs, { attemptedAt: service.clock.now() + logMs, origin: 'echo' });
    for (const { id } of [waiting, called]) expect((await timeline(id)).message.id).toBe(id);
    expect((await refusalOf(timeline(echo.id))).status).toBe(404);
  });

  test('is shown to operators although its channel is gone; its deliveries cannot be replayed then', async () => {
    const of = { ...channel, id: newId() };
    const message = await sent(10, {}, of);
    const kept = { state: 'failed', keptSince: service.clock.now(), keptBytes: 1 } as const;
    await delivered(5, { event: 'message.sent', messageId: message.id, messageType: null, ...kept }, of);
    const { deliveries } = await service.features.inspectMessage(message.id);
    expect(deliveries.map(({ event, keptUntil }) => [event, keptUntil])).toEqual([['message.sent', null]]);
  });

  test('says until when its deliveries can be replayed', async () => {
    await service.features.updateChannel(tenant, channel.id, { failedRetentionDays: 2 });
    const message = await sent(10);
    const keptSince = service.clock.now();
    const kept = { state: 'failed', keptSince, keptBytes: 1 } as const;
    await delivered(5, { event: 'message.sent', messageId: message.id, messageType: null, ...kept });
    const untils = (told: { deliveries: readonly { keptUntil: number | null }[] }) =>
      told.deliveries.map(({ keptUntil }) => keptUntil);
    expect(untils(await timeline(message.id))).toEqual([keptSince + 2 * 86_400_000]);
    expect(untils(await service.features.inspectMessage(message.id))).toEqual([keptSince + 2 * 86_400_000]);
  });

  test("that is unknown, or another account's, is 404", async () => {
    const { id } = await sent(10);
    const stranger = await newTenant(service);
    expect((await refusalOf(timeline(newId()))).status).toBe(404);
    expect((await refusalOf(timeline(id, stranger))).status).toBe(404);
    expect((await refusalOf(service.features.inspectMessage(newId()))).status).toBe(404);
  });

  test('that was received has its delivery', async () => {
    const came = await delivered(10);
    const found = await service.features.deliveredMessage(tenant, channel.id, came.messageId);
    expect(found.map(({ id }) => id)).toEqual([came.id]);
    expect(await service.features.deliveredMessage(tenant, channel.id, newId())).toEqual([]);
    const stranger = await newTenant(service);
    expect(
      (await refusalOf(service.features.deliveredMessage(stranger, channel.id, came.messageId))).status,
    ).toBe(404);
  });

  test('that was received is found as long as the log is kept', async () => {
    const [kept, gone] = [await delivered(logMs), await delivered(logMs + 1)];
    const found = [kept, gone].map(({ messageId }) =>
      service.features.deliveredMessage(tenant, channel.id, messageId),
    );
    expect((await Promise.all(found)).map(({ length }) => length)).toEqual([1, 0]);
  });
});

describe('the channel of a message', () => {
  const channelOf = (id: string, caller = tenant) => service.features.channelOfMessage(caller, id);

  test('is the one through which it was sent or received', async () => {
    const photoapp = await connectedChannel(service, tenant, 'photoapp');
    const [out, came] = [await sent(10), await delivered(10, {}, photoapp)];
    const part = await delivered(10, { messageId: `${came.messageId}.12` }, photoapp);
    const echo = await delivered(10, { event: 'message.echo' }, photoapp);
    expect(await channelOf(echo.messageId)).toBe(photoapp.id);
    expect([
      await channelOf(out.id),
      await channelOf(came.messageId),
      await channelOf(part.messageId),
    ]).toEqual([channel.id, photoapp.id, photoapp.id]);
  });

  test('is found beyond the first fifty channels, and so is the one of a delivery', async () => {
    let last = channel;
    for (let n = 0; n < 51; n += 1) {
      await newLicence(service, tenant);
      last = await connectedChannel(service, tenant, 'chatapp');
    }
    const came = await delivered(10, {}, last);
    expect(await channelOf(came.messageId)).toBe(last.id);
    const deliveryOf = (caller: Tenant, id = came.id) => service.features.channelOfDelivery(caller, id);
    expect(await deliveryOf(tenant)).toBe(last.id);
    expect(await deliveryOf(tenant, came.messageId)).toBeNull();
    expect(await deliveryOf(await newTenant(service))).toBeNull();
  });

  test('is unknown to another account', async () => {
    const [out, came] = [await sent(10), await delivered(10)];
    const stranger = await newTenant(service);
    expect([await channelOf(out.id, stranger), await channelOf(came.messageId, stranger)]).toEqual([
      null,
      null,
    ]);
  });

  test.each(['', 'x', 'x%s', '%s.', '%s.1234', '%sx', '%s.x'])(
    'is not looked up for a malformed id: %s',
    async (text) => {
      const messageId = text.replace('%s', newId());
      await delivered(10, { messageId });
      expect(await channelOf(messageId)).toBeNull();
    },
  );
});
