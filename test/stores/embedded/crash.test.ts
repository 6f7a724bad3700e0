import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newId } from '../../../src/kernel/ids.ts';
import { builtFile } from '../../support/built.ts';
import { freshDirectory, openIn } from './open.ts';

const childPath = builtFile('test/stores/embedded/crash-child.js');

function startChild(dataDir: string, channelId: string, length = 5) {
  return spawn(process.execPath, [childPath, dataDir, channelId, String(length)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
}

/** Runs a child until it has acknowledged this many writes, kills it, and returns all acknowledged ids. */
async function acknowledgedUntilKilled(
  dataDir: string,
  channelId: string,
  killAfter: number,
  length?: number,
): Promise<string[]> {
  const child = startChild(dataDir, channelId, length);
  const exited = once(child, 'exit');
  const ids: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    ids.push(line);
    if (ids.length === killAfter) child.kill('SIGKILL');
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  return ids.filter((id) => id.length === newId().length); // the last line may be cut off
}

describe('embedded store and kill -9', () => {
  test('every acknowledged write is there after ten processes were killed at random times', async () => {
    const dataDir = freshDirectory();
    const channelId = newId();
    const acknowledged: string[] = [];
    let epoch = 0;
    for (let round = 0; round < 10; round += 1) {
      const killAfter = 1 + Math.floor(Math.random() * 400);
      acknowledged.push(...(await acknowledgedUntilKilled(dataDir, channelId, killAfter)));
      const store = await openIn(dataDir);
      const found = await store.channelState.findMessages(channelId, { ids: acknowledged, upstreamIds: [] });
      const next = await store.ownership.mintEpoch(channelId);
      await store.close();
      expect(found).toHaveLength(acknowledged.length);
      expect(next).toBeGreaterThan(epoch);
      epoch = next;
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(10);
    await rm(dataDir, { recursive: true });
  }, 120_000);

  test('every acknowledged write is there when the processes die while the WAL is copied', async () => {
    const dataDir = freshDirectory();
    const channelId = newId();
    const acknowledged: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      // A checkpoint begins after some 1,250 messages of this length, and takes as long as 50 more.
      const killAfter = 1_200 + Math.floor(Math.random() * 150);
      acknowledged.push(...(await acknowledgedUntilKilled(dataDir, channelId, killAfter, 6_000)));
      const store = await openIn(dataDir);
      const found = await store.channelState.findMessages(channelId, { ids: acknowledged, upstreamIds: [] });
      await store.close();
      expect(found).toHaveLength(acknowledged.length);
    }
    await rm(dataDir, { recursive: true });
  }, 120_000);

  test('a second process is refused with one clear line while the first one runs', async () => {
    const dataDir = freshDirectory();
    const child = startChild(dataDir, newId());
    await once(child.stdout, 'data');
    await expect(openIn(dataDir)).rejects.toThrow(
      `DATA_DIR ${dataDir} is in use by another Trunkline process`,
    );
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    const store = await openIn(dataDir);
    await store.close();
    await rm(dataDir, { recursive: true });
  }, 90_000);

  test('a directory with a damaged lock is not reported as in use', async () => {
    const dataDir = freshDirectory();
    await writeFile(join(dataDir, 'store.lock'), 'no database '.repeat(100));
    await expect(openIn(dataDir)).rejects.toThrow(
      / cannot be locked: store\.lock: .*file is not a database$/,
    );
    await rm(dataDir, { recursive: true });
  });
});
