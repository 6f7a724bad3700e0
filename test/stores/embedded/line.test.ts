import { describe, expect, test } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { batchRunner } from '../../../src/storage/sqlite/batch.ts';
import { WriterThread } from '../../../src/storage/sqlite/writer-thread.ts';
import { operationsOn } from '../../../src/storage/sqlite/operations/index.ts';
import type { OperationCall } from '../../../src/storage/sqlite/protocol.ts';
import { unpackId } from '../../../src/storage/sqlite/packed-ids.ts';
import { migrate } from '../../../src/storage/sqlite/schema.ts';
import { openReader, openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import { yieldToLoop } from '../../../src/kernel/clock.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { silentLog } from '../../support/silent-log.ts';
import { until } from '../../support/until.ts';
import { aDelivery, aHeldFact, aKey, aMessage, noon, sealedBytes } from '../conformance/samples.ts';
import { freshDirectory, openFresh, openIn } from './open.ts';
import { storeWriter } from '../../../src/app/take-directory.ts';
import { startThread } from '../../../src/kernel/worker-thread.ts';
import type { StartWriter } from '../../../src/storage/sqlite/index.ts';
import { tables } from '../../support/stores.ts';

describe('group commit', () => {
  test('1,000 concurrent commits take far fewer transactions, and later ones wait for the next batch', async () => {
    const store = await openFresh();
    const before = store.stats();
    const channels = Array.from({ length: 1_000 }, () => newId());
    const insertOne = (channelId: string) =>
      store.channelState.commit(channelId, 1, [{ write: 'insertMessage', message: aMessage(channelId) }]);
    const results = await Promise.all(
      channels.map(async (id) => [...(await insertOne(id)), ...(await insertOne(id))]),
    );
    expect(results.flat().filter((result) => result.applied)).toHaveLength(2_000);
    const after = store.stats();
    expect(after.calls - before.calls).toBe(2_000);
    expect(after.transactions - before.transactions).toBeLessThan(20);
    await store.close();
  });

  test('a single call does not wait for others', async () => {
    const store = await openFresh();
    const before = store.stats().transactions;
    for (let i = 0; i < 5; i += 1) await store.stores.keys.insert(aKey(newId()), 50);
    expect(store.stats().transactions - before).toBe(5);
    await store.close();
  });

  test('a call that comes two turns of the event loop later goes with the first', async () => {
    const store = await openFresh();
    const channelId = newId();
    const insertOne = () =>
      store.channelState.commit(channelId, 1, [{ write: 'insertMessage', message: aMessage(channelId) }]);
    const before = store.stats();
    const first = insertOne();
    for (let turn = 0; turn < 2; turn += 1) await yieldToLoop();
    await Promise.all([first, insertOne()]);
    expect(store.stats().transactions - before.transactions).toBe(1);
    await store.close();
  });

  const addOne = (store: Awaited<ReturnType<typeof openFresh>>, writes = 1) => {
    const channelId = newId();
    const inserts = Array.from({ length: writes }, () => ({
      write: 'insertMessage' as const,
      message: aMessage(channelId),
    }));
    return store.channelState.commit(channelId, 1, inserts);
  };

  test.each([
    ['a full one', 4_000, 0],
    ['one that has grown for ten milliseconds', 1, 11],
  ])('a batch leaves while each turn of the event loop brings more: %s', async (_, writes, turnMs) => {
    const store = await openFresh();
    const before = store.stats().transactions;
    const all = [addOne(store, writes)];
    for (let turn = 0; turn < 3; turn += 1) {
      for (const end = performance.now() + turnMs; performance.now() < end;);
      await yieldToLoop();
      all.push(addOne(store));
    }
    expect(store.stats().transactions - before).toBe(1);
    await Promise.all(all);
    await store.close();
  });

  test('a failing call of a batch does not fail the others', async () => {
    const store = await openFresh();
    const key = aKey(newId());
    const keys = [key, aKey(newId(), { hash: key.hash }), aKey(newId())];
    const before = store.stats().transactions;
    const results = await Promise.allSettled(keys.map((each) => store.stores.keys.insert(each, 50)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(store.stats().transactions - before).toBe(1);
    expect(await store.stores.keys.activeByHash(keys[2]?.hash ?? '')).toEqual(keys[2]);
    await store.close();
  });

  test('the other calls of a batch with a failing one are applied once', async () => {
    const dataDir = freshDirectory();
    const db = await openWriter(join(dataDir, 'once.db'));
    migrate(db, tables);
    const run = batchRunner(db, operationsOn(db, tables));
    const [key, other] = [aKey(newId()), aKey(newId())];
    const calls: OperationCall[] = [
      ['mintEpoch', 'c'],
      ['insertItems', 'api_keys', [key, other]],
      ['insertItems', 'no such thing', [key]],
      ['mintEpoch', 'c'],
    ];
    expect(run(calls)).toMatchObject({
      type: 'answers',
      answers: [{ ok: true, value: 1 }, { ok: true }, { ok: false }, { ok: true, value: 2 }],
    });
    expect(run([['mintEpoch', 'c']])).toEqual({ type: 'answers', answers: [{ ok: true, value: 3 }] });
    db.close();
    await rm(dataDir, { recursive: true });
  });

  test('a batch has a bounded number of writes, however many one commit has', async () => {
    const store = await openFresh();
    const before = store.stats().transactions;
    const commits = Array.from({ length: 6 }, () => {
      const channelId = newId();
      const writes = Array.from({ length: 1_500 }, () => ({
        write: 'keepWaiting' as const,
        unmatched: aHeldFact(),
      }));
      return store.channelState.commit(channelId, 1, writes);
    });
    expect((await Promise.all(commits)).flat()).toHaveLength(9_000);
    expect(store.stats()).toMatchObject({ transactions: before + 3, waiting: 0 });
    await store.close();
  });

  test('a call that can no longer be written in time is refused at once', async () => {
    const store = await openFresh();
    const writes = Array.from({ length: 10_000 }, () => ({
      write: 'recordUnknown' as const,
      messageId: 'none',
    }));
    const commits = Array.from({ length: 10 }, () => store.channelState.commit('c', 1, writes));
    const results = await Promise.allSettled(commits);
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(4);
    for (const result of refused) {
      expect(result).toMatchObject({ reason: { name: 'StoreUnavailable', applied: 'no' } });
    }
    expect(await store.channelState.commit('c', 1, writes.slice(0, 1))).toEqual([{ applied: true }]);
    await store.close();
  });

  test('close writes what was accepted; later calls are rejected as unavailable', async () => {
    const dataDir = freshDirectory();
    const store = await openIn(dataDir);
    const key = aKey(newId());
    const inserted = store.stores.keys.insert(key, 50);
    await store.close();
    await inserted;
    await expect(store.stores.keys.insert(aKey(newId()), 50)).rejects.toThrow(StoreUnavailable);
    await expect(store.stores.keys.activeByHash(key.hash)).rejects.toThrow(StoreUnavailable);
    const again = await openIn(dataDir);
    expect(await again.stores.keys.activeByHash(key.hash)).toEqual(key);
    await again.close();
    await rm(dataDir, { recursive: true });
  });
});

const threadOf =
  (module: string): StartWriter =>
  (settings, options) =>
    startThread(new URL(module, import.meta.url), { ...options, workerData: settings });

describe('write failures', () => {
  test('a thread that dies rejects its batch; the next call starts another thread', async () => {
    const writer = threadOf('./dying-writer.mjs');
    const line = new WriterThread({ path: 'unused' }, silentLog, { writer });
    await line.start();
    expect(await line.call('releaseClaim', 'a')).toBe(true);
    const results = await Promise.allSettled([
      line.call('releaseClaim', 'a'),
      line.call('releaseClaim', 'b'),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ reason: { name: 'StoreUnavailable', applied: 'unknown' } });
    }
    expect(await line.call('releaseClaim', 'a')).toBe(true);
    expect(line.stats()).toMatchObject({ restarts: 1, waiting: 0 });
    await line.drain();
    await line.end();
  });

  test('[faults: 536] a batch that hangs is said once and waits; what comes behind it is refused, until the disk answers', async () => {
    const logged: unknown[] = [];
    const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line)) });
    let batches = 0;
    let answer = (): void => undefined;
    const writer: StartWriter = (_, { onReady, onAnswer }) => {
      setImmediate(onReady);
      const postMessage = (): void => {
        batches += 1;
        answer = () => onAnswer({ type: 'answers', answers: [{ ok: true, value: true }] });
      };
      return { postMessage };
    };
    const line = new WriterThread({ path: 'unused' }, log, { writer });
    await line.start();
    const look = (times: number): void => Array.from({ length: times }).forEach(() => line.lookForStall());
    look(20);
    expect(line.canWrite).toBe(true);

    const hanging = line.call('releaseClaim', 'a');
    await until('the batch', () => batches === 1);
    const behind = line.call('releaseClaim', 'b');
    look(9);
    expect(line.canWrite).toBe(true);
    look(2);
    const refusal = { name: 'StoreUnavailable', applied: 'no' };
    await expect(behind).rejects.toMatchObject(refusal);
    await expect(line.call('releaseClaim', 'c')).rejects.toMatchObject(refusal);
    expect(line.canWrite).toBe(false);
    expect(logged).toMatchObject([
      { level: 'error', msg: 'store.stalled', seconds: 10, calls: 1 },
      { msg: 'store.write_failed', why: 'the disk does not answer' },
    ]);

    answer();
    expect(await hanging).toBe(true);
    expect(line.canWrite).toBe(true);
    const after = line.call('releaseClaim', 'd');
    await until('the next batch', () => batches === 2);
    answer();
    expect(await after).toBe(true);
  });

  test('a file that could not be synced kills the process, and the log says why', async () => {
    const writer = threadOf('./unsynced-writer.mjs');
    const logged: unknown[] = [];
    const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line)) });
    let kills = 0;
    const line = new WriterThread({ path: 'unused' }, log, { writer, kill: () => (kills += 1) });
    await line.start();
    await line.call('releaseClaim', 'a');
    expect(kills).toBe(1);
    expect(logged).toMatchObject([{ msg: 'store.checkpoint_failed', what: 'sync-failed', why: 'EIO' }]);
    await line.drain();
    await line.end();
  });

  test('[faults: 583] a disk that stays full is one line a minute, not one for each batch', async () => {
    const logged: unknown[] = [];
    const log = makeLog('info', { write: (line) => void logged.push(JSON.parse(line)) });
    const line = new WriterThread({ path: 'unused' }, log, { writer: threadOf('./failing-writer.mjs') });
    await line.start();
    for (let n = 0; n < 10; n += 1)
      await expect(line.call('releaseClaim', 'a')).rejects.toThrow('database or disk is full');
    const said = {
      msg: 'store.write_failed',
      why: 'database or disk is full',
      calls: 1,
      applied: 'no',
      times: 1,
    };
    expect(logged).toEqual([expect.objectContaining(said)]);
    await line.drain();
    await line.end();
  });

  test('a file that cannot be opened is refused at start', async () => {
    const line = new WriterThread({ path: '/does/not/exist/trunkline.db' }, silentLog, {
      writer: storeWriter,
    });
    await expect(line.start()).rejects.toThrow('unable to open database file');
  });

  test('a full disk fails the whole batch, and the next batch is written once there is room', async () => {
    const dataDir = freshDirectory();
    const db = await openWriter(join(dataDir, 'full.db'));
    migrate(db, tables);
    const run = batchRunner(db, operationsOn(db, tables));
    const { page_count: pages } = db.prepare<{ page_count: number }>('pragma page_count').get() ?? {
      page_count: 0,
    };
    const messages = Array.from({ length: 200 }, () => aMessage('c'));
    const calls = messages.map((message): OperationCall => [
      'commit',
      'c',
      1,
      [{ write: 'insertMessage', message }],
    ]);
    db.exec(`pragma max_page_count = ${pages}`);
    expect(run(calls)).toMatchObject({ type: 'batch-failed', applied: 'no' });
    db.exec(`pragma max_page_count = ${pages + 1_000}`);
    expect(run(calls)).toEqual({
      type: 'answers',
      answers: messages.map(() => ({ ok: true, value: [true] })),
    });
    db.close();
    await rm(dataDir, { recursive: true });
  });

  test('a file of a newer version is refused', async () => {
    const dataDir = freshDirectory();
    const db = await openWriter(join(dataDir, 'trunkline.db'));
    db.exec('pragma user_version = 999');
    db.close();
    await expect(openIn(dataDir)).rejects.toThrow('written by a newer version (schema 999');
    await rm(dataDir, { recursive: true });
  });
});

