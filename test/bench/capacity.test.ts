/** [operator-interface §1, capacity] The model agrees with the measurements, and the page with the command's output. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readCosts } from '../../bench/capacity/costs.ts';
import { busyShare, planFor, withHops } from '../../bench/capacity/model.ts';
import type { Load } from '../../bench/capacity/model.ts';

const root = join(import.meta.dirname, '../..');
const costs = readCosts();
const page = readFileSync(join(root, 'docs/operating/capacity.md'), 'utf8');
const table = readFileSync(join(root, 'bench/README.md'), 'utf8');

const run = (options: string): string =>
  execFileSync('npm', ['run', '-s', 'capacity', '--', ...options.split(' ').filter(Boolean)], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** The least and the greatest of the latest rounds of bench 6. */
function measured(figure: string): { least: number; greatest: number } {
  const found = new RegExp(`^\\| 6 \\| ${figure} \\|[^|]*\\| [\\d.]+ \\(([\\d.]+)–([\\d.]+)\\) `, 'm').exec(
    table,
  );
  if (found === null) throw new Error(`bench/README.md has no figure ${figure}`);
  return { least: Number(found[1]), greatest: Number(found[2]) };
}

/** Bench 6 runs on two cores, which Redis, MongoDB, upstream and the load share with the nodes. */
const benchMachine = { cores: 2, otherProcesses: 4 };
/** Processes that can share a core without slowing each other, and what each further one costs all of them; fitted to bench 6. */
const sharedCores = { freeProcesses: 2.5, share: 0.2 };

/** CPU per send and throughput of `nodes` nodes relative to one node, each node limited to its slice. */
function modelledOnBenchMachine(nodes: number): { cpuPerSend: number; throughput: number } {
  const { cores, otherProcesses } = benchMachine;
  const slowed = (count: number): number => {
    const perCore = (count + otherProcesses) / cores;
    return 1 + sharedCores.share * Math.max(0, perCore - sharedCores.freeProcesses);
  };
  const costOf = (count: number): number => withHops(count, costs) * slowed(count);
  const cpuPerSend = costOf(nodes) / costOf(1);
  return { cpuPerSend, throughput: nodes / cpuPerSend };
}

test.each([
  [2, 'sends of 2 nodes to 1', 'CPU per send, 2 nodes to 1'],
  [4, 'sends of 4 nodes to 1', 'CPU per send, 4 nodes to 1'],
])('%i nodes: within the rounds of bench 6', (nodes, sends, cpu) => {
  const { throughput, cpuPerSend } = modelledOnBenchMachine(nodes);
  for (const [modelled, { least, greatest }] of [
    [throughput, measured(sends)],
    [cpuPerSend, measured(cpu)],
  ] as const) {
    expect(modelled).toBeGreaterThanOrEqual(least);
    expect(modelled).toBeLessThanOrEqual(greatest);
  }
});

const load: Load = {
  channels: 1_000,
  liveChannels: 100,
  sends: 100,
  inbound: 100,
  statusesPerSend: 3,
  peak: 2,
  logDays: 7,
};

test('twice the load needs twice the work of the servers, and no node exceeds its maximal load', () => {
  const [once, twice] = [planFor(load, costs), planFor({ ...load, sends: 200, inbound: 200 }, costs)];
  expect(twice.mongodbCores).toBeCloseTo(2 * once.mongodbCores);
  expect(twice.diskGb).toBeCloseTo(2 * once.diskGb);
  expect(twice.nodes).toBeGreaterThanOrEqual(once.nodes);
  expect(Math.max(once.nodeCores, twice.nodeCores)).toBeLessThanOrEqual(busyShare);
});

test('a million channels with little traffic need memory, not CPU', () => {
  const { nodes, nodeMemoryMb, redisMemoryMb } = planFor(
    { ...load, channels: 1_000_000, liveChannels: 100_000, sends: 1, inbound: 1 },
    costs,
  );
  expect(nodes).toBe(2);
  expect(nodeMemoryMb).toBeGreaterThan(costs.node.memoryMb + 250);
  expect(redisMemoryMb).toBeCloseTo((100_000 * costs.redis.liveChannelBytes) / 1e6);
});

test('docs/operating/capacity.md has the output of the command', () => {
  const shown = [...page.matchAll(/^\$ npm run capacity -- (.*)\n([\s\S]*?)^```/gm)];
  expect(shown.length).toBeGreaterThan(2);
  for (const [, options = '', printed] of shown) expect(run(options)).toBe(printed);
});

test('an invalid number is refused with the usage', () => {
  expect(() => run('--sends many')).toThrow();
});
