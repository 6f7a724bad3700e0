/** Bench 13: send, ingest and webhook on MongoDB and Redis, beside a floor that makes the same writes; and round trips counted. */
import { figureOf } from '../budgets.ts';
import { quantile, spreadOf } from '../measure/stats.ts';
import type { Spread } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { Proxy } from '../../test/support/proxy.ts';
import { allEvents } from './busy-number.ts';
import { startCluster } from '../world/cluster.ts';
import { setUpstreamDelay } from '../world/ground.ts';
import { startServers } from '../world/servers.ts';
import type { Servers } from '../world/servers.ts';
import { openWorld } from '../world/world.ts';
import type { Bench } from './bench.ts';
import { benchIngest } from './ingest.ts';
import { benchSend } from './send.ts';
import { sendBody } from './targets.ts';
import { benchWebhook } from './webhook.ts';

const parts = [
  { name: 'send', run: benchSend },
  { name: 'ingest', run: benchIngest },
  { name: 'webhook', run: benchWebhook },
] as const;

/** One result for all three: its figures carry the name of their bench. */
export async function benchMongo(bench: Bench): Promise<BenchResult> {
  const { ground, tell } = bench;
  const servers = await startServers(ground);
  const world = await openWorld(ground, { clones: 0, shared: servers });
  const inside: Bench = { ...bench, world: async () => world, capacity: { sends: null } };
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
      `round trips: what ${delayMs} ms more to MongoDB and back add to the p50 of a send, in units of ${delayMs} ms`,
      ...each(({ name, result }) => result.notes.map((note) => `${name}: ${note}`)),
    ],
  };
}

/** Each way takes half of it: far above what the work itself takes, so that the quotient is a count. */
const delayMs = 40;
const sends = 30;

/** Sends to a channel whose `message.sent` goes to a client, one at a time, with MongoDB near and then far. */
async function roundTrips({ ground }: Bench, servers: Servers): Promise<Spread> {
  await setUpstreamDelay(ground, 0);
  const proxy = await Proxy.start(Number(new URL(servers.mongodbUri('x')).port));
  const far: Servers = {
    ...servers,
    mongodbUri: (database) => `mongodb://127.0.0.1:${proxy.port}/${database}?directConnection=true`,
  };
  const webhook = { url: ground.receiver.url, events: allEvents };
  const cluster = await startCluster(ground, far, { name: 'far', nodes: 1, webhook });
  const { nodes, channel } = cluster;
  const url = `${nodes[0]?.url}/api/v1/messages/send`;
  const timed = async (): Promise<number> => {
    const ms: number[] = [];
    for (let n = 0; n < sends; n += 1) ms.push(await oneSend(url, channel.key, sendBody(channel.id, n)));
    return quantile(
      ms.toSorted((a, b) => a - b),
      0.5,
    );
  };
  await timed();
  const near = await timed();
  proxy.delay(delayMs / 2);
  const distant = await timed();
  proxy.delay(0);
  await cluster.stop();
  await proxy.close();
  return spreadOf([(distant - near) / delayMs]);
}

async function oneSend(url: string, key: string, body: string): Promise<number> {
  const from = performance.now();
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const answer = await fetch(url, { method: 'POST', headers, body });
  await answer.text();
  return performance.now() - from;
}
