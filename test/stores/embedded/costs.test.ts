/**
 * What a text, a receipt and an event cost the embedded store: statements, rows and index entries. A feature that is not used adds none; one
 * that adds to the numbers here adds to every send or event. [performance §2]
 */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChannelPorts } from '../../../actors/channel/performing/channel-ports.ts';
import { storeWriter } from '../../../src/app/take-directory.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { EventType } from '../../../src/rules/events/table.ts';
import type { ChannelJournal } from '../../../src/storage/journal/channel-journal.ts';
import { operationsOn } from '../../../src/storage/sqlite/operations/index.ts';
import { readerOn } from '../../../src/storage/sqlite/reader.ts';
import { migrate } from '../../../src/storage/sqlite/schema.ts';
import { openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import { channelStateStore } from '../../../src/storage/sqlite/stores/channel-state.ts';
import { WriterThread } from '../../../src/storage/sqlite/writer-thread.ts';
import { receiptOf } from '../../actors/support/facts.ts';
import { LiveChannel } from '../../actors/support/live-channel.ts';
import type { Start } from '../../actors/support/turns.ts';
import { inboundOf } from '../../rules/samples.ts';
import { silentLog } from '../../support/silent-log.ts';
import { tables } from '../../support/stores.ts';
import { aDelivery } from '../conformance/samples.ts';
import { CountingDatabase, difference } from './counting.ts';
import type { Counts } from './counting.ts';
import { freshDirectory } from './open.ts';

/** The whole actor on a file; its settings alone come from the test. */
class StoredChannel extends LiveChannel {
  readonly #journal: ChannelJournal;

  constructor(journal: ChannelJournal, start: Start) {
    super(start);
    this.#journal = journal;
  }

  override get ports(): ChannelPorts {
    const { store, ...others } = super.ports;
    return { ...others, store: { ...this.#journal, settings: (channelId) => store.settings(channelId) } };
  }
}

let dataDir: string;
let db: CountingDatabase;
let journal: ChannelJournal;

beforeEach(async () => {
  dataDir = freshDirectory();
  const path = join(dataDir, 'costs.db');
  db = new CountingDatabase(await openWriter(path));
  migrate(db, tables);
  const operations = new Map<string, unknown>(Object.entries(operationsOn(db, tables)));
  const writer = new WriterThread({ path }, silentLog, { writer: storeWriter });
  writer.call = async (name, ...args) => Reflect.apply(Object(operations.get(name)), undefined, args);
  journal = channelStateStore(readerOn(db), writer);
});

afterEach(async () => {
  db.close();
  await rm(dataDir, { recursive: true });
});

/** A channel of which nobody watches the live feed. */
async function started(start: Start = {}, webhookEvents: EventType[] = []): Promise<StoredChannel> {
  const live = new StoredChannel(journal, { ...start, channel: { webhookEvents } });
  live.hasSubscribers = false;
  live.receiver = 'by hand';
  await live.takeOver();
  return live;
}

/** What the step costs. */
async function costOf(step: () => Promise<unknown>): Promise<{ statements: Counts; entries: Counts }> {
  const before = db.entries();
  db.takeStatements();
  await step();
  return { statements: db.takeStatements(), entries: difference(before, db.entries()) };
}

const sentMessage = {
  messages: 1,
  messages_by_account: 1,
  messages_by_channel: 1,
  messages_by_person: 1,
  message_upstream_ids: 1,
};

test('a text that upstream accepts', async () => {
  const channel = await started();
  expect(await costOf(() => channel.sent('m-1', 'up-1'))).toEqual({
    statements: {
      'insert messages': 1,
      'update messages': 1,
      'insert message_upstream_ids': 1,
    },
    entries: sentMessage,
  });
});

test('its reports change the message alone', async () => {
  const channel = await started();
  await channel.sent('m-1', 'up-1');
  const statements = { 'update messages': 1 };
  const of = (status: 'sent' | 'delivered' | 'read') =>
    channel.facts(receiptOf({ tag: 'm-1', upstreamId: 'up-1', status }));
  expect(await costOf(() => of('sent'))).toEqual({ statements, entries: {} });
  expect(await costOf(() => of('delivered'))).toEqual({ statements, entries: {} });
  const again = await costOf(() => of('delivered'));
  // It is taken for the next one in turn, and read only because it is not.
  expect(again).toEqual({ statements: { 'update messages': 1, 'select messages': 1 }, entries: {} });
  expect(await costOf(() => of('read'))).toEqual({ statements, entries: {} });
});

test('of a kind whose receipts cover conversations, the unread message is in one more index', async () => {
  const channel = await started({ type: 'pagechat' });
  const { entries } = await costOf(() => channel.sent('m-1', 'up-1'));
  expect(entries).toEqual({ ...sentMessage, unread_messages: 1 });
});

const delivered = { deliveries: 1, delivery_log: 1, deliveries_of_account: 1 };
const pending = { delivery_payloads: 1, pending_deliveries: 1 };

test('a report that is delivered: its event, whose payload is gone with the answer', async () => {
  const channel = await started({}, ['message.delivered']);
  await channel.sent('m-1', 'up-1');
  const report = receiptOf({ tag: 'm-1', upstreamId: 'up-1', status: 'delivered' });
  expect(await costOf(() => channel.facts(report))).toEqual({
    statements: {
      'insert deliveries': 1,
      'insert delivery_payloads': 1,
      'update messages': 1,
    },
    entries: { ...delivered, ...pending },
  });
  expect(await costOf(() => answered(channel))).toEqual(outcome);
});

const outcome = {
  statements: { 'update deliveries': 1 },
  entries: { delivery_payloads: -1, pending_deliveries: -1 },
};

async function answered(channel: StoredChannel): Promise<void> {
  await channel.posts[0]?.answer({ ok: true, status: 200 });
}

test('a received text: its event, which lists of messages find', async () => {
  const channel = await started({}, ['message.received']);
  expect(await costOf(() => channel.facts(inboundOf({ upstreamId: 'in-1', from: 'mia' })))).toEqual({
    statements: { 'insert deliveries': 1, 'insert delivery_payloads': 1 },
    entries: {
      ...delivered,
      ...pending,
      delivered_messages_by_account: 1,
      delivered_messages_by_person: 1,
    },
  });
  expect(await costOf(() => answered(channel))).toEqual(outcome);
});

test('a received text that nobody is told of', async () => {
  const channel = await started();
  const cost = await costOf(() => channel.facts(inboundOf({ upstreamId: 'in-1', from: 'mia' })));
  expect(cost).toEqual({ statements: {}, entries: {} });
});

test('an event that is stored already: nothing is left of its second payload', async () => {
  const delivery = aDelivery(newId());
  const store = () =>
    journal.commit(delivery.channelId, delivery.epoch, [{ write: 'insertDelivery', delivery }]);
  await store();
  expect((await costOf(store)).entries).toEqual({});
});
