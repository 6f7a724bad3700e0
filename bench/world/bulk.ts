/**
 * Fills the embedded store of a service that does not run. SQLite makes the rows by itself, without an index to keep, so that a hundred
 * million take minutes.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { packId } from '../../src/storage/sqlite/packed-ids.ts';
import type { Database, Value } from '../../src/storage/sqlite/sqlite.ts';
import { openDatabase } from './channels.ts';

/** Enough for the index of random ids of fifty million deliveries. */
const cacheKb = 3_000_000;

/** The indexes of messages and deliveries are made after `fill`. */
export async function fillInBulk(dataDir: string, fill: (db: Database) => void): Promise<void> {
  await collectGarbage();
  const db = await openDatabase(dataDir);
  db.exec(`
    pragma journal_mode = delete; pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive;
    pragma cache_size = -${cacheKb}; pragma temp_store = default`);
  const indexes = dropIndexes(db);
  fill(db);
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

/** A UUID of version 7: the time, then digits that differ from message to message. */
export function messageId(at: string): string {
  return `unhex(printf('%012x7%03x8%03x%012x', ${at}, i % 4096, i * 7919 % 4096, i * 2654435761 % 281474976710656))`;
}

/** SQL: a UUID's 32 digits as its text. */
export function asText(hex: string): string {
  const parts = [
    [1, 8],
    [9, 4],
    [13, 4],
    [17, 4],
    [21, 12],
  ].map(([from, length]) => `substr(${hex}, ${from}, ${length})`);
  return `lower(${parts.join(` || '-' || `)})`;
}

/** In a temporary table `past_channels`, with the place of each in the list. */
export function keepChannels(db: Database, channels: readonly string[]): void {
  db.exec('create temp table past_channels (at integer primary key, id any)');
  const add = db.prepare('insert into past_channels (at, id) values (?, ?)');
  for (const [at, id] of channels.entries()) add.run(at, packId(id));
}

interface Copied {
  count: number;
  table: 'messages' | 'deliveries';
  /** A temporary table: one from which an insert reads would be copied first. */
  like: string;
  /** SQL over `i`: which of `count` are made; all unless given. */
  only?: string;
}

/** Each row of `like`, for each `i` from 0 on. `instead`: SQL of the columns that differ from row to row, by name. */
export function copyRows(
  db: Database,
  { count, table, like, only = 'true' }: Copied,
  instead: Readonly<Record<string, string>>,
): void {
  const [first] = db.prepare<Record<string, Value>>(`select * from ${like}`).all();
  if (first === undefined) return;
  const columns = Object.keys(first);
  const values = columns.map((column) => instead[column] ?? `it.${column}`);
  // `cross join` fixes the order: rows in the order of time.
  db.exec(`
    begin;
    insert into ${table} (${columns.join(', ')})
      with recursive n (i) as (select 0 union all select i + 1 from n where i < ${count - 1})
      select ${values.join(', ')} from n cross join ${like} as it where ${only};
    commit`);
}

/** Of all messages but the first, which has its own. */
export function insertUpstreamIds(db: Database): void {
  db.exec(`
    insert into message_upstream_ids (channel_id, upstream_id, message_id)
      select channel_id, 'wamid.' || ${asText('hex(id)')}, id from messages
      where rowid > (select min(rowid) from messages) order by channel_id, id`);
}
