/** Bench 13: send, ingest and webhook on MongoDB and Redis, beside a floor that makes the same writes; and the round trips of a send. */
import { figureOf } from '../budgets.ts';
import type { Spread } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { startServers } from '../world/servers.ts';
import { openWorld } from '../world/world.ts';
import type { Bench } from './bench.ts';
import { benchIngest } from './ingest.ts';
import { delaysMs, roundTrips } from './round-trips.ts';
import { benchSend } from './send.ts';
import { benchWebhook } from './webhook.ts';

const parts = [
  { name: 'send', run: benchSend },
  { name: 'ingest', run: benchIngest },
  { name: 'webhook', run: benchWebhook },
] as const;

/** Half of what the benches take elsewhere: on this store they take twice as long, and each warms the servers for the next. */
const warmUp = { seconds: 10, units: 10_000 };

/** One result for all three benches; the names of its figures start with the name of their bench. */
export async function benchMongo(bench: Bench): Promise<BenchResult> {
  const { testbed, tell } = bench;
  const servers = await startServers(testbed);
  const world = await openWorld(testbed, { clones: 0, shared: servers });
  const inside: Bench = {
    ...bench,
    options: { ...bench.options, maxRounds: bench.options.rounds + 1, warmUp },
    world: async () => world,
    capacity: { sends: null },
  };
  const results: { name: string; result: BenchResult }[] = [];
  for (const { name, run } of parts) {
    tell(`  ${name}`);
    results.push({ name, result: await run(inside) });
  }
  await world.close();
  const trips = await roundTrips(bench, servers);
  await Promise.all(servers.servers.map((program) => program.stop()));
  return together(bench, results, trips);
}

function together(
  { budgets, options }: Bench,
  results: readonly { name: string; result: BenchResult }[],
  trips: Spread,
): BenchResult {
  const each = <T>(of: (one: { name: string; result: BenchResult }) => T[]): T[] => results.flatMap(of);
  const rounds = results.reduce((sum, { result }) => sum + result.rounds, 0);
  const invalidRounds = results.reduce((sum, { result }) => sum + result.invalidRounds, 0);
  const how = { smoke: options.smoke, isValid: invalidRounds < rounds };
  const own = 'round trips of a send with an event, one after the other';
  return {
    id: '13',
    title: 'send, ingest and webhook on MongoDB and Redis',
    unit: 'unit',
    store: 'MongoDB and Redis',
    rows: each(({ name, result }) =>
      result.rows.map((row) => ({ ...row, server: `${name}: ${row.server}` })),
    ),
    figures: [
      ...each(({ name, result }) =>
        result.figures.map((figure) => figureOf(budgets, '13', `${name}: ${figure.name}`, figure, how)),
      ),
      figureOf(budgets, '13', own, trips, { smoke: options.smoke, isValid: true }),
    ],
    rounds,
    invalidRounds,
    notes: [
      `round trips: what ${delaysMs.far} instead of ${delaysMs.near} ms to MongoDB and back add to the p50 of a send, in units of what they add to a ping`,
      ...each(({ name, result }) => result.notes.map((note) => `${name}: ${note}`)),
    ],
  };
}
