import { describe, expect, test } from '@jest/globals';
import { maxUnmatched } from '../../../src/storage/journal/channel-journal.ts';
import type { KnownMessage } from '../../../src/storage/journal/channel-journal.ts';
import type { Write } from '../../../src/storage/journal/writes.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { FencedError } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { connect } from './channels.ts';
import { aDelivery, aHeldFact, aMessage, aSubscription, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open, OpenJournal } from './store.ts';
import { knownOf, pendingOf } from './views.ts';

export const applied = { applied: true };
export const refused = { applied: false };

/** Writes everything under epoch 1 and expects all of it to apply. */
export async function put(store: OpenJournal, channelId: string, ...writes: Write[]): Promise<void> {
  const results = await store.channelState.commit(channelId, 1, writes);
  expect(results).toEqual(writes.map(() => applied));
}

export function putMessages(store: OpenJournal, ...messages: OutboundMessage[]): Promise<void> {
  const writes = messages.map((message) => ({ write: 'insertMessage' as const, message }));
  return put(store, messages[0]?.channelId ?? '', ...writes);
}

export function putDeliveries(store: OpenJournal, ...deliveries: Delivery[]): Promise<void> {
  const writes = deliveries.map((delivery) => ({ write: 'insertDelivery' as const, delivery }));
  return put(store, deliveries[0]?.channelId ?? '', ...writes);
}

/** Deliveries of one channel, the `n`th made `n` ms after noon. */
export async function madeDeliveries(store: OpenJournal, overs: Partial<Delivery>[]): Promise<Delivery[]> {
  const [channelId, accountId] = [newId(), newId()];
  const all = overs.map((over, n) => aDelivery(channelId, { accountId, createdAt: noon + n, ...over }));
  await putDeliveries(store, ...all);
  return all;
}

export function describeChannelSettings(name: string, open: Open): void {
  describe(`${name}: the settings of a channel`, () => {
    const store = withStore(open);

    test('settings are the present channel and licence', async () => {
      const { stores, channelState } = store.current;
      const accountId = newId();
      const licence = aSubscription(accountId);
      await stores.subscriptions.insert(licence);
      const channel = await connect(store.current, { accountId, subscriptionId: licence.id });
      expect(await channelState.settings(channel.id)).toEqual({ channel, subscription: licence });
      await stores.channels.bind(channel.id, null);
      const unbound = { channel: { ...channel, subscriptionId: null }, subscription: null };
      expect(await channelState.settings(channel.id)).toEqual(unbound);
      expect(await channelState.settings(newId())).toBeNull();
    });
  });
}

