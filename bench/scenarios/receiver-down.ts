/**
 * Bench 15: the only receiver is down all the time. Measures the longest event-loop turn by CPU time, which a busy machine does not
 * lengthen, and the heap after collections. [faults: I9, I11]
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/support/ports.ts';
import { openLoop } from '../load/open.ts';
import type { Paced } from '../load/open.ts';
import { asText } from '../load/receiver.ts';
import { inboundPost, signed } from '../load/upstream-posts.ts';
import { slopePerMinute, spreadOf } from '../measure/stats.ts';
import type { Point } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { connect, phones } from '../world/channels.ts';
import { heldBy } from '../world/inspect.ts';
import { startService } from '../world/testbed.ts';
import type { Program } from '../world/programs.ts';
import { longestTurnMs, turnsHook } from '../world/turns.ts';
import type { TurnsHook } from '../world/turns.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';
import { failedAttemptsOn, pendingOn } from './told.ts';

const fullRate = 50;
const turnsLookMs = 10_000;
const heapLooks = 24;
/**
 * The first share of the run is left out of the slope: until the first event is given up, the backlog grows and code is still being
 * compiled.
 */
const youngShare = 0.35;

interface Down {
  program: Program;
  hook: TurnsHook;
  inspect: number;
  hookUrl: string;
  phone: string;
}

export async function benchReceiverDown(bench: Bench): Promise<BenchResult> {
  const { options } = bench;
  const seconds = options.soakSeconds;
  const perSecond = Math.max(1, Math.round(fullRate * options.rate));
  const down = await startDown(bench);
  await load(down, { name: 'warm', perSecond, seconds: Math.min(10, seconds) });
  const loading = load(down, { name: 'soak', perSecond, seconds });
  const { turns, heap } = await watch(bench, down, seconds);
  const posts = await loading;
  const attempts = await failedAttemptsOn(down.program);
  await down.program.stop();
  const old = heap.slice(Math.floor(heap.length * youngShare));
  const about = {
    id: '15',
    title: `a receiver that is down: ${perSecond} events per second for ${seconds} s`,
    unit: 'event',
    store: 'embedded (SQLite)',
    notes: [
      `${posts.count} events taken, ${attempts} attempts failed`,
      'turns: CPU of the main thread, a look each 10 s',
      `heap: collected, with external memory; slope: least squares over the last ${100 - 100 * youngShare} %`,
    ],
  };
  return plainResult(
    bench,
    about,
    { rounds: 1, invalidRounds: 0 },
    {
      'longest turn, ms of CPU': spreadOf([Math.max(...turns)]),
      'collected heap, slope, MB/min': spreadOf([slopePerMinute(old)]),
      'POSTs of upstream refused': spreadOf([posts.failed]),
      'longest turn of 10 s, ms of CPU': spreadOf(turns),
      'collected heap, MB': spreadOf(old.map(({ value }) => value)),
    },
  );
}

async function startDown({ testbed }: Bench): Promise<Down> {
  const hook = turnsHook(join(testbed.folder, 'turns-down'));
  const inspect = await freePort();
  const program = await startService(testbed, {
    dataDir: join(testbed.folder, 'receiver-down'),
    env: hook.env,
    flags: [`--inspect=127.0.0.1:${inspect}`, ...hook.flags],
  });
  const url = `http://127.0.0.1:${await freePort()}/webhooks`; // no server listens on it
  const { phone } = await connect(testbed, program, phones.inbound, { url, events: ['message.received'] });
  return { program, hook, inspect, hookUrl: `${program.url}/upstream/webhooks`, phone };
}

function load(
  { hookUrl: url, phone }: Down,
  { name, perSecond, seconds }: { name: string; perSecond: number; seconds: number },
): Promise<Paced> {
  return openLoop({
    url,
    perSecond,
    seconds,
    request: (n) => {
      const body = inboundPost(phone, `wamid.down-${name}-${n}`, asText(n));
      return { body, headers: { 'content-type': 'application/json', ...signed(body) } };
    },
  });
}

async function watch(
  { tell }: Bench,
  { program, hook, inspect }: Down,
  seconds: number,
): Promise<{ turns: number[]; heap: Point[] }> {
  const turns: number[] = [];
  const heap: Point[] = [];
  const start = performance.now();
  await longestTurnMs(program, hook); // resets the measurement
  while (heap.length < heapLooks) {
    await wait(Math.min(turnsLookMs, (seconds * 1_000) / heapLooks));
    turns.push(await longestTurnMs(program, hook));
    const passed = (performance.now() - start) / 1_000;
    if (passed < ((heap.length + 1) * seconds) / heapLooks) continue;
    const value = (await heldBy(inspect)).heapBytes / 1e6;
    heap.push({ atMs: performance.now(), value });
    await longestTurnMs(program, hook); // the bench caused the collection, so its turn does not count
    const told = `longest turn ${Math.max(...turns).toFixed(1)} ms, heap ${value.toFixed(2)} MB`;
    tell(`  ${passed.toFixed(0)} s: ${told}, ${await pendingOn(program)} deliveries remembered`);
  }
  return { turns, heap };
}
