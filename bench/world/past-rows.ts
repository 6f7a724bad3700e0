/**
 * Rows of past messages in the embedded store of a service that does not run. SQLite makes them by itself, without an index to keep, so
 * that a hundred million take minutes: rows in the order of time, as a service writes them, then the indexes.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { packId } from '../../src/storage/sqlite/packed-ids.ts';
import type { Database, Value } from '../../src/storage/sqlite/sqlite.ts';
import { openDatabase } from './channels.ts';

interface PastRows {
  /** Ids; half of the messages belong to the first thousand, so that those have a long history. */
  channels: readonly string[];
  messages: number;
  /** Time of the last message, ms since 1970; the others were sent before it, ten a second. */
  until: number;
}

const everyMs = 100;
/** Enough for the index of random ids of fifty million deliveries. */
const cacheKb = 3_000_000;

/** Copies the only message of the store, with its upstream id and its deliveries. All ids and times differ. */
export async function insertPast(dataDir: string, { channels, messages, until }: PastRows): Promise<void> {
  if (messages === 0) return;
  await collectGarbage();
  const db = await openDatabase(dataDir);
  db.exec(`
    pragma journal_mode = delete; pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive;
    pragma cache_size = -${cacheKb}; pragma temp_store = default`);
  const indexes = dropIndexes(db);
  keepSamples(db, channels);
  const n = `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${messages - 1})`;
  const at = `(${until - messages * everyMs} + i * ${everyMs})`;
  const among = `iif(i % 2 = 0, min(1000, ${channels.length}), ${channels.length})`;
  const channel = `(select id from past_channels where at = i * 7919 % ${among})`;
  const ofMessage = { channel_id: channel, created_at: at, attempted_at: at };
  copyRows(db, n, 'messages', {
    ...ofMessage,
    id: messageId(at),
    recipient: `cast(4915900000000 + i % 1000000 as text)`,
    upstream_ids: `'["wamid.' || ${asText(`hex(${messageId(at)})`)} || '"]'`,
  });
  // Ids of deliveries are hashes.
  copyRows(db, n, 'deliveries', {
    channel_id: channel,
    created_at: `${at} + 1`,
    id: 'randomblob(16)',
    message_id: messageId(at),
  });
  db.exec(`
    insert into message_upstream_ids (channel_id, upstream_id, message_id)
      select channel_id, 'wamid.' || ${asText('hex(id)')}, id from messages
      where rowid > (select min(rowid) from messages) order by channel_id, id`);
  for (const sql of indexes) db.exec(sql);
  db.exec('pragma locking_mode = normal; pragma journal_mode = wal');
  db.close();
  await flush(join(dataDir, 'trunkline.db'));
}

/** The packaged driver keeps a closed connection open, and its lock on the file, until its statements are garbage-collected. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  await setImmediate(); // finalizers run after the turn
}

/** Without this the disk would still be writing during the measurement. */
async function flush(path: string): Promise<void> {
  const file = await open(path);
  await file.sync();
  await file.close();
}

/** A UUID of version 7: the time, then digits that differ from message to message. */
function messageId(at: string): string {
  return `unhex(printf('%012x7%03x8%03x%012x', ${at}, i % 4096, i * 7919 % 4096, i * 2654435761 % 281474976710656))`;
}

/** SQL: a UUID's 32 digits as its text. */
function asText(hex: string): string {
  const parts = [
    [1, 8],
    [9, 4],
    [13, 4],
    [17, 4],
    [21, 12],
  ].map(([from, length]) => `substr(${hex}, ${from}, ${length})`);
  return `lower(${parts.join(` || '-' || `)})`;
}

/** Returns the statements that make them again. Indexes of primary keys stay. */
function dropIndexes(db: Database): string[] {
  const found = db
    .prepare<{ name: string; sql: string }>(
      `select name, sql from sqlite_master
       where type = 'index' and sql is not null and tbl_name in ('messages', 'deliveries')`,
    )
    .all();
  for (const { name } of found) db.exec(`drop index ${name}`);
  return found.map(({ sql }) => sql);
}

/** Keeps the rows to copy in temporary tables: a table from which an insert reads would be copied first. */
function keepSamples(db: Database, channels: readonly string[]): void {
  db.exec(`
    create temp table past_messages as select * from messages limit 1;
    create temp table past_deliveries as select * from deliveries;
    create temp table past_channels (at integer primary key, id any)`);
  const add = db.prepare('insert into past_channels (at, id) values (?, ?)');
  for (const [at, id] of channels.entries()) add.run(at, packId(id));
}

/** `instead`: SQL of the columns that differ from row to row, by name. */
function copyRows(
  db: Database,
  n: string,
  table: 'messages' | 'deliveries',
  instead: Readonly<Record<string, string>>,
): void {
  const [like] = db.prepare<Record<string, Value>>(`select * from past_${table}`).all();
  if (like === undefined) return;
  const columns = Object.keys(like);
  const values = columns.map((column) => instead[column] ?? `it.${column}`);
  // `cross join` fixes the order: rows in the order of time.
  db.exec(`
    begin;
    insert into ${table} (${columns.join(', ')}) ${n}
      select ${values.join(', ')} from n cross join past_${table} as it;
    commit`);
}
