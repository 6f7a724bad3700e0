/** Bench 1b: the latency that the service adds to an upstream of 20 ms, beside what the floor adds at the same rate. */
import { differenceOf } from '../measure/rounds.ts';
import type { Round } from '../measure/rounds.ts';
import type { BenchResult } from '../result.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import { measureRounds, resultOf, rowsOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { loopDelayMs } from './told.ts';
import { contender, floorServer, pacedSends, sendLoad, serviceServer } from './targets.ts';

const upstreamMs = 20;
const perSecond = 500;

export async function benchSendLatency(bench: Bench): Promise<BenchResult> {
  const { testbed, tell } = bench;
  const world = await bench.world();
  const half = Math.floor((bench.capacity.sends ?? (await capacityOf(bench))) / 2);
  await setUpstreamDelay(testbed, upstreamMs);
  await loopDelayMs(world.service); // the first read starts the sampling
  const rounds = await roundsAt(bench, perSecond);
  const delay = await loopDelayMs(world.service);
  tell(`  and at ${half}/s, half of capacity`);
  const atHalf = await roundsAt(bench, half);
  await setUpstreamDelay(testbed, 0);
  const about = {
    id: '1b',
    title: `latency added to a ${upstreamMs} ms upstream, open loop at ${perSecond}/s`,
    unit: 'send',
    store: world.store,
    notes: [
      `event-loop delay of the service meanwhile, p99: ${delay.toFixed(1)} ms (resolution 10 ms)`,
      ...rowsOf(atHalf).map(
        ({ server, p50Ms, p99Ms, failed }) =>
          `at ${half}/s, half of capacity: ${server} p50 ${p50Ms?.median.toFixed(1)} ms, p99 ${p99Ms?.median.toFixed(1)} ms, ${failed} failed`,
      ),
    ],
  };
  return resultOf(bench, about, rounds, {
    'p50 over floor, ms': differenceOf(rounds, 'service', 'floor', ({ p50Ms }) => p50Ms),
    'p99 over floor, ms': differenceOf(rounds, 'service', 'floor', ({ p99Ms }) => p99Ms),
    'p50 over floor at half of capacity, ms': differenceOf(atHalf, 'service', 'floor', ({ p50Ms }) => p50Ms),
    'p99 over floor at half of capacity, ms': differenceOf(atHalf, 'service', 'floor', ({ p99Ms }) => p99Ms),
  });
}

async function roundsAt(bench: Bench, rate: number): Promise<Round[]> {
  const world = await bench.world();
  const contenders = [floorServer(world), serviceServer(world)].map((server) =>
    contender(server, () => pacedSends(server, rate, bench.options.seconds)),
  );
  for (const { carry } of contenders) await carry();
  return measureRounds(bench, contenders);
}

async function capacityOf(bench: Bench): Promise<number> {
  await setUpstreamDelay(bench.testbed, 0);
  const bounds = { seconds: bench.options.seconds, units: 100_000 };
  return (await sendLoad(serviceServer(await bench.world()), bounds)).perSecond;
}
