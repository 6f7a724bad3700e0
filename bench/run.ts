/**
 * `npm run bench`: boots the built service and its baselines, runs the benches of docs/performance.md §3 that are here, prints tables
 * and writes bench/results/. Exits 1 when a figure is beyond its budget, 2 when a budget could not be measured validly.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { readBudgets } from './budgets.ts';
import { readOptions } from './options.ts';
import type { Options } from './options.ts';
import { Programs, root } from './programs.ts';
import { headOf, textOf } from './report.ts';
import type { BenchResult, RunResult } from './result.ts';
import type { Bench, RunBench } from './scenarios/bench.ts';
import { benchIngest } from './scenarios/ingest.ts';
import { benchMemory } from './scenarios/memory.ts';
import { benchSendLatency } from './scenarios/send-latency.ts';
import { benchSend } from './scenarios/send.ts';
import { benchStart } from './scenarios/start.ts';
import { benchWebhook } from './scenarios/webhook.ts';
import { openWorld } from './world.ts';

/** In this order: 1b takes its load from 1, and 3 the messages that 1 has sent. */
const benches: readonly [id: string, run: RunBench][] = [
  ['1', benchSend],
  ['1b', benchSendLatency],
  ['3', benchIngest],
  ['4', benchWebhook],
  ['9', benchStart],
  ['memory', benchMemory],
];

const tell = (line: string): void => void process.stdout.write(`${line}\n`);
/** A run that hangs must end, also in CI: three times of what the slowest full run takes. */
const maxRunMs = 30 * 60_000;

async function main(options: Options): Promise<number> {
  const programs = new Programs();
  process.once('exit', () => programs.killAll());
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  setTimeout(() => process.exit(3), maxRunMs).unref();
  buildBaselines();
  const world = await openWorld(programs, options.profileDir);
  const run: RunResult = { ...circumstances(options), benches: [] };
  tell(headOf(run));
  if (world.floor === null) tell('no floor on this store yet: ratios to it are left out');
  if (world.naive === null) tell('no redis-server on this machine: ratios to naive are left out');
  try {
    const bench: Bench = { world, options, budgets: readBudgets(), tell, capacity: { sends: null } };
    for (const [id, runBench] of benches) {
      if (options.only?.has(id) === false) continue;
      tell(`\nbench ${id}`);
      run.benches.push(await runBench(bench));
    }
  } finally {
    await world.close();
  }
  for (const result of run.benches) tell(`\n${textOf(result)}`);
  tell(`\nwritten: ${write(run)}`);
  return exitCodeOf(run.benches);
}

/** Baselines run as the service does, compiled: a loader would cost them what it does not cost the service. */
function buildBaselines(): void {
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'bench/tsconfig.json'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
}

function circumstances({ smoke }: Options): Omit<RunResult, 'benches'> {
  const processors = cpus();
  return {
    at: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root }).toString().trim(),
    mode: smoke ? 'smoke' : 'full',
    store: storeName(),
    node: process.versions.node,
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
  };
}

function storeName(): string {
  if (process.env['MONGODB_URI'] === undefined) return 'embedded (SQLite)';
  return process.env['REDIS_URL'] === undefined ? 'MongoDB' : 'MongoDB and Redis';
}

function write(run: RunResult): string {
  const folder = join(root, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const file = `bench/results/${run.at.replaceAll(/[:.]/g, '-')}-${run.mode}.json`;
  writeFileSync(join(root, file), `${JSON.stringify(run, null, 2)}\n`);
  return file;
}

function exitCodeOf(results: readonly BenchResult[]): number {
  const verdicts = results.flatMap(({ figures }) => figures.map(({ verdict }) => verdict));
  if (verdicts.includes('beyond')) return 1;
  return verdicts.includes('invalid') ? 2 : 0;
}

process.exitCode = await main(readOptions(process.argv.slice(2)));
