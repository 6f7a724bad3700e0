/** [operator-interface §4, live feed after a reconnect] The events that the feed repeats to a subscriber that was disconnected. */
import { beforeEach, expect, test } from '@jest/globals';
import { minuteMs } from '../../../src/kernel/clock.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { builtEvent } from '../../../src/rules/events/built.ts';
import { signaturesOf } from '../../../src/rules/webhooks/signature.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { PageRequest } from '../../../src/kernel/paging.ts';
import { channelOf } from '../../rules/samples.ts';
import { aDelivery, aTest, cursorAt } from '../../stores/conformance/samples.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';
import type { MissedEvent } from '../../../src/features/deliveries/missed.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});

/** A delivery as the channel's owner stores it; it has its content while it is pending. */
async function made(agoMs: number, over: Partial<Delivery> = {}, of: Channel = channel): Promise<Delivery> {
  const createdAt = service.clock.now() - agoMs;
  const messageId = newId();
  const { deliveryId, envelope } = builtEvent(of, {
    event: 'message.received',
    messageId,
    at: createdAt,
    data: { text: 'hello' },
  });
  const payload = service.sealer.seal(
    Buffer.from(JSON.stringify(envelope)),
    sealContext.delivery(of.id, deliveryId),
  );
  const { accountId } = tenant;
  const delivery = aDelivery(of.id, {
    id: deliveryId,
    event: 'message.received',
    accountId,
    messageId,
    createdAt,
    payload,
    ...over,
  });
  const epoch = 1;
  await service.channelState.commit(of.id, epoch, [
    { write: 'insertDelivery', delivery: { ...delivery, epoch } },
  ]);
  return delivery;
}

async function missed(sinceAgoMs: number, accountId = tenant.accountId): Promise<MissedEvent[]> {
  const all: MissedEvent[] = [];
  const since = service.clock.now() - sinceAgoMs;
  for await (const page of service.features.missedEvents(accountId, since)) all.push(...page);
  return all;
}
const idsOf = (events: readonly MissedEvent[]) => events.map(({ deliveryId }) => deliveryId);

test('pending ones come with content and signature, ended ones as log entries', async () => {
  const { webhookSecret } = await service.features.updateChannel(tenant, channel.id, {
    webhookUrl: 'https://app.example.com/hooks',
  });
  const ended = await made(2_000, { state: 'delivered', payload: null });
  const waiting = await made(1_000);
  const [entry, event] = await missed(minuteMs);
  expect(entry).toEqual({
    deliveryId: ended.id,
    channelId: channel.id,
    channelType: 'pagechat',
    event: 'message.received',
    messageId: ended.messageId,
    state: 'delivered',
    createdAt: ended.createdAt,
    content: null,
  });
  const content = event?.content;
  expect(content?.envelope.data).toEqual({ message_id: waiting.messageId, text: 'hello' });
  const bytes = Buffer.from(JSON.stringify(content?.envelope));
  const timestamp = Math.floor(service.clock.wall() / 1_000);
  const parts = { deliveryId: waiting.id, timestamp, body: bytes };
  expect(content?.signatures).toEqual(signaturesOf(webhookSecret ?? '', parts));
});

test('a change of a channel without a webhook is signed for the default of its account', async () => {
  await service.features.updateDefaultWebhook(tenant, {
    webhookUrl: 'https://all.example/in',
    webhookEvents: ['channel.updated'],
    webhookSecret: 'of the account',
  });
  // The channel's own, which signs nothing while it has no address.
  await service.features.updateChannel(tenant, channel.id, { webhookSecret: 'of the channel' });
  const waiting = await made(1_000);
  const [event] = await missed(minuteMs);
  const body = Buffer.from(JSON.stringify(event?.content?.envelope));
  const parts = { deliveryId: waiting.id, timestamp: Math.floor(service.clock.wall() / 1_000), body };
  expect(event?.content?.signatures).toEqual(signaturesOf('of the account', parts));
});

