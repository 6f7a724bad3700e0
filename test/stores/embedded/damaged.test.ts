/** [faults: 560] Pages of the embedded store's file are damaged behind its back, as by a failing disk. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { closeSync, openSync, writeSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backUp } from '../../../src/storage/sqlite/back-up.ts';
import { databaseClass } from '../../../src/storage/sqlite/sqlite.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { openEmbeddedStore } from '../../support/stores.ts';
import type { EmbeddedStore } from '../../support/stores.ts';
import { aKey, aMessage } from '../conformance/samples.ts';
import { freshDirectory, openIn } from './open.ts';

let dataDir: string;
let lines: { msg: string; level: string }[];
beforeEach(() => {
  dataDir = freshDirectory();
  lines = [];
});
afterEach(() => rm(dataDir, { recursive: true }));

/** A store with a message, opened after the first page of a table or index was overwritten. */
async function openedWithout(tree: string): Promise<EmbeddedStore> {
  const before = await openIn(dataDir);
  await insertOne(before);
  await before.close();
  const path = join(dataDir, 'trunkline.db');
  const db = new (await databaseClass())(path);
  const { root = 0 } =
    db.prepare<{ root: number }>('select rootpage as root from sqlite_master where name = ?').get(tree) ?? {};
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0x5a), 0, 4_096, (root - 1) * 4_096);
  closeSync(file);
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  return openEmbeddedStore({ dataDir, log });
}

function insertOne(store: EmbeddedStore) {
  const channelId = newId();
  return store.channelState.commit(channelId, 1, [{ write: 'insertMessage', message: aMessage(channelId) }]);
}

async function isNotWrittenAnyMore(store: EmbeddedStore): Promise<void> {
  expect(store.isReachable()).toBe(false);
  expect(lines.filter(({ msg }) => msg === 'store.damaged')).toMatchObject([
    { level: 'error', why: expect.stringContaining('database disk image is malformed') },
  ]);
  // Of a table that is whole.
  await expect(store.stores.keys.insert(aKey(newId()), 50)).rejects.toThrow(StoreUnavailable);
  expect(store.isReachable()).toBe(false);
  await store.close();
}

test('a write finds it: every caller of the batch is told, it is said once, and nothing is written any more', async () => {
  const store = await openedWithout('messages');
  const results = await Promise.allSettled([insertOne(store), store.stores.keys.insert(aKey(newId()), 50)]);
  for (const result of results) expect(result).toMatchObject({ reason: { name: 'StoreUnavailable' } });
  await isNotWrittenAnyMore(store);
});

test('a read finds it: the same', async () => {
  const store = await openedWithout('sqlite_autoindex_accounts_1');
  await expect(store.stores.accounts.byId(newId())).rejects.toThrow('trunkline.db in DATA_DIR is damaged');
  await isNotWrittenAnyMore(store);
  expect(lines.map(({ msg }) => msg)).toEqual(['store.damaged']);
});

test('a backup of it ends with one line, and leaves nothing that a service would start on [faults: 561]', async () => {
  await (await openedWithout('messages')).close();
  const copy = join(dataDir, 'copy');
  await expect(backUp(dataDir, copy)).rejects.toThrow(
    `no backup: trunkline.db in DATA_DIR ${dataDir} is damaged`,
  );
  expect(await readdir(copy)).toEqual([]);
});
