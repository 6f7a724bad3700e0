/** Bench 9: from the start of the process to the first 200 of `/healthz`. */
import { rm } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/support/ports.ts';
import { maxOthersCores, watchOthers } from '../measure/others.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Programs } from '../world/programs.ts';
import { root } from '../world/programs.ts';
import { serviceEnv } from '../world/testbed.ts';
import type { Testbed } from '../world/testbed.ts';
import type { BenchResult } from '../result.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';

interface Starts {
  bareMs: number;
  serviceMs: number;
  readyMs: number;
  isValid: boolean;
}

export async function benchStart(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const all: Starts[] = [];
  // Starts are short, so there are more of them than rounds of other benches.
  while (all.length < 2 * options.rounds + 1) {
    const starts = await timeStarts(testbed, root, all.length);
    all.push(starts);
    const { bareMs, serviceMs } = starts;
    tell(`  start ${all.length}: bare ${bareMs.toFixed(0)} ms · service ${serviceMs.toFixed(0)} ms`);
  }
  const valid = all.filter(({ isValid }) => isValid);
  const of = valid.length > 0 ? valid : all;
  const over = (pick: (starts: Starts) => number) => spreadOf(of.map(pick));
  const about = {
    id: '9',
    title: 'start to the first 200',
    unit: 'start',
    store: 'embedded (SQLite)',
    notes: [],
  };
  const how = { rounds: all.length, invalidRounds: all.length - valid.length };
  return plainResult(bench, about, how, {
    'service, new data directory, ms': over(({ serviceMs }) => serviceMs),
    'start to bare http': over(({ bareMs, serviceMs }) => serviceMs / bareMs),
    'bare http, ms': over(({ bareMs }) => bareMs),
    'ready, ms': over(({ readyMs }) => readyMs),
  });
}

/** Each start has a new data directory: keys are made and the store is created, so it is the slowest kind of start. */
export async function timeStarts(testbed: Testbed, tree: string, number: number): Promise<Starts> {
  const { programs } = testbed;
  const dataDir = join(testbed.folder, `start-${number}`);
  const watch = watchOthers(() => programs.pids());
  const env = await serviceEnv(testbed, { dataDir });
  const main = join(tree, 'dist/src/main.js');
  const bareMs = await timeStart(programs, join(root, 'dist/bench/baseline/echo.js'), {}, '/');
  const serviceMs = await timeStart(programs, main, env, '/healthz');
  await rm(dataDir, { recursive: true, force: true });
  const readyMs = await timeStart(programs, main, env, '/readyz');
  await rm(dataDir, { recursive: true, force: true });
  return { bareMs, serviceMs, readyMs, isValid: watch().cores <= maxOthersCores };
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

/** One request. Cheap, because it runs during the measured start. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get(url, { agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}
