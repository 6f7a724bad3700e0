/** Bench 4: upstream's webhook in, the client's webhook out; durable, signed, delivered. */
import { carryEvents } from '../load/events.ts';
import { ratioOf } from '../measure/rounds.ts';
import type { Carried } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Program } from '../programs.ts';
import type { BenchResult } from '../result.ts';
import { measureRounds, resultOf, rowsOf } from './bench.ts';
import type { Bench } from './bench.ts';
import type { Bounds, Target } from './send.ts';

const inFlight = 64;
const maxEvents = 100_000;
const pacedPerSecond = 500;

export async function benchWebhook(bench: Bench): Promise<BenchResult> {
  const { world, options, tell } = bench;
  const { service, floor, naive } = world;
  const targets = [
    ...(floor === null ? [] : [eventTarget(bench, floor, '/hook')]),
    eventTarget(bench, service, '/upstream/webhooks'),
    ...(naive === null ? [] : [eventTarget(bench, naive.program, '/hook', naive.redis)]),
  ];
  tell('  warming up');
  for (const target of targets) await target.warmUp(options.warmUp);
  const rounds = await measureRounds(bench, targets);
  const bounds = { seconds: options.seconds, units: maxEvents };
  const paced: Carried[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    paced.push(await load(bench, service, '/upstream/webhooks', bounds, { perSecond: pacedPerSecond }));
  }
  return resultOf(
    bench,
    {
      id: '4',
      title: `upstream webhook in → client webhook out, ${inFlight} events on their way`,
      unit: 'event',
      notes: [
        `latency: from upstream's POST to the receiver, open loop at ${pacedPerSecond}/s, ${options.rounds} times`,
      ],
    },
    rounds,
    rowsOf(rounds),
    {
      'CPU to floor': floor && ratioOf(rounds, 'service', 'floor', ({ cpuUs }) => cpuUs),
      'events per core to naive': naive && ratioOf(rounds, 'naive', 'service', ({ cpuUs }) => cpuUs),
      'p50 at 500/s, ms': spreadOf(paced.map(({ p50Ms }) => p50Ms)),
      'p99 at 500/s, ms': spreadOf(paced.map(({ p99Ms }) => p99Ms)),
    },
  );
}

function eventTarget(bench: Bench, program: Program, path: string, beside?: Program): Target {
  const { name, pid } = program;
  const carry = (bounds: Bounds): Promise<Carried> => load(bench, program, path, bounds, { inFlight });
  return {
    name,
    pid,
    besidePid: beside?.pid ?? null,
    warmUp: carry,
    carry: () => carry({ seconds: bench.options.seconds, units: maxEvents }),
  };
}

function load(
  { world }: Bench,
  program: Program,
  path: string,
  { seconds, units: most }: Bounds,
  pacing: { inFlight: number } | { perSecond: number },
): Promise<Carried> {
  return carryEvents({
    url: program.url + path,
    receiver: world.receiver,
    phoneNumberId: world.inbound.phoneNumberId,
    seconds,
    most,
    pacing,
  });
}
