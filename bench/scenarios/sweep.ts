/**
 * Bench 10b: the same sends on a service that has nothing to erase, and on one that erases old messages meanwhile: clients must not notice.
 * The sweep must last for all rounds.
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
  /** Counts the messages and deliveries in the store. Takes seconds for millions. */
  count: () => number;
}

export async function benchSweep(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  await setUpstreamDelay(testbed, 0);
  const { messages } = options.grown;
  const [alone, beside] = [await swept(bench, 'alone', 0), await swept(bench, 'beside a sweep', messages)];
  tell('  warming up');
  for (const { server } of [alone, beside]) await sendLoad(server, options.warmUp);
  const past = beside.count();
  await until('the sweep to begin', () => Promise.resolve(beside.count() < past), beginsMs);
  let sent = 0;
  const contenders = [alone, beside].map(({ server }): Contender => {
    const carry = async () => {
      const carried = await pacedSends(server, pacedPerSecond, options.seconds);
      if (server === beside.server) sent += carried.units;
      return carried;
    };
    return { ...server, carry };
  });
  const [before, startedAt] = [beside.count(), performance.now()];
  const rounds = await measureRounds(bench, contenders);
  const seconds = (performance.now() - startedAt) / 1_000;
  const left = beside.count() - sent;
  await Promise.all([alone, beside].map(({ program }) => program.stop()));
  if (left >= before || left < before / 100) throw new Error('not every round had a sweep beside it');
  const about = {
    id: '10b',
    title: `sends at ${pacedPerSecond}/s beside a sweep of ${messages} past messages${options.hasEvents ? ' with two events each' : ''}`,
    unit: 'send',
    store: 'embedded (SQLite)',
    notes: [`both in an open loop; past messages and deliveries left at the end: ${left}`],
  };
  return resultOf(bench, about, rounds, {
    'p50, beside a sweep to alone': ratioOf(rounds, 'beside a sweep', 'alone', ({ p50Ms }) => p50Ms),
    'p99, beside a sweep to alone': ratioOf(rounds, 'beside a sweep', 'alone', ({ p99Ms }) => p99Ms),
    'messages and deliveries erased a second': spreadOf([(before - left) / seconds]),
  });
}

async function swept(bench: Bench, name: string, messages: number): Promise<Swept> {
  const { hasEvents } = bench.options;
  const past = { channels: 1_000, messages, hasEvents, until: Date.now() - pastEndsMs };
  const found = await serviceWithPast(bench, name, past);
  const db = await openDatabase(found.dataDir);
  const sql = 'select (select count(*) from messages) + (select count(*) from deliveries) as "all"';
  return { ...found, count: () => db.prepare<{ all: number }>(sql).get()?.all ?? 0 };
}
