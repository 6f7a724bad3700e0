/** [faults: 533] DATA_DIR is copied file by file, as `cp -a` does, while a service runs or after it has ended. */
import { cpSync, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { openEmbeddedStore } from '../../support/stores.ts';
import type { EmbeddedStore } from '../../support/stores.ts';
import { aMessage } from '../conformance/samples.ts';
import { freshDirectory, openIn } from './open.ts';

let dataDir: string;
let copy: string;
let lines: { msg: string }[];
beforeEach(() => {
  dataDir = freshDirectory();
  copy = join(dataDir, 'copy');
  mkdirSync(copy);
  lines = [];
});
afterEach(() => rm(dataDir, { recursive: true }));

const copyFiles = (...names: string[]): void => {
  for (const name of names) cpSync(join(dataDir, name), join(copy, name), { preserveTimestamps: true });
};

const besides = ['trunkline.db-wal', 'trunkline.db-shm', 'store-mark'];

/** Enough for new pages in each tree. */
async function insertMany(store: EmbeddedStore): Promise<void> {
  const channelId = newId();
  for (let n = 0; n < 20; n += 1)
    await store.channelState.commit(
      channelId,
      1,
      Array.from({ length: 50 }, () => ({ write: 'insertMessage', message: aMessage(channelId) })),
    );
}

function openCopy(folder = copy): Promise<EmbeddedStore> {
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  return openEmbeddedStore({ dataDir: folder, log });
}

const saysThatItChecks = (): boolean => lines.some(({ msg }) => msg === 'store.checking_copy');

test('the file, and then its log after the next checkpoint: the start ends with one line that says so', async () => {
  let store = await openIn(dataDir);
  await insertMany(store);
  await store.close();
  copyFiles('trunkline.db');
  store = await openIn(dataDir);
  await insertMany(store);
  await store.close(); // the checkpoint
  store = await openIn(dataDir);
  await insertMany(store);
  copyFiles(...besides);
  await store.close();
  await expect(openCopy()).rejects.toThrow(
    /trunkline\.db is damaged \((?:Error: )?database disk image is malformed: .+\), as when the files of a running service were copied, and was left as it is: .*restore a backup$/,
  );
  expect(saysThatItChecks()).toBe(true);
});

test('files that fit together are checked once, and open', async () => {
  const store = await openIn(dataDir);
  await insertMany(store);
  copyFiles('trunkline.db', ...besides); // no checkpoint in between
  await store.close();
  await (await openCopy()).close();
  expect(saysThatItChecks()).toBe(true);
  lines = [];
  await (await openCopy()).close();
  expect(saysThatItChecks()).toBe(false);
});

test('the directory itself is not checked', async () => {
  await (await openIn(dataDir)).close();
  await (await openCopy(dataDir)).close();
  expect(saysThatItChecks()).toBe(false);
});
