import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackId } from '../../../src/storage/sqlite/packed-ids.ts';
import { migrate } from '../../../src/storage/sqlite/schema.ts';
import { openReader, openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import type { Database, Value } from '../../../src/storage/sqlite/sqlite.ts';
import { chooseColumnType } from '../../../src/storage/sqlite/column-types.ts';
import { Table } from '../../../src/storage/sqlite/table.ts';
import { entity } from '../../../src/storage/entities/entity.ts';
import { flag, integer, json, text, textOrNull } from '../../../src/storage/entities/fields.ts';
import { aDelivery, aMessage, sealedBytes } from '../conformance/samples.ts';
import { freshDirectory, openIn } from './open.ts';
import { tables } from '../../support/stores.ts';

/** A file as the program of schema version 2 made it, with one row of each important table. */
async function fileOfVersion2(dataDir: string): Promise<void> {
  const db = await openWriter(join(dataDir, 'trunkline.db'));
  db.exec(await readFile(new URL('./schema-2.sql', import.meta.url), 'utf8'));
  db.exec(`
    insert into accounts values ('a', 'ada@example.com', 'Ada', 1);
    insert into channels (id, account_id, channel_type, identity, name, is_active, is_dual_use, echo_statuses,
      connected_at, created_at, phone_number_id, phone_number, business_account_id, quality_rating,
      photoapp_account_id, photoapp_username, page_id)
    values ('c1', 'a', 'chatapp', '42', 'Shop', 1, 1, 0, 1, 1, '42', '+1 555', '31', 'GREEN', null, null, null),
      ('c2', 'a', 'photoapp', '17', 'shop', 1, 0, 0, 2, 2, null, null, null, null, '17', 'shop', '52'),
      ('c3', 'a', 'pagechat', '52', 'Shop', 1, 0, 0, 3, 3, null, null, null, null, null, null, '52'),
      ('c4', 'a', 'pagechat', '53', null, 0, 0, 0, null, 4, null, null, null, null, null, null, null);
    insert into messages values ('m', 'c', 'a', 'chatapp', 'service', '4917', 'queued', 0, 0, 1, 2, 3, null,
      '["up.1"]', null, null, 1, 4, null, x'2a');
    insert into deliveries values ('d', 'c', 'a', 'message.read', 'm', 'pending', 0, null, 5, null, 1, 4, x'2b');`);
  db.close();
}

/** Of every item: whether its bytes are in its row, and whether they are in the table of bytes. */
async function bytesIn(dataDir: string, table: string, field: string, apart: string) {
  const db = await openReader(join(dataDir, 'trunkline.db'));
  try {
    return db
      .prepare<{ id: Value; isWithin: number; isApart: number }>(
        `select id, ${field} is not null as isWithin, bytes is not null as isApart
         from ${table} left join ${apart} on place = ${field}_place order by ${table}.rowid`,
      )
      .all()
      .map((row) => ({ ...row, id: unpackId(row.id) }));
  } finally {
    db.close();
  }
}

const payloadsIn = (dataDir: string) => bytesIn(dataDir, 'deliveries', 'payload', 'delivery_payloads');
const contentsIn = (dataDir: string) => bytesIn(dataDir, 'messages', 'content', 'message_contents');

/** The columns and indexes of every table. */
function shapeOf(db: Database) {
  const columns = db
    .prepare<{ tbl: string; name: string }>(
      `select tables.name as tbl, columns.* from sqlite_master as tables, pragma_table_info(tables.name) as columns
       where tables.type = 'table' order by tables.name, columns.cid`,
    )
    .all();
  const indexes = db
    .prepare<{ name: string; sql: string | null }>(
      `select name, sql from sqlite_master where type = 'index' order by name`,
    )
    .all();
  // An index for lists may end with the id, as an earlier build made it: to rebuild it would delay a start for minutes.
  const shaped = (sql: string | null) =>
    sql?.replaceAll(/\s+/g, ' ').replace(/_?at, id\)/, (last) => last.replace(', id', ''));
  return { columns, indexes: indexes.map(({ name, sql }) => [name, shaped(sql)]) };
}

