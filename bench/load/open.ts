/**
 * Open loop: requests leave at their due times, whatever the server does, and latency counts from the due time. autocannon sends the
 * requests of each second in one burst, so this load does its own pacing. [performance §3]
 */
import { Pool } from 'undici';
import { setTimeout as wait } from 'node:timers/promises';
import { latencyOf } from '../measure/stats.ts';
import type { Latency } from '../measure/stats.ts';

interface OpenLoad {
  url: string;
  perSecond: number;
  seconds: number;
  request: (n: number) => { body: string; headers: Record<string, string> };
}

export interface Paced extends Latency {
  failed: number;
  perSecond: number;
}

const connections = 256;
/** Wait for outstanding answers after the load; a request not answered by then has failed. */
const giveUpMs = 10_000;

export async function openLoop(load: OpenLoad): Promise<Paced> {
  const { origin, pathname: path } = new URL(load.url);
  const pool = new Pool(origin, { connections, headersTimeout: giveUpMs, bodyTimeout: giveUpMs });
  const latencies: number[] = [];
  let failed = 0;
  const start = performance.now();
  const end = setTimeout(() => void pool.destroy(), load.seconds * 1_000 + giveUpMs);
  await pace(load.perSecond, load.perSecond * load.seconds, async (n, dueAt) => {
    const { body, headers } = load.request(n);
    try {
      const answer = await pool.request({ path, method: 'POST', headers, body });
      await answer.body.dump();
      if (answer.statusCode === 200) latencies.push(performance.now() - dueAt);
      else failed += 1;
    } catch {
      failed += 1; // counted: the figures of a load are printed with its failures
    }
  });
  const perSecond = latencies.length / ((performance.now() - start) / 1_000);
  clearTimeout(end);
  if (!pool.destroyed) await pool.destroy();
  return { ...latencyOf(latencies), failed, perSecond };
}

/** Calls `act` with 0 to `count` - 1 at `perSecond`; resolves when all calls have ended. `dueAt` is a time of `performance.now`. */
export async function pace(
  perSecond: number,
  count: number,
  act: (n: number, dueAt: number) => Promise<void>,
): Promise<void> {
  const start = performance.now();
  const acts: Promise<void>[] = [];
  while (acts.length < count) {
    const due = Math.min(count, Math.floor(((performance.now() - start) * perSecond) / 1_000) + 1);
    while (acts.length < due) acts.push(act(acts.length, start + (acts.length * 1_000) / perSecond));
    await wait(1);
  }
  await Promise.all(acts);
}
