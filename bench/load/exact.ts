/**
 * A closed loop that reports the outcome of each request to its caller. autocannon only counts, and generates some requests that it never
 * sends.
 */
import { Pool } from 'undici';
import type { Carried } from '../measure/rounds.ts';
import { latencyOf } from '../measure/stats.ts';
import type { Request } from './closed.ts';

interface ExactLoad {
  url: string;
  connections: number;
  seconds: number;
  most: number;
  /** Makes the next request; `taken` is called when it was answered 200. */
  next: () => Request & { taken: () => void };
}

const answerMs = 10_000;

export async function exactLoop({ url, connections, seconds, most, next }: ExactLoad): Promise<Carried> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections, headersTimeout: answerMs, bodyTimeout: answerMs });
  const latencies: number[] = [];
  let [launched, failed] = [0, 0];
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    while (launched < most && performance.now() - startedAt < seconds * 1_000) {
      launched += 1;
      const { body, headers, taken } = next();
      const from = performance.now();
      const status = await statusOf(pool, path, body, headers);
      if (status === 200) {
        latencies.push(performance.now() - from);
        taken();
      } else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const perSecond = latencies.length / ((performance.now() - startedAt) / 1_000);
  await pool.destroy();
  const { count: units, p50Ms, p99Ms } = latencyOf(latencies);
  return { units, failed, perSecond, p50Ms, p99Ms };
}

/** Resolves to null if no answer came. */
async function statusOf(
  pool: Pool,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<number | null> {
  try {
    const answer = await pool.request({ path, method: 'POST', headers, body });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    return null; // the caller counts it as failed
  }
}
