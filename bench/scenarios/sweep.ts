/**
 * Bench 10b: the same sends on a service that has nothing to erase, and on one that erases old messages meanwhile: clients must not notice.
 * In every round some messages must have been erased.
 */
import { until } from '../../test/support/until.ts';
import { ratioOf } from '../measure/rounds.ts';
import type { Contender } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { openDatabase } from '../world/channels.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import { measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { serviceWithPast } from './past.ts';
import type { WithPast } from './past.ts';
import { pacedSends, sendLoad } from './targets.ts';

const pacedPerSecond = 500;
const dayMs = 86_400_000;
/** Age of the youngest old message: above the default retention of messages. */
const pastEndsMs = 30 * dayMs;
/** Limit for the wait until the sweep begins; it does within a minute. */
const beginsMs = 150_000;

interface Swept extends WithPast {
  /** Counts the messages in the store. */
  left: () => number;
}

export async function benchSweep(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  await setUpstreamDelay(testbed, 0);
  const count = options.grown.messages;
  const [alone, beside] = [await swept(bench, 'alone', 0), await swept(bench, 'beside a sweep', count)];
  tell('  warming up');
  for (const { server } of [alone, beside]) await sendLoad(server, options.warmUp);
  const before = beside.left();
  await until('the sweep to begin', () => Promise.resolve(beside.left() < before), beginsMs);
  const gone: number[] = [];
  const contenders = [alone, beside].map(({ server, left }): Contender => {
    const carry = async () => {
      const [there, startedAt] = [left(), performance.now()];
      const carried = await pacedSends(server, pacedPerSecond, options.seconds);
      const ms = performance.now() - startedAt;
      // The messages sent meanwhile are in the store too.
      if (server === beside.server) gone.push(((there + carried.units - left()) * 1_000) / ms);
      return carried;
    };
    return { ...server, carry };
  });
  const rounds = await measureRounds(bench, contenders);
  const leftOver = beside.left();
  await Promise.all([alone, beside].map(({ program }) => program.stop()));
  if (gone.some((perSecond) => perSecond < 1))
    throw new Error('a round had no sweep beside it: more messages are needed');
  const about = {
    id: '10b',
    title: `sends at ${pacedPerSecond}/s beside a sweep of ${count} past messages${options.hasEvents ? ' with two events each' : ''}`,
    unit: 'send',
    store: 'embedded (SQLite)',
    notes: [`both in an open loop; messages left at the end: ${leftOver}`],
  };
  return resultOf(bench, about, rounds, {
    'p50, beside a sweep to alone': ratioOf(rounds, 'beside a sweep', 'alone', ({ p50Ms }) => p50Ms),
    'p99, beside a sweep to alone': ratioOf(rounds, 'beside a sweep', 'alone', ({ p99Ms }) => p99Ms),
    'messages erased a second': spreadOf(gone),
  });
}

async function swept(bench: Bench, name: string, messages: number): Promise<Swept> {
  const { hasEvents } = bench.options;
  const past = { channels: 1_000, messages, hasEvents, until: Date.now() - pastEndsMs };
  const found = await serviceWithPast(bench, name, past);
  const db = await openDatabase(found.dataDir);
  const left = () => db.prepare<{ all: number }>('select count(*) as "all" from messages').get()?.all ?? 0;
  return { ...found, left };
}
