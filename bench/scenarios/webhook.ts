/** Bench 4: from upstream's webhook to the client's webhook; durable, signed, delivered. */
import { closedLoop } from '../load/closed.ts';
import { inboundPost, signed } from '../load/upstream-posts.ts';
import { cpuOf, cpuWithHelpers, ratioOf, spreadOver } from '../measure/rounds.ts';
import type { Carried } from '../measure/rounds.ts';
import type { BenchResult } from '../result.ts';
import { measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { allServers } from './send.ts';
import {
  contender,
  contractThousand,
  eventLoad,
  floorServer,
  floorThousand,
  serviceServer,
  thousand,
} from './targets.ts';
import type { Bounds, Server } from './targets.ts';

const inFlight = 64;
const maxEvents = 100_000;
const pacedPerSecond = 500;

export async function benchWebhook(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const world = await bench.world();
  const load = (server: Server, bounds: Bounds): Promise<Carried> =>
    server.name === 'echo' ? echoed(server, bounds) : eventLoad(server, testbed, bounds, { inFlight });
  const servers = allServers(world);
  tell('  warming up');
  for (const server of servers) await load(server, options.warmUp);
  const bounds = { seconds: options.seconds, units: maxEvents };
  const contenders = servers.map((server) => contender(server, () => load(server, bounds)));
  const rounds = await measureRounds(bench, contenders);
  if (!options.smoke) tell(`  and at ${pacedPerSecond}/s`);
  const atPace = [floorServer(world), serviceServer(world)].map((server) =>
    contender(server, () => eventLoad(server, testbed, bounds, { perSecond: pacedPerSecond })),
  );
  const paced = options.smoke ? [] : await measureRounds(bench, atPace);
  const about = {
    id: '4',
    title: `upstream webhook in → client webhook out, ${inFlight} events on their way`,
    unit: 'event',
    store: world.store,
    notes: [
      `latency: from upstream's POST to the receiver, open loop at ${pacedPerSecond}/s`,
      'echo answers the POST and delivers nothing',
    ],
  };
  return resultOf(bench, about, rounds, {
    'CPU to floor': ratioOf(rounds, 'service', 'floor', cpuOf),
    'CPU to contract': ratioOf(rounds, 'service', 'contract', cpuOf),
    'contract to floor': ratioOf(rounds, 'contract', 'floor', cpuOf),
    'CPU to echo': ratioOf(rounds, 'service', 'echo', cpuOf),
    'events per core to naive': ratioOf(rounds, 'naive', 'service', cpuWithHelpers, cpuOf),
    'CPU on 1,000 channels to floor': ratioOf(rounds, thousand, floorThousand, cpuOf),
    'CPU on 1,000 channels to contract': ratioOf(rounds, thousand, contractThousand, cpuOf),
    'contract on 1,000 channels to floor': ratioOf(rounds, contractThousand, floorThousand, cpuOf),
    'p50 at 500/s, ms': spreadOver(paced, 'service', ({ p50Ms }) => p50Ms),
    'p99 at 500/s, ms': spreadOver(paced, 'service', ({ p99Ms }) => p99Ms),
    'p50 at 500/s to floor': ratioOf(paced, 'service', 'floor', ({ p50Ms }) => p50Ms),
  });
}

function echoed({ hook }: Server, { seconds, units: most }: Bounds): Promise<Carried> {
  let n = 0;
  const request = () => {
    n += 1;
    const body = inboundPost(hook.phones[0] ?? '', `wamid.echo-${n}`, 'hello, are you open on Sunday?');
    return { body, headers: signed(body) };
  };
  return closedLoop({
    url: hook.url,
    connections: inFlight,
    seconds,
    most,
    headers: {},
    request,
  });
}
