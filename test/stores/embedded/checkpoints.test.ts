/** [faults: 212, I9] The WAL is copied into the file beside the writing thread, and begins anew; without the checkpointing thread too. */
import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Checkpoints } from '../../../src/storage/sqlite/checkpoints.ts';
import type { CheckpointTrouble } from '../../../src/storage/sqlite/protocol.ts';
import { isAtLeast, openReader, openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import type { Database } from '../../../src/storage/sqlite/sqlite.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { until } from '../../support/until.ts';
import { aMessage, sealedBytes } from '../conformance/samples.ts';
import { freshDirectory } from './open.ts';
import { openEmbeddedStore } from '../../support/stores.ts';

const closing = closeAfterEach();

const dying = new URL('./dying-checkpointer.mjs', import.meta.url);
const failing = new URL('./failing-checkpointer.mjs', import.meta.url);
const counting = new URL('./counting-checkpointer.mjs', import.meta.url);

interface Opened {
  path: string;
  troubles: CheckpointTrouble[];
  db: Database;
  checkpoints: Checkpoints;
}

async function open(module?: URL): Promise<Opened> {
  const dataDir = freshDirectory();
  const path = join(dataDir, 'checkpoints.db');
  const db = await openWriter(path);
  db.exec('create table filled (bytes blob)');
  const troubles: CheckpointTrouble[] = [];
  const checkpoints = new Checkpoints(
    db,
    { path },
    { onTrouble: (trouble) => troubles.push(trouble), module },
  );
  closing(async () => {
    await checkpoints.end();
    db.close();
    await rm(dataDir, { recursive: true });
  });
  return { path, troubles, db, checkpoints };
}

interface Frames {
  log: number;
  checkpointed: number;
}

function countFrames(db: Database): Frames {
  return db.prepare<Frames>('pragma wal_checkpoint(noop)').get() ?? { log: NaN, checkpointed: NaN };
}

/** Adds this many pages to the WAL, in transactions of a hundred. */
function fill(db: Database, pages: number): void {
  for (let written = 0; written < pages; written += 100) {
    db.exec(`
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 50)
        insert into filled select randomblob(7000) from n`);
  }
}

const isCopied = (db: Database): boolean => {
  const { log, checkpointed } = countFrames(db);
  return log === checkpointed;
};

const untilCopied = (db: Database): Promise<unknown> =>
  until('all pages to be copied', () => Promise.resolve(isCopied(db)));

test('no commit copies the pages of a long WAL: the checkpointing thread does, and the WAL begins anew', async () => {
  const { db, checkpoints } = await open();
  fill(db, 5_000);
  expect(countFrames(db).checkpointed).toBe(0);
  checkpoints.afterBatch();
  expect(countFrames(db).checkpointed).toBe(0);
  await untilCopied(db);
  fill(db, 100);
  expect(countFrames(db).log).toBeLessThan(300);
});

test('the store copies its WAL in the checkpointing thread', async () => {
  const dataDir = freshDirectory();
  const logged: string[] = [];
  const log = makeLog('info', { write: (line) => void logged.push(line) });
  const store = await openEmbeddedStore({ dataDir, log });
  const db = await openWriter(join(dataDir, 'trunkline.db'));
  closing(async () => {
    db.close();
    await store.close();
    await rm(dataDir, { recursive: true });
  });
  const content = sealedBytes('x'.repeat(6_000));
  let longest = 0;
  await until('the WAL to begin anew', async () => {
    const writes = Array.from({ length: 100 }, () => ({
      write: 'insertMessage' as const,
      message: aMessage('c', { content }),
    }));
    await store.channelState.commit('c', 1, writes);
    const { log: frames } = countFrames(db);
    longest = Math.max(longest, frames);
    return frames < longest;
  });
  expect(logged).toEqual([]);
});

test('a short WAL is left alone', async () => {
  const { db, checkpoints } = await open(dying);
  fill(db, 2_000);
  checkpoints.afterBatch();
  await checkpoints.end();
  expect(countFrames(db).checkpointed).toBe(0);
});

test('writes go on during a checkpoint, and the WAL begins anew all the same', async () => {
  const { db, checkpoints } = await open();
  fill(db, 4_000);
  checkpoints.afterBatch();
  for (let batch = 0; batch < 300; batch += 1) {
    await endOfTurn();
    fill(db, 100);
    checkpoints.afterBatch();
  }
  await checkpoints.end();
  expect(db.prepare('select count(*) as "all" from filled').get()).toEqual({ all: (4_000 + 300 * 100) / 2 });
  expect(countFrames(db).log).toBeLessThan(16_000);
});

test('a reader that stays, such as a backup, causes no endless passes', async () => {
  const { db, path, checkpoints } = await open(counting);
  fill(db, 100);
  const reader = await openReader(path);
  closing(() => reader.close());
  reader.exec('begin; select * from filled');
  fill(db, 4_000);
  for (let batch = 0; batch < 60; batch += 1) {
    fill(db, 100);
    checkpoints.afterBatch();
    await endOfTurn();
  }
  await checkpoints.end();
  const passes = (await readFile(`${path}.passes`, 'utf8')).trim().split('\n');
  expect(passes.length).toBeLessThanOrEqual(2 * 4);
});

test('after a reader that stayed for more than a WAL of 64 MB the thread goes on as before', async () => {
  const { db, path, checkpoints } = await open();
  fill(db, 100);
  const reader = await openReader(path);
  closing(() => reader.close());
  reader.exec('begin; select * from filled');
  for (let batch = 0; batch < 20; batch += 1) {
    fill(db, 1_000);
    checkpoints.afterBatch();
    await endOfTurn();
  }
  reader.exec('commit');
  await until('the WAL to begin anew', () => {
    fill(db, 100);
    return Promise.resolve(countFrames(db).log < 4_000);
  });
  checkpoints.afterBatch();
  fill(db, 5_000);
  await until('the thread to copy all pages', () => {
    checkpoints.afterBatch();
    return Promise.resolve(isCopied(db));
  });
});

test('when the thread dies, the writing thread copies the pages, and the next checkpoint starts another thread', async () => {
  const { db, troubles, checkpoints } = await open(dying);
  for (const _ of [1, 2]) {
    fill(db, 5_000);
    expect(isCopied(db)).toBe(false);
    checkpoints.afterBatch();
    await untilCopied(db);
  }
  const died = { type: 'checkpoint-trouble', what: 'thread-died', why: 'it ended' };
  expect(troubles).toEqual([died, died]);
});

test('when the thread cannot be started, the writing thread copies the pages', async () => {
  const { db, troubles, checkpoints } = await open(new URL('https://nowhere.test/thread.js'));
  fill(db, 5_000);
  checkpoints.afterBatch();
  expect(isCopied(db)).toBe(true);
  expect(troubles).toMatchObject([{ what: 'thread-died' }]);
});

test('after a failure the WAL is kept, and the next checkpoint comes when it has grown', async () => {
  const { db, troubles, checkpoints } = await open(failing);
  fill(db, 5_000);
  checkpoints.afterBatch();
  await until('the failure to be told', () => Promise.resolve(troubles.length === 1));
  checkpoints.afterBatch();
  await endOfTurn();
  expect(countFrames(db).checkpointed).toBe(0);
  fill(db, 5_000);
  checkpoints.afterBatch();
  await until('the next failure', () => Promise.resolve(troubles.length === 2));
  expect(troubles).toMatchObject([{ what: 'copy-failed' }, { what: 'sync-failed' }]);
});

test('without any checkpoint the writing thread copies a WAL of 64 MB within a commit', async () => {
  const { db } = await open(dying);
  fill(db, 20_000);
  expect(countFrames(db).log).toBeLessThan(16_000);
});

(existsSync('/proc/locks') ? test : test.skip)(
  'the file stays locked when the thread has ended',
  async () => {
    const { db, path, checkpoints } = await open();
    const { ino } = await stat(path);
    const locks = async (): Promise<string[]> =>
      (await readFile('/proc/locks', 'utf8')).split('\n').filter((line) => line.includes(`:${ino} `));
    expect(await locks()).toHaveLength(1);
    fill(db, 5_000);
    checkpoints.afterBatch();
    await untilCopied(db);
    await checkpoints.end();
    expect(await locks()).toHaveLength(1);
  },
);

test.each([
  ['3.51.3', true],
  ['3.51.10', true],
  ['3.52.0', true],
  ['4.0.0', true],
  ['3.51.2', false],
  ['3.50.9', false],
  ['2.99.99', false],
  [undefined, false],
])('SQLite %s may serve two connections: %s', (version, isFit) => {
  expect(isAtLeast(version, [3, 51, 3])).toBe(isFit);
});
