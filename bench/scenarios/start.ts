/** Bench 9: from the start of the process to the first 200 of `/healthz`. */
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/support/ports.ts';
import { environment } from '../../test/support/service.ts';
import { maxOthersCores, watchOthers } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Programs } from '../programs.ts';
import type { BenchResult } from '../result.ts';
import { figureOf } from '../budgets.ts';
import type { Bench } from './bench.ts';

interface Pair {
  bareMs: number;
  serviceMs: number;
  readyMs: number;
  isValid: boolean;
}

/** Each start has a new data directory: keys are made and the store is laid out, the slowest start there is. */
export async function benchStart({ world, options, budgets, tell }: Bench): Promise<BenchResult> {
  const pairs: Pair[] = [];
  // Starts are short, so there are more of them.
  while (pairs.length < 2 * options.rounds + 1) {
    const watch = watchOthers(() => world.programs.pids());
    const bareMs = await timeStart(world.programs, 'dist/bench/baseline/echo.js', {}, '/');
    const env = await environment(world.stub.url, {
      DATA_DIR: await mkdtemp(join(tmpdir(), 'trunkline-start-')),
    });
    const serviceMs = await timeStart(world.programs, 'dist/src/main.js', env, '/healthz');
    const readyMs = await timeStart(world.programs, 'dist/src/main.js', env, '/readyz');
    await rm(env['DATA_DIR'] ?? '', { recursive: true, force: true });
    pairs.push({ bareMs, serviceMs, readyMs, isValid: watch() <= maxOthersCores });
    tell(`  start ${pairs.length}: bare ${bareMs.toFixed(0)} ms · service ${serviceMs.toFixed(0)} ms`);
  }
  const valid = pairs.filter(({ isValid }) => isValid);
  const of = valid.length > 0 ? valid : pairs;
  const how = { smoke: options.smoke, isValid: valid.length > 0 };
  const figure = (name: string, pick: (pair: Pair) => number) =>
    figureOf(budgets, '9', name, spreadOf(of.map(pick)), how);
  return {
    id: '9',
    title: 'start to the first 200',
    unit: 'start',
    rows: [],
    figures: [
      figure('bare http, ms', ({ bareMs }) => bareMs),
      figure('service, new data directory, ms', ({ serviceMs }) => serviceMs),
      figure('ready, ms', ({ readyMs }) => readyMs),
      figure('start to bare http', ({ bareMs, serviceMs }) => serviceMs / bareMs),
    ],
    rounds: pairs.length,
    invalidRounds: pairs.length - valid.length,
    notes: [],
  };
}

async function timeStart(
  programs: Programs,
  file: string,
  env: Record<string, string>,
  path: string,
): Promise<number> {
  const port = env['PORT'] ?? String(await freePort());
  const startedAt = performance.now();
  const { program, output, hasEnded } = programs.launch({
    name: file,
    command: process.execPath,
    args: [file],
    env: { ...env, PORT: port },
  });
  while (!(await answers(`http://127.0.0.1:${port}${path}`))) {
    if (hasEnded() || performance.now() - startedAt > 20_000)
      throw new Error(`${file}: ${output.join('\n')}`);
    await wait(2);
  }
  const ms = performance.now() - startedAt;
  await program.stop();
  return ms;
}

/** One look. Cheap, because it runs beside what is being timed. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(url, { agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}