test('of all channels, the oldest first in each, and a minute more in case clocks differ', async () => {
  const other = await connectedChannel(service, tenant, 'photoapp');
  const tooOld = await made(10 * minuteMs);
  const first = await made(5 * minuteMs + 59_000);
  const second = await made(3 * minuteMs);
  const elsewhere = await made(4 * minuteMs, {}, other);
  const ids = idsOf(await missed(5 * minuteMs));
  expect(ids.toSorted()).toEqual([first.id, second.id, elsewhere.id].toSorted());
  expect(ids.indexOf(first.id)).toBeLessThan(ids.indexOf(second.id));
  expect(ids).not.toContain(tooOld.id);
});

test('more than one page, each once, also several of the same millisecond', async () => {
  const all = [];
  for (let count = 0; count < 250; count += 1) all.push(await made(count % 3));
  const { deliveryLog } = service.stores;
  const after = deliveryLog.after.bind(deliveryLog);
  const reads: number[] = [];
  deliveryLog.after = async (query) => {
    const found = await after(query);
    reads.push(found.length);
    return found;
  };
  await missed(minuteMs);
  deliveryLog.after = after;
  expect(reads).toEqual([100, 100, 50]);
  expect(idsOf(await missed(minuteMs)).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
});

test("nothing from before the log's retention, and nothing of another account", async () => {
  await made(8 * 24 * 60 * minuteMs);
  const kept = await made(6 * 24 * 60 * minuteMs);
  expect(idsOf(await missed(Date.now()))).toEqual([kept.id]);
  expect(await missed(minuteMs, (await newTenant(service)).accountId)).toEqual([]);
});

test('content that no key decrypts becomes a log entry', async () => {
  await made(1_000, { payload: Buffer.from('sealed by somebody else') });
  expect((await missed(minuteMs)).map(({ content }) => content)).toEqual([null]);
});

test('a webhook test was never on the feed, and is not repeated', async () => {
  const { accountId } = tenant;
  const createdAt = service.clock.now() - 1_000;
  await service.stores.deliveryLog.addTest(aTest(channel.id, { accountId, createdAt }));
  const pages: number[] = [];
  for await (const page of service.features.missedEvents(accountId, createdAt)) pages.push(page.length);
  expect(pages).toEqual([]);
  const told = await made(500);
  expect(idsOf(await missed(minuteMs))).toEqual([told.id]);
});

test('of all channels, however many there are', async () => {
  const { accountId } = tenant;
  const many = Array.from({ length: 101 }, () => channelOf('pagechat', { id: newId(), accountId }));
  const list = async (_: string, { cursor }: PageRequest) =>
    cursor === null
      ? { items: many.slice(0, 100), nextCursor: cursorAt(many[99]) }
      : { items: many.slice(100), nextCursor: null };
  service.stores.channels = { ...service.stores.channels, list };
  const [first, last] = [await made(10, {}, many[0]), await made(20, {}, many[100])];
  expect(idsOf(await missed(minuteMs))).toEqual([first.id, last.id]);
});

test('what is made during the reading is left to the feed, except for what differing clocks may hide', async () => {
  const told = await made(-5_000);
  await made(-5_001);
  expect(idsOf(await missed(minuteMs))).toEqual([told.id]);
});

test('pending ones of a channel without a secret are unsigned', async () => {
  await made(1_000);
  const [event] = await missed(minuteMs);
  expect(event?.content).toMatchObject({ envelope: { event: 'message.received' }, signatures: null });
});

test('content that is no event becomes a log entry', async () => {
  const id = newId();
  const payload = service.sealer.seal(Buffer.from('no JSON'), sealContext.delivery(channel.id, id));
  await made(1_000, { id, payload });
  expect((await missed(minuteMs)).map(({ deliveryId, content }) => [deliveryId, content])).toEqual([
    [id, null],
  ]);
});
