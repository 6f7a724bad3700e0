/** Bench 3: upstream's statuses, one per POST, in the order of a message's life, durable before the 200. */
import { closedLoop } from '../load/closed.ts';
import type { Lives } from '../load/lives.ts';
import { openLoop } from '../load/open.ts';
import { cpuOf, ratioOf, spreadOver } from '../measure/rounds.ts';
import type { Carried, Contender, Round } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Spread } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import type { Options } from '../options.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import { naivePhone } from '../world/world.ts';
import type { World } from '../world/world.ts';
import { measureRounds, resultOf, rowsOf } from './bench.ts';
import type { Bench } from './bench.ts';
import {
  connections,
  contender,
  contractServer,
  contractThousand,
  echoServer,
  floorServer,
  floorThousand,
  inventedLives,
  livesOf,
  naiveServer,
  serviceServer,
  statusRequest,
  thousand,
  thousandServers,
} from './targets.ts';
import type { Server } from './targets.ts';

/** Upstream's load for one busy number: three statuses per message, and the inbound messages. [performance §1] */
const busyPerSecond = 3_300;

export async function benchIngest(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const world = await bench.world();
  await setUpstreamDelay(testbed, 0);
  // Limited by count: each status needs a message sent just before, and no more messages than statuses need are sent.
  const posts = postsOf(world, options);
  const feeds = feedsOf(world);
  tell('  warming up');
  for (const feed of feeds) await warmUp(feed, Math.min(posts, options.warmUp.units));
  const rounds = await measureRounds(
    bench,
    feeds.map((feed) => closedStatuses(feed, posts, options.seconds)),
  );
  const paced = options.smoke
    ? []
    : feeds.filter(({ server }) => server.name === 'floor' || server.name === 'service');
  if (paced.length > 0) tell(`  and at ${busyPerSecond}/s`);
  const busy =
    paced.length === 0
      ? []
      : await measureRounds(
          bench,
          paced.map((feed) => open(feed, options.seconds)),
        );
  const about = {
    id: '3',
    title: 'ingest of statuses, one per POST, durable before the 200',
    unit: 'POST',
    store: world.store,
    notes: ['naive here is stock Express that checks the signature and stores nothing', ...busyNotes(busy)],
  };
  return resultOf(bench, about, rounds, {
    'CPU to floor': ratioOf(rounds, 'service', 'floor', cpuOf),
    'CPU to contract': ratioOf(rounds, 'service', 'contract', cpuOf),
    'contract to floor': ratioOf(rounds, 'contract', 'floor', cpuOf),
    'CPU to echo': ratioOf(rounds, 'service', 'echo', cpuOf),
    'ingests per core to stock Express': ratioOf(rounds, 'naive', 'service', cpuOf),
    'CPU on 1,000 channels to floor': ratioOf(rounds, thousand, floorThousand, cpuOf),
    'CPU on 1,000 channels to contract': ratioOf(rounds, thousand, contractThousand, cpuOf),
    'contract on 1,000 channels to floor': ratioOf(rounds, contractThousand, floorThousand, cpuOf),
    'p99 at 3300/s to floor': ratioOf(busy, 'service', 'floor', ({ p99Ms }) => p99Ms),
    'p99 at 3300/s, ms': spreadOver(busy, 'service', ({ p99Ms }) => p99Ms),
    'refused at 3300/s': refusedIn(busy),
  });
}

/** The statuses that a store takes during a load, and few more: each costs a third of a send in preparation. */
function postsOf({ servers }: World, { smoke, seconds }: Options): number {
  if (smoke) return 4_500;
  return servers.length === 0 ? 12_000 : Math.min(12_000, 1_500 * seconds);
}

interface Feed {
  server: Server;
  lives: Lives;
}

function feedsOf(world: World): Feed[] {
  const { testbed } = world;
  const [naive, contract] = [naiveServer(world), contractServer(world)];
  const invented = (server: Server): Feed => ({ server, lives: inventedLives(naivePhone) });
  const real = (server: Server): Feed => ({ server, lives: livesOf(testbed, server) });
  const floor = onIngest(floorServer(world));
  const taking = contract === null ? null : onIngest(contract);
  const feeds = [
    invented(echoServer(world)),
    real(floor),
    ...(taking === null ? [] : [real(taking)]),
    real(serviceServer(world)),
    ...thousandServers(world, floor, taking).map(real),
  ];
  return naive === null ? feeds : [...feeds, invented({ ...onIngest(naive), beside: [] })];
}

/** Baselines take statuses under a path of their own. */
function onIngest(server: Server): Server {
  return { ...server, hook: { ...server.hook, url: new URL('/ingest', server.hook.url).href } };
}

async function warmUp(feed: Feed, posts: number): Promise<void> {
  await feed.lives.stock(posts + connections);
  await tellAll(feed, posts, 30);
}

function tellAll({ server, lives }: Feed, most: number, seconds: number): Promise<Carried> {
  const request = () => statusRequest(lives);
  return closedLoop({ url: server.hook.url, connections, seconds, most, headers: {}, request });
}

/** Each load reports on messages that were sent just before it. */
export function closedStatuses(feed: Feed, posts: number, seconds: number): Contender {
  const prepare = () => feed.lives.stock(posts + connections);
  return { ...contender(feed.server, () => tellAll(feed, posts, seconds)), prepare };
}

function open({ server, lives }: Feed, seconds: number): Contender {
  const load = {
    url: server.hook.url,
    perSecond: busyPerSecond,
    seconds,
    request: () => statusRequest(lives),
  };
  const carry = async (): Promise<Carried> => {
    const { count: units, failed, perSecond, p50Ms, p99Ms } = await openLoop(load);
    return { units, failed, perSecond, p50Ms, p99Ms };
  };
  return { ...contender(server, carry), prepare: () => lives.stock(busyPerSecond * seconds + connections) };
}

function refusedIn(busy: readonly Round[]): Spread | null {
  const row = rowsOf(busy).find(({ server }) => server === 'service');
  return row === undefined ? null : spreadOf([row.failed]);
}

function busyNotes(busy: readonly Round[]): string[] {
  return rowsOf(busy).map(
    ({ server, perSecond, p50Ms, p99Ms, failed }) =>
      `open loop at ${busyPerSecond}/s: ${server} ${perSecond?.median.toFixed(0)}/s, p50 ${p50Ms?.median.toFixed(1)} ms, p99 ${p99Ms?.median.toFixed(1)} ms, ${failed} failed`,
  );
}
