/**
 * Bench 8: memory per idle channel, hydrated (live, with its settings in memory) and dehydrated (evicted after a minute without a message),
 * and memory of the idle service itself. Measures the built service from outside, so it does not depend on how channels are kept.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { freePort } from '../../test/support/ports.ts';
import { until } from '../../test/support/until.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Spread } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { cloneChannels, connect, phones } from '../world/channels.ts';
import type { BenchChannel } from '../world/channels.ts';
import { adminToken } from '../../test/support/service.ts';
import { admin, startService } from '../world/testbed.ts';
import type { Testbed } from '../world/testbed.ts';
import { heldBy } from '../world/inspect.ts';
import type { Held } from '../world/inspect.ts';
import type { Program } from '../world/programs.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';

const settleMs = 5_000;
const askers = 64;
/** At most this many channels of the store are made live: of more, the first would be evicted before the last is live. */
const mostLive = 100_000;
/** All idle channels are evicted within this time. */
const letGoMs = 150_000;

interface Costs {
  /** Start of a service with all channels in its store, until its first 200. */
  startMs: number;
  idle: Held;
  touched: number;
  hydrated: Held;
  dehydrated: Held;
}

export async function benchMemory(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const values: Record<string, Spread | null> = {};
  const notes: string[] = [];
  for (const count of options.channels) {
    const { startMs, idle, touched, hydrated, dehydrated } = await costsOf(testbed, count);
    const each = (held: Held, of: number): number => (held.heapBytes - idle.heapBytes) / of;
    const [live, left] = [each(hydrated, touched), each(dehydrated, Math.min(count, mostLive))];
    values['idle service, RSS, MB'] ??= spreadOf([idle.rssBytes / 1e6]);
    values[`hydrated, bytes each (${count})`] = spreadOf([live]);
    values[`dehydrated, bytes each (${count})`] = spreadOf([left]);
    values[`live, RSS above base, MB (${count})`] = spreadOf([(hydrated.rssBytes - idle.rssBytes) / 1e6]);
    values[`idle service beside them, RSS, MB (${count})`] = spreadOf([idle.rssBytes / 1e6]);
    values[`start, ms (${count})`] = spreadOf([startMs]);
    values[`RSS above base, MB (${count})`] = spreadOf([(dehydrated.rssBytes - idle.rssBytes) / 1e6]);
    notes.push(`${count} channels: ${touched} were live at once when the hydrated ones were counted`);
    tell(
      `  ${count} channels: ${live.toFixed(0)} B hydrated (${touched} live), ${left.toFixed(0)} B dehydrated, start ${startMs.toFixed(0)} ms`,
    );
  }
  const about = {
    id: '8',
    title: 'memory per idle channel',
    unit: 'channel',
    store: 'embedded (SQLite)',
    notes: [
      ...notes,
      'heap and external memory after a full collection, less those of the same service before',
    ],
  };
  return plainResult(bench, about, { rounds: options.channels.length, invalidRounds: 0 }, values);
}

async function costsOf(testbed: Testbed, count: number): Promise<Costs> {
  const dataDir = join(testbed.folder, `memory-${count}`);
  const first = await startService(testbed, { dataDir });
  const channel = await connect(testbed, first, phones.sender, null);
  await first.stop();
  const clones = await cloneChannels(dataDir, channel, count);
  const inspect = await freePort();
  const flags = [`--inspect=127.0.0.1:${inspect}`];
  const startedAt = performance.now();
  const program = await startService(testbed, { dataDir, flags, env: { LOG_LEVEL: 'error' } });
  const startMs = performance.now() - startedAt;
  await activate(program, clones.slice(0, 100)); // compiles the code, whose memory then counts as the idle service's
  await until('the first to be let go', async () => (await liveOn(program)) === 0, letGoMs);
  await wait(settleMs);
  const idle = await heldBy(inspect);
  await activate(program, clones.slice(0, mostLive));
  const touched = await liveOn(program);
  const hydrated = await heldBy(inspect);
  await until('all to be let go', async () => (await liveOn(program)) === 0, letGoMs);
  await wait(settleMs);
  const dehydrated = await heldBy(inspect);
  await program.stop();
  return { startMs, idle, touched, hydrated, dehydrated };
}

/** Reading a channel makes it live. */
async function activate(program: Program, channels: readonly BenchChannel[]): Promise<void> {
  const pool = new Pool(program.url, { connections: askers });
  const headers = { authorization: `Bearer ${adminToken}` };
  const left = channels.values();
  const worker = async (): Promise<void> => {
    for (const { id } of left) {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: `/admin/v1/channels/${id}`,
        headers,
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`a channel is not live: ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: askers }, worker));
  await pool.destroy();
}

async function liveOn({ url }: Program): Promise<number> {
  const { body } = await admin(url, 'GET', '/nodes');
  const nodes: { channels_owned: number }[] = body.nodes;
  return nodes[0]?.channels_owned ?? 0;
}
