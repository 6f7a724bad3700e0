/** Bench 12: ten minutes at half of the busy number's load: memory that creeps, and an event loop that stalls. */
import { sentenceOf } from '../measure/ledger.ts';
import { rssMbOf } from '../measure/proc.ts';
import { slopePerMinute, spreadOf } from '../measure/stats.ts';
import type { Point } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import type { Program } from '../world/programs.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';
import { busyService, carry, fullRate, planOf } from './busy-number.ts';
import { loopDelayMs } from './told.ts';

const half = { sends: fullRate.sends / 2, inbound: fullRate.inbound / 2 };
const lookMs = 1_000;

export async function benchSoak(bench: Bench): Promise<BenchResult> {
  const { testbed, options } = bench;
  await setUpstreamDelay(testbed, 0);
  const { program, side } = await busyService(testbed, 'soak');
  const plan = { ...planOf(bench, half, options.soakSeconds), ...side };
  const watching = watch(program);
  const busy = await carry(testbed, plan, [program.pid], []);
  const { rss, delays } = watching.stop();
  await program.stop();
  const about = {
    id: '12',
    title: `soak of ${plan.seconds} s at ${plan.rate.sends} sends, ${3 * plan.rate.sends} statuses, ${plan.rate.inbound} inbound per second`,
    unit: 'event',
    store: 'embedded (SQLite)',
    notes: [sentenceOf(busy.account), 'slope: least squares over the last four fifths, a look each second'],
  };
  const how = { rounds: 1, invalidRounds: busy.isValid ? 0 : 1 };
  const result = plainResult(bench, about, how, {
    'RSS slope, MB/min': spreadOf([slopePerMinute(rss.slice(Math.floor(rss.length / 5)))]),
    'event-loop delay, worst p99 of 5 s, ms': spreadOf([Math.max(0, ...delays)]),
    'RSS, MB': spreadOf(rss.map(({ value }) => value)),
    'event-loop delay, p99 of 5 s, ms': spreadOf(delays),
    'events lost': spreadOf([busy.account.events.lost]),
  });
  return { ...result, rows: [{ server: 'service', ...busy.row }] };
}

function watch(program: Program): { stop: () => { rss: Point[]; delays: number[] } } {
  const rss: Point[] = [];
  const delays: number[] = [];
  let looks = 0;
  const look = async (): Promise<void> => {
    looks += 1;
    rss.push({ atMs: performance.now(), value: rssMbOf(program.pid) });
    if (looks % 5 === 0) delays.push(await loopDelayMs(program));
  };
  const timer = setInterval(() => void look().catch(() => undefined), lookMs);
  return {
    stop() {
      clearInterval(timer);
      return { rss, delays: delays.filter(Number.isFinite) };
    },
  };
}
