/** Bench 1: a send on the node that owns the channel, 100 connections, upstream answers at once. */
import { closedLoop } from '../load/closed.ts';
import { ratioOf } from '../measure/rounds.ts';
import type { Carried, Contender } from '../measure/rounds.ts';
import type { Program } from '../programs.ts';
import type { BenchResult } from '../result.ts';
import { baselineHeaders, setUpstreamDelay } from '../world.ts';
import { measureRounds, resultOf, rowsOf } from './bench.ts';
import type { Bench } from './bench.ts';

export const connections = 100;
const maxSends = 200_000;

/** A person per connection: sends to one person wait for each other, by contract, and that would be measured instead. */
export function sendBody(channelId: string, n: number): string {
  const recipient = `49159${String(1_000_000 + (n % 100_000))}`;
  const text = 'Your order is ready. Come by whenever it suits you, we are here until six.';
  return JSON.stringify({ channel_id: channelId, recipient, text });
}

export async function benchSend(bench: Bench): Promise<BenchResult> {
  const { world, options, tell } = bench;
  await setUpstreamDelay(world, 0);
  const targets = sendTargets(bench);
  tell('  warming up');
  for (const target of targets) await target.warmUp(options.warmUp);
  const rounds = await measureRounds(bench, targets);
  const rows = rowsOf(rounds);
  bench.capacity.sends = rows.find(({ server }) => server === 'service')?.perSecond?.median ?? null;
  return resultOf(
    bench,
    {
      id: '1',
      title: `send on the owner, ${connections} connections, upstream at once`,
      unit: 'send',
      notes: ['upstream is bench/upstream-stub.ts, so that a simulator does not take the two cores'],
    },
    rounds,
    rows,
    {
      'CPU to echo': ratioOf(rounds, 'service', 'echo', ({ cpuUs }) => cpuUs),
      'CPU to floor': world.floor && ratioOf(rounds, 'service', 'floor', ({ cpuUs }) => cpuUs),
      'sends per core to naive': world.naive && ratioOf(rounds, 'naive', 'service', ({ cpuUs }) => cpuUs),
    },
  );
}

export interface Bounds {
  seconds: number;
  units: number;
}

export interface Target extends Contender {
  /** Compilers need some ten thousand sends until they are done; a server that runs for days is always past that. */
  warmUp: (bounds: Bounds) => Promise<Carried>;
}

function sendTargets({ world, options }: Bench): Target[] {
  const { echo, floor, naive, service, sender } = world;
  const target = (
    program: Program,
    path: string,
    headers: Record<string, string>,
    beside?: Program,
  ): Target => {
    const load = ({ seconds, units: most }: Bounds): Promise<Carried> =>
      closedLoop({
        url: program.url + path,
        connections,
        seconds,
        most,
        headers,
        body: { each: 'connection', of: (n) => sendBody(sender.id, n) },
      });
    const { name, pid } = program;
    return {
      name,
      pid,
      besidePid: beside?.pid ?? null,
      warmUp: load,
      carry: () => load({ seconds: options.seconds, units: maxSends }),
    };
  };
  return [
    target(echo, '/', {}),
    ...(floor === null ? [] : [target(floor, '/send', baselineHeaders)]),
    target(service, '/api/v1/messages/send', { 'x-api-key': sender.key }),
    ...(naive === null ? [] : [target(naive.program, '/send', baselineHeaders, naive.redis)]),
  ];
}
