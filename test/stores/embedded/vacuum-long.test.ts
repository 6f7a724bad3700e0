/** [faults: 125] Erased content leaves the file: a new file shrinks by itself, one of an earlier version after its backup has replaced it. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { backUp } from '../../../src/storage/sqlite/back-up.ts';
import { databaseClass, openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import type { Database } from '../../../src/storage/sqlite/sqlite.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { until } from '../../support/until.ts';
import { freshDirectory, openIn } from './open.ts';

const closing = closeAfterEach();

async function directory(): Promise<string> {
  const dataDir = freshDirectory();
  closing(() => rm(dataDir, { recursive: true }));
  return dataDir;
}

const fileOf = (dataDir: string): string => join(dataDir, 'trunkline.db');
const sizeOf = async (dataDir: string): Promise<number> => (await stat(fileOf(dataDir))).size;
const modeOf = (db: Database): unknown => db.prepare('pragma auto_vacuum').get();

/** 16 MB of rows, all erased again. */
function fillAndErase(db: Database): void {
  db.exec(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < 4000)
      insert into parked_facts (id, channel_id, at, facts) select 'p' || i, 'channel', i, randomblob(4000) from n;
    delete from parked_facts;
    pragma wal_checkpoint(truncate)`);
}

test('a file shrinks while the store is open, and keeps some room for new rows', async () => {
  const dataDir = await directory();
  await (await openIn(dataDir)).close();
  const db = await openWriter(fileOf(dataDir));
  fillAndErase(db);
  db.close();
  const full = await sizeOf(dataDir);
  const store = await openIn(dataDir);
  const reader = await openWriter(fileOf(dataDir));
  closing(() => reader.close());
  const pages = (): number => Number(Object.values(Object(reader.prepare('pragma page_count').get()))[0]);
  await until('the erased pages to be given back', () => pages() * 4_096 < full / 2, 90_000);
  await store.close();
  const left = await sizeOf(dataDir);
  expect(left).toBeLessThan(full / 2);
  expect(left).toBeGreaterThan(3_000_000);
});

test('a file of an earlier version is opened unchanged; its backup can shrink', async () => {
  const dataDir = await directory();
  const Database = await databaseClass();
  const old = new Database(fileOf(dataDir));
  old.exec('pragma journal_mode = wal; create table earlier (id text)');
  old.close();
  const store = await openIn(dataDir);
  const copy = await directory();
  await backUp(dataDir, copy);
  await store.close();

  const [before, after] = [await openWriter(fileOf(dataDir)), await openWriter(fileOf(copy))];
  closing(() => before.close());
  closing(() => after.close());
  expect([modeOf(before), modeOf(after)]).toEqual([{ auto_vacuum: 0 }, { auto_vacuum: 2 }]);
});