export function describeChannelReads(name: string, open: Open<OpenJournal>): void {
  describe(`${name}: what a channel's owner reads`, () => {
    const store = withStore(open);

    test('an activation reads the open messages in order of arrival, and raises their epoch', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const sending = aMessage(channelId);
      const queued = aMessage(channelId, {
        state: 'queued',
        nextTryAt: noon + 9,
        error: 'busy',
        errorCode: 4,
      });
      const closed = (['sent', 'failed', 'abandoned'] as const).map((state) =>
        aMessage(channelId, { state }),
      );
      await putMessages(store.current, sending, ...closed, queued);
      await putMessages(store.current, aMessage(newId()));
      const loaded = await channelState.load(channelId, 2, noon, 10);
      expect(loaded.openMessages).toEqual([
        { ...sending, epoch: 2 },
        { ...queued, epoch: 2 },
      ]);
      expect((await channelState.load(channelId, 2, noon, 10)).openMessages).toEqual(loaded.openMessages);
    });

    test('a thousand open messages are all loaded', async () => {
      const channelId = newId();
      const messages = Array.from({ length: 1_000 }, () => aMessage(channelId));
      await putMessages(store.current, ...messages);
      const { openMessages } = await store.current.channelState.load(channelId, 1, noon, 10);
      expect(openMessages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    });

    test('an activation reads the first pending deliveries by due time, and learns that there are more', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const due = [3, 1, 2].map((i) => aDelivery(channelId, { nextDueAt: noon + i }));
      const done = (['delivered', 'failed'] as const).map((state) => aDelivery(channelId, { state }));
      await putDeliveries(store.current, ...due, ...done);
      await putDeliveries(store.current, aDelivery(newId()));
      const [third, first, second] = due.map(pendingOf);
      const two = await channelState.load(channelId, 1, noon, 2);
      expect([two.deliveries, two.storeHasMoreDeliveries]).toEqual([[first, second], true]);
      const all = await channelState.load(channelId, 1, noon, 3);
      expect([all.deliveries, all.storeHasMoreDeliveries]).toEqual([[first, second, third], false]);
      expect(await channelState.pendingDeliveries(channelId, 1)).toEqual([first]);
      expect(await channelState.pendingDeliveries(channelId, 9)).toEqual([first, second, third]);
    });

    test('pending deliveries in their order: by place, whatever is due, and after them those without a place', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const places = [
        { sequence: 2 ** 33 + 1, nextDueAt: noon },
        { sequence: 2 ** 32 + 9, nextDueAt: noon + 5 },
        { sequence: null, createdAt: noon + 1 },
        { sequence: 2 ** 32 + 2, nextDueAt: noon + 9, createdAt: noon + 8 },
        { sequence: null, nextDueAt: noon + 9 },
      ].map((each) => aDelivery(channelId, each));
      await putDeliveries(store.current, ...places, aDelivery(channelId, { state: 'failed', sequence: 1 }));
      const [third, second, fourth, first, fifth] = places.map(pendingOf);
      const ordered = [first, second, third, fourth, fifth];
      expect(await channelState.pendingDeliveries(channelId, 9, true)).toEqual(ordered);
      expect(await channelState.pendingDeliveries(channelId, 3, true)).toEqual(ordered.slice(0, 3));
    });

    test('an activation reads the held facts that have not expired', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const [late, soon, over] = [20, 10, 0].map((i) => aHeldFact({ expiresAt: noon + i }));
      const unmatched = [late, soon, over].flatMap((each) => each ?? []);
      await put(
        store.current,
        channelId,
        ...unmatched.map((each) => ({ write: 'keepWaiting' as const, unmatched: each })),
      );
      await put(store.current, newId(), { write: 'keepWaiting', unmatched: aHeldFact() });
      expect((await channelState.load(channelId, 1, noon, 1)).unmatched).toEqual([soon, late]);
    });

    test('pending inbound messages are read in their order, in pages, without unmatched facts', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const waiting = aHeldFact();
      const [third, first, second] = [30, 10, 20].map((dueAt) => aHeldFact({ dueAt, tries: dueAt / 10 }));
      const keep = [third, waiting, first, second].flatMap((each) => each ?? []);
      await put(
        store.current,
        channelId,
        ...keep.map((each) => ({ write: 'keepWaiting' as const, unmatched: each })),
      );
      const loaded = await channelState.load(channelId, 1, noon, 1);
      expect([loaded.unmatched, loaded.hasPendingInbound]).toEqual([[waiting], true]);
      expect(await channelState.pendingInbound(channelId, 0, 2)).toEqual([first, second]);
      expect(await channelState.pendingInbound(channelId, 20, 2)).toEqual([third]);
      expect(await channelState.pendingInbound(newId(), 0, 2)).toEqual([]);
      const counted = aHeldFact({ ...first, tries: 7 });
      await put(store.current, channelId, { write: 'keepWaiting', unmatched: counted });
      expect(await channelState.pendingInbound(channelId, 0, 1)).toEqual([counted]);
      const unmatchedIds = [first, second, third].flatMap((each) => each?.id ?? []);
      await put(store.current, channelId, { write: 'dropWaiting', unmatchedIds });
      expect((await channelState.load(channelId, 1, noon, 1)).hasPendingInbound).toBe(false);
    });

    test('of many unmatched facts an activation reads the newest, up to its limit [faults: 97]', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const facts = Array.from({ length: maxUnmatched + 300 }, (_, n) =>
        aHeldFact({ expiresAt: noon + 1_000 + n }),
      );
      for (let n = 0; n < facts.length; n += 500)
        await put(
          store.current,
          channelId,
          ...facts.slice(n, n + 500).map((unmatched) => ({ write: 'keepWaiting' as const, unmatched })),
        );
      const { unmatched } = await channelState.load(channelId, 1, noon, 1);
      expect(unmatched).toEqual(facts.slice(300));
    });

    test('a lower epoch than the one stored cannot activate', async () => {
      const { channelState } = store.current;
      const [withMessage, withDelivery] = [newId(), newId()];
      await putMessages(store.current, aMessage(withMessage));
      await putDeliveries(store.current, aDelivery(withDelivery));
      for (const channelId of [withMessage, withDelivery]) {
        await channelState.load(channelId, 3, noon, 1);
        await expect(channelState.load(channelId, 2, noon, 1)).rejects.toThrow(FencedError);
        await expect(channelState.load(channelId, 3, noon, 1)).resolves.toBeDefined();
      }
    });

    test('a payload can be read while its delivery is pending, by its channel only', async () => {
      const { channelState } = store.current;
      const delivery = aDelivery(newId());
      const done = aDelivery(delivery.channelId, { state: 'failed', payload: null });
      await putDeliveries(store.current, delivery, done);
      const payload = await channelState.deliveryPayload(delivery.channelId, delivery.id);
      expect(Buffer.from(payload ?? [])).toEqual(Buffer.from(delivery.payload ?? []));
      expect(await channelState.deliveryPayload(newId(), delivery.id)).toBeNull();
      expect(await channelState.deliveryPayload(done.channelId, done.id)).toBeNull();
      expect(await channelState.deliveryPayload(delivery.channelId, newId())).toBeNull();
    });

    test('messages are found by our ids and upstream ids, each once, in their channel only', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const both = aMessage(channelId, { state: 'sent', upstreamIds: ['up.1', 'up.2'], rank: 1 });
      const byOurs = aMessage(channelId);
      const other = aMessage(channelId, { upstreamIds: ['up.3'] });
      const foreign = aMessage(newId(), { upstreamIds: ['up.1'] });
      await putMessages(store.current, both, byOurs, other);
      await putMessages(store.current, foreign);
      const asked = { ids: [both.id, byOurs.id, foreign.id, newId()], upstreamIds: ['up.2', 'up.1', 'up.9'] };
      const found = await channelState.findMessages(channelId, asked);
      expect(found.toSorted(byId)).toEqual([both, byOurs].map(knownOf).toSorted(byId));
      expect(await channelState.findMessages(newId(), asked)).toEqual([]);
      expect(await channelState.findMessages(channelId, { ids: [], upstreamIds: [] })).toEqual([]);
    });

    test('messages below a rank are found by recipient up to a time, oldest first, up to a limit', async () => {
      const { channelState } = store.current;
      const channelId = newId();
      const sent = { channelType: 'pagechat', state: 'sent', rank: 1 } as const;
      const [late, early, delivered, read, after] = [
        aMessage(channelId, { ...sent, attemptedAt: noon + 2 }),
        aMessage(channelId, { ...sent, attemptedAt: noon }),
        aMessage(channelId, { ...sent, attemptedAt: noon + 1, rank: 2 }),
        aMessage(channelId, { ...sent, rank: 3 }),
        aMessage(channelId, { ...sent, attemptedAt: noon + 3 }),
      ];
      const unsent = aMessage(channelId);
      const elsewhere = aMessage(channelId, { ...sent, recipient: '4900' });
      await putMessages(store.current, late, early, delivered, read, after, unsent, elsewhere);
      await putMessages(store.current, aMessage(newId(), sent));
      const query = { recipient: early.recipient, belowRank: 3, upTo: noon + 2, limit: 9 };
      expect(await channelState.findBelowRank(channelId, query)).toEqual(
        [early, delivered, late].map(knownOf),
      );
      expect(await channelState.findBelowRank(channelId, { ...query, belowRank: 2 })).toEqual(
        [early, late].map(knownOf),
      );
      expect(await channelState.findBelowRank(channelId, { ...query, limit: 1 })).toEqual([knownOf(early)]);
      expect(await channelState.findBelowRank(newId(), query)).toEqual([]);
    });
  });
}

function byId(a: KnownMessage, b: KnownMessage): number {
  return a.id < b.id ? -1 : 1;
}
