/**
 * `npm run bench`: starts the built service and its baselines, runs the benches, prints tables and writes bench/results/. Exits 1 when a
 * figure is beyond its budget or a bench broke, 2 when a budget could not be measured validly (the smoke prints that and exits 0).
 */
import { readBudgets } from './budgets.ts';
import type { Budgets } from './budgets.ts';
import { asError } from '../src/kernel/faults.ts';
import { compareWith } from './compare.ts';
import { readCommand, usage } from './options.ts';
import type { Options } from './options.ts';
import { headOf, asText } from './report.ts';
import { summaryOf } from './summary.ts';
import { circumstances, exitCodeOf, modeOf, write } from './results.ts';
import type { RunResult } from './result.ts';
import { CannotRun } from './scenarios/bench.ts';
import type { Bench } from './scenarios/bench.ts';
import { chosen } from './suite.ts';
import type { Entry } from './suite.ts';
import { writeTable } from './table.ts';
import { missingServers } from './world/servers.ts';
import { buildBaselines } from './world/build.ts';
import { openTestbed } from './world/testbed.ts';
import type { Testbed } from './world/testbed.ts';
import { Programs, root } from './world/programs.ts';
import { openWorld } from './world/world.ts';
import type { World } from './world/world.ts';

const tell = (line: string): void => void process.stdout.write(`${line}\n`);
/** Limit for a run that hangs, also in CI: several times the duration of the slowest full run. */
const maxRunMs = { smoke: 180_000, full: 2 * 3_600_000 };
/** The smoke starts no more benches after this time. */
const smokeMs = 60_000;

/** `ref`: another commit to compare this tree with; null: runs the benches. */
async function run(options: Options, ref: string | null, programs: Programs): Promise<number> {
  const entries = chosen(options.only, options.smoke);
  buildBaselines(root);
  const result: RunResult = { ...circumstances(modeOf(options, ref)), benches: [], skipped: [] };
  tell(headOf(result));
  const testbed = await openTestbed(programs, options.profileDir);
  try {
    if (ref === null) await runAll(entries, testbed, options, result);
    else await compareWith(ref, benchOn(testbed, options, {}, noWorld), result);
  } finally {
    await testbed.close();
  }
  result.seconds = Math.round(performance.now() / 1_000);
  for (const bench of result.benches) tell(`\n${asText(bench)}`);
  for (const { id, why } of result.skipped) tell(`\nskipped: bench ${id}: ${why}`);
  tell(`\n${summaryOf(result)}`);
  tell(`\n${result.seconds} s; written: ${write(result).join(', ')}`);
  return exitCodeOf(result, tell);
}

async function runAll(
  entries: readonly Entry[],
  testbed: Testbed,
  options: Options,
  result: RunResult,
): Promise<void> {
  let world: Promise<World> | null = null;
  const open = (): Promise<World> => (world ??= openWorld(testbed, { clones: options.smoke ? 0 : 1_000 }));
  const bench = benchOn(testbed, options, readBudgets(), open);
  const missing = missingServers();
  const ofAll = new Set(testbed.programs.pids());
  for (const entry of entries) {
    const why = whyNot(entry, missing, options);
    if (why !== null) {
      result.skipped.push({ id: entry.id, why });
      continue;
    }
    if (entry.on !== 'world' && world !== null) {
      await (await open()).close(); // frees its memory and CPU for the next bench
      world = null;
    }
    const startedAt = performance.now();
    tell(`\nbench ${entry.id}, ${entry.name}`);
    try {
      result.benches.push(await entry.run(bench));
    } catch (thrown) {
      const error = asError(thrown);
      const isBroken = !(error instanceof CannotRun);
      result.skipped.push({ id: entry.id, why: error.message, isBroken });
      tell(`  ${isBroken ? (error.stack ?? error.message) : error.message}`);
      await testbed.programs.stopAll(ofAll); // the failed bench may have left processes that would disturb the next
      world = null;
    }
    tell(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
    write(result); // after each bench, so that an interrupted run keeps its results
  }
}

const noWorld = (): Promise<World> => Promise.reject(new Error('a comparison has no baselines'));

function benchOn(testbed: Testbed, options: Options, budgets: Budgets, world: Bench['world']): Bench {
  return { testbed, world, options, budgets, tell, capacity: { sends: null } };
}

function whyNot({ on }: Entry, missing: string | null, { smoke }: Options): string | null {
  if (on === 'cluster' && missing !== null) return missing;
  return smoke && performance.now() > smokeMs ? 'the time of the smoke is over' : null;
}

async function main(): Promise<number> {
  const command = readCommand(process.argv.slice(2));
  if (command.command === 'help') tell(usage);
  if (command.command === 'help') return 0;
  if (command.command === 'table') return writeTable(tell);
  const { options } = command;
  const programs = new Programs();
  process.once('exit', () => programs.killAll());
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  setTimeout(() => process.exit(3), options.smoke ? maxRunMs.smoke : maxRunMs.full).unref();
  return run(options, command.command === 'compare' ? command.ref : null, programs);
}

process.exitCode = await main();
