/** Bench 12: seven minutes at half of the busy number's load: shows a growing heap and event-loop stalls. */
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/support/ports.ts';
import { sentenceOf } from '../measure/ledger.ts';
import { rssMbOf } from '../measure/proc.ts';
import { slopePerMinute, spreadOf } from '../measure/stats.ts';
import type { Point } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { heldBy } from '../world/inspect.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import type { Program } from '../world/programs.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';
import { busyService, carry, fullRate, planOf } from './busy-number.ts';
import { loopDelayMs } from './told.ts';

const half = { sends: fullRate.sends / 2, inbound: fullRate.inbound / 2 };
const lookMs = 5_000;
/** A limit, because a full collection stops the service for a tenth of a second. */
const heapLooks = 24;

export async function benchSoak(bench: Bench): Promise<BenchResult> {
  const { testbed, options } = bench;
  await setUpstreamDelay(testbed, 0);
  const inspect = await freePort();
  const flags = [`--inspect=127.0.0.1:${inspect}`];
  const { program, side } = await busyService(testbed, 'soak', flags);
  const plan = { ...planOf(bench, half, options.soakSeconds), ...side };
  const watching = watch(program, inspect, plan.seconds);
  const busy = await carry(testbed, plan, [program.pid], []);
  const { heap, rss, delays } = await watching.stop();
  const grown = heap.slice(Math.floor(heap.length / 5));
  await program.stop();
  const about = {
    id: '12',
    title: `soak of ${plan.seconds} s at ${plan.rate.sends} sends, ${3 * plan.rate.sends} statuses, ${plan.rate.inbound} inbound per second`,
    unit: 'event',
    store: 'embedded (SQLite)',
    notes: [
      sentenceOf(busy.account),
      'heap: collected, with external memory; slope: least squares over the last four fifths',
    ],
  };
  const how = { rounds: 1, invalidRounds: busy.isValid ? 0 : 1 };
  const result = plainResult(bench, about, how, {
    'collected heap, slope, MB/min': spreadOf([slopePerMinute(grown)]),
    'event-loop delay, worst p99 of 5 s, ms': spreadOf([Math.max(0, ...delays)]),
    'collected heap, MB': spreadOf(grown.map(({ value }) => value)),
    'RSS, MB': spreadOf(rss),
    'event-loop delay, p99 of 5 s, ms': spreadOf(delays),
    'events lost': spreadOf([busy.account.events.lost]),
  });
  return { ...result, rows: [{ server: 'service', ...busy.row }] };
}

interface Watched {
  heap: Point[];
  rss: number[];
  delays: number[];
}

/** `stop` resolves to the measurements until then. */
function watch(program: Program, inspect: number, seconds: number): { stop: () => Promise<Watched> } {
  const seen: Watched = { heap: [], rss: [], delays: [] };
  const looksPerHeap = Math.max(1, Math.round((seconds * 1_000) / heapLooks / lookMs));
  let isOver = false;
  const look = async (n: number): Promise<void> => {
    seen.rss.push(rssMbOf(program.pid));
    seen.delays.push(await loopDelayMs(program));
    if (n % looksPerHeap !== 0) return;
    const value = (await heldBy(inspect)).heapBytes / 1e6;
    seen.heap.push({ atMs: performance.now(), value });
    await loopDelayMs(program); // the bench caused the collection, so its delay does not count
  };
  const looking = (async () => {
    for (let n = 1; ; n += 1) {
      await wait(lookMs);
      if (isOver) return;
      await look(n).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await looking;
      return { ...seen, delays: seen.delays.filter(Number.isFinite) };
    },
  };
}