describe('properties of this store only', () => {
  test('the content of a message is erased by the fact that ends it', async () => {
    const dataDir = freshDirectory();
    const store = await openIn(dataDir);
    const channelId = newId();
    const long = { content: sealedBytes('long '.repeat(50)) };
    const [accepted, failed, seen, unsent] = [
      aMessage(channelId, long),
      aMessage(channelId),
      aMessage(channelId, long),
      aMessage(channelId, long),
    ];
    const inserts = [accepted, failed, seen, unsent].map((message) => ({
      write: 'insertMessage' as const,
      message,
    }));
    await store.channelState.commit(channelId, 1, [
      ...inserts,
      { write: 'recordAccepted', messageId: accepted.id, upstreamId: null, rank: 1, at: noon },
      { write: 'recordFailed', messageId: failed.id, error: 'refused', errorCode: 1, at: noon },
      { write: 'recordStatus', messageId: seen.id, status: 'sent', upstreamId: null, at: noon },
    ]);
    const db = await openReader(join(dataDir, 'trunkline.db'));
    const kept = db.prepare<{ id: Uint8Array }>(
      'select id from messages where content is not null or content_place is not null',
    );
    expect(kept.all().map(({ id }) => unpackId(id))).toEqual([unsent.id]);
    expect(db.prepare('select * from message_contents').all()).toHaveLength(1);
    db.close();
    await store.close();
    await rm(dataDir, { recursive: true });
  });

  test('the payload of a delivery is erased by its outcome, and erasing a message leaves no upstream id', async () => {
    const dataDir = freshDirectory();
    const store = await openIn(dataDir);
    const channelId = newId();
    const [delivered, failed, pending] = [aDelivery(channelId), aDelivery(channelId), aDelivery(channelId)];
    const old = { createdAt: noon - 1, attemptedAt: noon - 1 };
    const sent = aMessage(channelId, { ...old, state: 'sent', upstreamIds: ['up.1', 'up.2'] });
    const attempt = { attempts: 1, firstTriedAt: noon, nextDueAt: noon, lastResult: '200', attemptLog: null };
    await store.channelState.commit(channelId, 1, [
      ...[delivered, failed, pending].map((delivery) => ({ write: 'insertDelivery' as const, delivery })),
      { write: 'recordAttempt', deliveryId: delivered.id, attempt: { ...attempt, state: 'delivered' } },
      { write: 'recordAttempt', deliveryId: failed.id, attempt: { ...attempt, state: 'failed' } },
      { write: 'insertMessage', message: sent },
    ]);
    expect(await store.stores.dueWork.dropFinished(noon)).toBe(1);
    const db = await openReader(join(dataDir, 'trunkline.db'));
    const kept = db.prepare<{ id: Uint8Array }>(
      'select id from deliveries join delivery_payloads on place = payload_place where payload is null',
    );
    expect(kept.all().map(({ id }) => unpackId(id))).toEqual([pending.id]);
    expect(db.prepare('select * from delivery_payloads').all()).toHaveLength(1);
    expect(db.prepare('select * from deliveries where payload_place is not null').all()).toHaveLength(1);
    expect(db.prepare('select * from message_upstream_ids').all()).toEqual([]);
    db.close();
    await store.close();
    await rm(dataDir, { recursive: true });
  });

  test('a fenced commit applies none of its claims', async () => {
    const store = await openFresh();
    const channelId = newId();
    const [old, fresh] = [aMessage(channelId), aMessage(channelId)];
    await store.channelState.commit(channelId, 1, [{ write: 'insertMessage', message: old }]);
    await store.channelState.load(channelId, 2, noon, 1);
    const commit = store.channelState.commit(channelId, 1, [
      { write: 'insertMessage', message: fresh },
      { write: 'claimCopy', messageId: old.id, expect: { copies: 1, tries: 1 }, attemptedAt: noon },
    ]);
    await expect(commit).rejects.toThrow('is not the highest');
    expect(await store.channelState.findMessages(channelId, { ids: [fresh.id], upstreamIds: [] })).toEqual(
      [],
    );
    await store.close();
  });

  test('epochs increase over restarts', async () => {
    const dataDir = freshDirectory();
    const epochs: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const store = await openIn(dataDir);
      epochs.push(await store.ownership.mintEpoch('any'));
      await store.close();
    }
    expect(epochs).toEqual([1, 2, 3]);
    await rm(dataDir, { recursive: true });
  });
});
