/** Bench 4b: only delivery, at 1, 10 and 1,000 hosts; and the effect of one dead host among a thousand on the others. */
import { freePort } from '../../test/support/ports.ts';
import { cpuOf, ratioOf } from '../measure/rounds.ts';
import type { Carried, Contender } from '../measure/rounds.ts';
import { latencyOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import type { Program } from '../world/programs.ts';
import { measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';

const hostCounts = [1, 10, 1_000];
const inFlight = 64;
const perSecond = 1_000;

export async function benchDelivery(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const { programs } = testbed;
  const [port, deadPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), DEAD_PORT: String(deadPort) };
  const hosts = await programs.node('hosts', 'dist/bench/baseline/hosts.js', ports);
  const poster = (kind: string) => programs.node(kind, 'dist/bench/baseline/poster.js', { POSTER: kind });
  const [product, bare] = [await poster('product'), await poster('bare')];
  const closed = (program: Program, count: number): Contender => {
    const run = { urls: urlsOf(count, port), posts: 200_000, seconds: options.seconds, inFlight };
    return { ...alone(program, `${program.name}, ${count}`), carry: () => deliver(program, run) };
  };
  const contenders = hostCounts.flatMap((count) => [closed(bare, count), closed(product, count)]);
  tell('  warming up');
  for (const { carry } of contenders) await carry();
  const rounds = await measureRounds(bench, contenders);

  const dead = `http://127.0.200.200:${deadPort}/`;
  const open = (name: string, urls: string[]): Contender => {
    const run = { urls, posts: 200_000, seconds: options.seconds, perSecond, dead };
    return { ...alone(product, name), carry: () => deliver(product, run) };
  };
  tell(`  at ${perSecond}/s to 1,000 hosts, all alive and one dead`);
  const disturbed = await measureRounds(bench, [
    open('alive', urlsOf(1_000, port)),
    open('one dead', [...urlsOf(999, port), dead]),
  ]);
  await Promise.all([hosts, product, bare].map((program) => program.stop()));
  const ratios = hostCounts.map((count) => {
    const ratio = ratioOf(rounds, `product, ${count}`, `bare, ${count}`, cpuOf);
    return [`CPU to bare undici.request, ${count} host${count === 1 ? '' : 's'}`, ratio] as const;
  });
  const about = {
    id: '4b',
    title: `delivery alone, signed, ${inFlight} on their way, to 1, 10 and 1,000 hosts`,
    unit: 'POST',
    store: 'none',
    notes: [`one dead host: accepts and never answers; open loop at ${perSecond}/s, times of the other 999`],
  };
  return resultOf(bench, about, rounds, {
    ...Object.fromEntries(ratios),
    'CPU, 1,000 hosts to one': ratioOf(rounds, 'product, 1000', 'product, 1', cpuOf),
    'the same of bare undici.request': ratioOf(rounds, 'bare, 1000', 'bare, 1', cpuOf),
    "others' p99 beside a dead host": ratioOf(disturbed, 'one dead', 'alive', ({ p99Ms }) => p99Ms),
  });
}

function alone({ pid }: Program, name: string): Pick<Contender, 'name' | 'pids' | 'beside'> {
  return { name, pids: [pid], beside: [] };
}

function urlsOf(count: number, port: number): string[] {
  return Array.from(
    { length: count },
    (_, n) => `http://127.0.${1 + Math.floor(n / 250)}.${1 + (n % 250)}:${port}/`,
  );
}

async function deliver({ url }: Program, run: object): Promise<Carried> {
  const all = { inFlight: null, perSecond: null, dead: null, ...run };
  const answer = await fetch(`${url}/run`, { method: 'POST', body: JSON.stringify(all) });
  if (answer.status !== 200) throw new Error(`the poster answered ${answer.status}`);
  const { latencies, failed, ms }: { latencies: number[]; failed: number; ms: number } = JSON.parse(
    await answer.text(),
  );
  const { count: units, p50Ms, p99Ms } = latencyOf(latencies);
  return { units, failed, perSecond: units / (ms / 1_000), p50Ms, p99Ms };
}
