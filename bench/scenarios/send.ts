/** Bench 1: a send on the node that owns the channel, 100 connections, upstream answers at once. */
import { cpuOf, cpuWithHelpers, ratioOf } from '../measure/rounds.ts';
import type { BenchResult } from '../result.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import type { World } from '../world/world.ts';
import { measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import {
  connections,
  contender,
  contractServer,
  contractThousand,
  echoServer,
  floorServer,
  floorThousand,
  naiveServer,
  sendLoad,
  serviceServer,
  thousand,
  thousandServers,
} from './targets.ts';
import type { Server } from './targets.ts';

const maxSends = 200_000;

export async function benchSend(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const world = await bench.world();
  await setUpstreamDelay(testbed, 0);
  const servers = allServers(world);
  tell('  warming up');
  // The code is fully compiled only after some ten thousand sends, which is the normal state of a running server.
  for (const server of servers) await sendLoad(server, options.warmUp);
  const bounds = { seconds: options.seconds, units: maxSends };
  const contenders = servers.map((server) => contender(server, () => sendLoad(server, bounds)));
  const rounds = await measureRounds(bench, contenders);
  const about = {
    id: '1',
    title: `send on the owner, ${connections} connections, upstream at once`,
    unit: 'send',
    store: world.store,
    notes: ['upstream is bench/upstream-stub.ts, so that a simulator does not take the two cores'],
  };
  const result = resultOf(bench, about, rounds, {
    'CPU to floor': ratioOf(rounds, 'service', 'floor', cpuOf),
    'CPU to contract': ratioOf(rounds, 'service', 'contract', cpuOf),
    'contract to floor': ratioOf(rounds, 'contract', 'floor', cpuOf),
    'CPU to echo': ratioOf(rounds, 'service', 'echo', cpuOf),
    'sends per core to naive': ratioOf(rounds, 'naive', 'service', cpuWithHelpers, cpuOf),
    'floor to naive': ratioOf(rounds, 'naive', 'floor', cpuWithHelpers, cpuOf),
    'CPU on 1,000 channels to floor': ratioOf(rounds, thousand, floorThousand, cpuOf),
    'CPU on 1,000 channels to contract': ratioOf(rounds, thousand, contractThousand, cpuOf),
    'contract on 1,000 channels to floor': ratioOf(rounds, contractThousand, floorThousand, cpuOf),
    'CPU on 1,000 channels to one': ratioOf(rounds, thousand, 'service', cpuOf),
  });
  bench.capacity.sends = result.rows.find(({ server }) => server === 'service')?.perSecond?.median ?? null;
  return result;
}

export function allServers(world: World): Server[] {
  const [naive, contract] = [naiveServer(world), contractServer(world)];
  return [
    echoServer(world),
    floorServer(world),
    ...(contract === null ? [] : [contract]),
    serviceServer(world),
    ...thousandServers(world),
    ...(naive === null ? [] : [naive]),
  ];
}