describe('a file of an earlier version', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = freshDirectory();
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  test('is upgraded to this version with all its content', async () => {
    await fileOfVersion2(dataDir);
    const store = await openIn(dataDir);
    expect(await store.stores.accounts.byId('a')).toEqual({
      id: 'a',
      email: 'ada@example.com',
      name: 'Ada',
      suspendedAt: null,
      suspendedWhy: null,
      note: null,
      createdAt: 1,
    });
    const loaded = await store.channelState.load('c', 2, 0, 10);
    expect(loaded.openMessages).toMatchObject([{ id: 'm', upstreamIds: ['up.1'], tries: 2 }]);
    expect(await store.channelState.deliveryPayload('c', 'd')).toEqual(new Uint8Array([0x2b]));
    const { items } = await store.stores.channels.list('a', { limit: null, cursor: null });
    expect(items.map(({ profile, subscribedAsset }) => ({ profile, subscribedAsset }))).toEqual([
      {
        profile: {
          type: 'chatapp',
          phoneNumberId: '42',
          phoneNumber: '+1 555',
          businessAccountId: '31',
          qualityRating: 'GREEN',
          isDualUse: true,
        },
        subscribedAsset: '31',
      },
      {
        profile: { type: 'photoapp', accountId: '17', username: 'shop', pageId: '52' },
        subscribedAsset: '52',
      },
      { profile: { type: 'pagechat', pageId: '52' }, subscribedAsset: '52' },
    ]);
    expect(await store.stores.channels.countActiveOn('52')).toBe(2);
    expect((await store.stores.channels.findClaimant('pagechat', '53'))?.profile).toBeNull();
    await store.close();
  });

  test('a payload within the row of its delivery is read and erased like one in its own table', async () => {
    const store = await openIn(dataDir);
    const journal = store.channelState;
    const apart = aDelivery('c', { payload: sealedBytes('apart'), epoch: 2 });
    await journal.commit('c', 2, [{ write: 'insertDelivery', delivery: apart }]);
    expect(await payloadsIn(dataDir)).toEqual([
      { id: 'd', isWithin: 1, isApart: 0 },
      { id: apart.id, isWithin: 0, isApart: 1 },
    ]);
    const { deliveries } = await journal.load('c', 2, 0, 10);
    expect(deliveries.map(({ id, bytes }) => [id, bytes])).toEqual([
      ['d', 1],
      [apart.id, apart.payload?.byteLength],
    ]);
    expect(await journal.deliveryPayload('c', 'd')).toEqual(new Uint8Array([0x2b]));
    expect(await journal.deliveryPayload('c', apart.id)).toEqual(new Uint8Array(apart.payload ?? []));

    // Both fail and are kept; then one is erased by age, and the other is revived and delivered.
    const ended = { attempts: 1, firstTriedAt: 1, nextDueAt: 1, lastResult: '500', attemptLog: null };
    const kept = { keptSince: 5, keptBytes: 1 };
    for (const deliveryId of ['d', apart.id])
      await journal.commit('c', 2, [
        { write: 'recordAttempt', deliveryId, attempt: { ...ended, state: 'failed', kept } },
      ]);
    expect((await payloadsIn(dataDir)).map(({ isWithin, isApart }) => isWithin + isApart)).toEqual([1, 1]);
    await journal.commit('c', 2, [{ write: 'reviveDelivery', deliveryId: 'd', keptSince: 5, at: 6 }]);
    expect(await store.stores.keptDeliveries.erase('c', 5)).toBe(1);
    expect(await payloadsIn(dataDir)).toEqual([
      { id: 'd', isWithin: 1, isApart: 0 },
      { id: apart.id, isWithin: 0, isApart: 0 },
    ]);
    await journal.commit('c', 2, [
      { write: 'recordAttempt', deliveryId: 'd', attempt: { ...ended, state: 'delivered' } },
    ]);
    expect((await payloadsIn(dataDir)).every(({ isWithin, isApart }) => isWithin + isApart === 0)).toBe(true);
    await store.close();
  });

  test('a content within the row of its message is read and erased like one in its own table', async () => {
    const store = await openIn(dataDir);
    const journal = store.channelState;
    const apart = aMessage('c', { content: sealedBytes('apart '.repeat(50)), epoch: 2 });
    const short = aMessage('c', { content: sealedBytes('short'), epoch: 2 });
    for (const message of [apart, short]) await journal.commit('c', 2, [{ write: 'insertMessage', message }]);
    expect(await contentsIn(dataDir)).toEqual([
      { id: 'm', isWithin: 1, isApart: 0 },
      { id: apart.id, isWithin: 0, isApart: 1 },
      { id: short.id, isWithin: 1, isApart: 0 },
    ]);
    const { openMessages } = await journal.load('c', 2, 0, 10);
    const bytesOf = (bytes: Uint8Array | null) => new Uint8Array(bytes ?? []);
    expect(openMessages.map(({ id, content }) => [id, bytesOf(content)])).toEqual([
      ['m', new Uint8Array([0x2a])],
      [apart.id, bytesOf(apart.content)],
      [short.id, bytesOf(short.content)],
    ]);

    for (const messageId of ['m', apart.id, short.id])
      await journal.commit('c', 2, [
        { write: 'recordAccepted', messageId, upstreamId: null, rank: 0, at: 7 },
      ]);
    expect(await contentsIn(dataDir)).toEqual([
      { id: 'm', isWithin: 0, isApart: 0 },
      { id: apart.id, isWithin: 0, isApart: 0 },
      { id: short.id, isWithin: 0, isApart: 0 },
    ]);
    await store.close();
  });

  test('has the same columns and indexes after the upgrade as a new one', async () => {
    const upgraded = await openReader(join(dataDir, 'trunkline.db'));
    const fresh = await openWriter(join(dataDir, 'fresh.db'));
    migrate(fresh, tables);
    expect(sorted(shapeOf(upgraded))).toEqual(sorted(shapeOf(fresh)));
    upgraded.close();
    fresh.close();
  });
});

