import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeStores } from '../../../src/features/stores.ts';
import { engineOn } from '../../../src/storage/sqlite/index.ts';
import { WriterThread } from '../../../src/storage/sqlite/writer-thread.ts';
import { operationsOn } from '../../../src/storage/sqlite/operations/index.ts';
import { readerOn } from '../../../src/storage/sqlite/reader.ts';
import { migrate } from '../../../src/storage/sqlite/schema.ts';
import { openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import type { Database } from '../../../src/storage/sqlite/sqlite.ts';
import { channelStateStore } from '../../../src/storage/sqlite/stores/channel-state.ts';
import { silentLog } from '../../support/silent-log.ts';
import { useAll } from '../use-all.ts';
import { freshDirectory } from './open.ts';
import { storeWriter } from '../../../src/app/take-directory.ts';
import { tables } from '../../support/stores.ts';

/** Every statement of the store: those that are prepared at its start, and those that its use adds. */
async function statementsOf(db: Database, path: string): Promise<string[]> {
  const seen = new Set<string>();
  const recording: Database = {
    exec: (sql) => db.exec(sql),
    close: () => db.close(),
    prepare(sql) {
      seen.add(sql);
      return db.prepare(sql);
    },
  };
  const operations = new Map<string, unknown>(Object.entries(operationsOn(recording, tables)));
  const writer = new WriterThread({ path }, silentLog, { writer: storeWriter });
  writer.call = async (name, ...args) => Reflect.apply(Object(operations.get(name)), undefined, args);
  const stores = makeStores(engineOn(readerOn(recording), writer, join(path, '..', 'media')));
  await useAll({ stores, channelState: channelStateStore(readerOn(recording), writer) });
  return [...seen];
}

describe('plans of the embedded store', () => {
  let db: Database;
  let dataDir: string;
  let statements: string[];
  beforeAll(async () => {
    dataDir = freshDirectory();
    const path = join(dataDir, 'plans.db');
    db = await openWriter(path);
    migrate(db, tables);
    statements = await statementsOf(db, path);
  });
  afterAll(async () => {
    db.close();
    await rm(dataDir, { recursive: true });
  });

  const makePlan = (sql: string) =>
    db
      .prepare<{ detail: string }>(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => detail);

  test('no statement scans a table that grows: each uses an index', () => {
    const scans = statements.flatMap((sql) =>
      makePlan(sql)
        .filter(
          (detail) => detail.startsWith('SCAN') && !/^SCAN (json_each|CONSTANT|\(subquery)/.test(detail),
        )
        .map((detail) => `${detail}: ${sql}`),
    );
    expect(scans).toEqual([]);
    expect(statements.length).toBeGreaterThan(50);
  });

  test('expired rows are a range of an index: a batch reads no row that stays, however large the table is', () => {
    const ofSweep = statements.filter((sql) => /from (messages|deliveries)\s.*created_at < \?/s.test(sql));
    const searches = ofSweep.flatMap((sql) => makePlan(sql).filter((detail) => detail.startsWith('SEARCH')));
    expect(searches.filter((detail) => !detail.endsWith('created_at<?)'))).toEqual([]);
    expect(searches.length).toBeGreaterThan(4);
  });

  test('open work of a channel is read along its own indexes, however long the history of the channel is', () => {
    const open = statements.filter(
      (sql) => /state (= 'pending'|in \('sending', 'queued'\))/.test(sql) && !/\b(id|rowid) = \?/.test(sql),
    );
    const others = open.flatMap((sql) =>
      makePlan(sql).filter(
        (detail) =>
          /^SEARCH (messages|deliveries)/.test(detail) &&
          !/(open_messages|untaken_messages|pending_deliveries|pending_in_order) \(/.test(detail),
      ),
    );
    expect(others).toEqual([]);
    expect(open.length).toBeGreaterThan(6);
  });

  test('no hot statement sorts more than the rows of one millisecond, because its index has the order', () => {
    const hot = statements.filter(
      (sql) => /from (messages|deliveries)/.test(sql) && sql.includes('order by'),
    );
    const sorts = hot.filter((sql) =>
      makePlan(sql).some((detail) => /TEMP B-TREE (?!FOR LAST TERM)/.test(detail)),
    );
    expect(hot.length).toBeGreaterThan(4);
    expect(sorts).toEqual([]);
  });
});