/** Columns that were added to a table are at its end, so their place may differ. */
function sorted({ columns, indexes }: ReturnType<typeof shapeOf>) {
  const names = columns.map((column) => JSON.stringify({ ...column, cid: 0 }));
  return { columns: names.toSorted(), indexes };
}

describe('the mapping of an entity to its table', () => {
  interface Note {
    id: string;
    title: string;
  }
  type LaterNote = Note & { isPinned: boolean; tags: string[]; shelf: string | null; readAt: number };
  const note = { id: text(), title: text() };
  const later = {
    ...note,
    isPinned: flag({ before: true }),
    tags: json<string[]>({ before: ["it's"] }),
    shelf: textOrNull<string>(),
    readAt: integer({ before: 7 }),
  };

  test('an added field has its previous meaning in older rows', async () => {
    const dataDir = freshDirectory();
    const db = await openWriter(join(dataDir, 'notes.db'));
    const before = new Table(entity<Note>('notes', { fields: note, indexes: {} }));
    before.complete(db);
    before.insert(db)({ id: 'n', title: 'first' });

    const notes = new Table(
      entity<LaterNote>('notes', {
        fields: later,
        indexes: { shelf: { on: ['shelf'], file: 'notes_by_shelf' } },
      }),
    );
    notes.complete(db);
    notes.complete(db);
    const second = { id: 'o', title: 'second', isPinned: false, tags: [], shelf: 'top', readAt: 9 };
    notes.insert(db)(second);
    const rows = db.prepare<Record<keyof LaterNote, string>>(`select ${notes.list} from notes order by id`);
    expect(rows.all().map((row) => notes.of(row))).toEqual([
      { id: 'n', title: 'first', isPinned: true, tags: ["it's"], shelf: null, readAt: 7 },
      second,
    ]);
    db.close();
    await rm(dataDir, { recursive: true });
  });

  test('a value that is read often is parsed once per text, up to a bound, and changes with its text', () => {
    const { toColumn, fromColumn } = chooseColumnType(json<readonly number[]>({ readOften: 10 }), false);
    const first = fromColumn(toColumn([1, 2]));
    expect(first).toEqual([1, 2]);
    expect(fromColumn('[1,2]')).toBe(first);
    expect(fromColumn('[1,3]')).toEqual([1, 3]);
    expect(fromColumn('[1,4]')).toEqual([1, 4]);
    expect(fromColumn('[1,2]')).not.toBe(first);
    expect(fromColumn('[1,2,3,4,5,6,7]')).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('a property is written and read unchanged, whichever columns are selected', async () => {
    const dataDir = freshDirectory();
    const db = await openWriter(join(dataDir, 'notes.db'));
    const notes = new Table(entity<LaterNote>('notes', { fields: later, indexes: {} }));
    notes.complete(db);
    notes.insert(db)({ id: 'n', title: '?1 :a', isPinned: true, tags: ['a', 'b'], shelf: null, readAt: 0 });
    const some = notes.pick('isPinned', 'tags');
    const row = db.prepare<Record<'isPinned' | 'tags', string>>(`select ${some.list} from notes`).get();
    expect(row === undefined ? null : some.of(row)).toEqual({ isPinned: true, tags: ['a', 'b'] });
    db.close();
    await rm(dataDir, { recursive: true });
  });
});
