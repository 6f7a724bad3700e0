/** One process of jest in the sandbox for one task: what runs what, or one mutant switched on. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

let tasks = 0;

/** Resolves with jest's exit code (null: stopped after `untilMs`) and the notes of the test files. A test may take `testMs`. */
export async function runJest(folder, { files, tests, mutant, workers, untilMs, testMs }) {
  const name = join(folder, `task-${(tasks += 1)}`);
  const task = { mutant, tests, notes: `${name}.notes` };
  writeFileSync(`${name}.json`, JSON.stringify(task));
  const { code, said } = await ended(folder, name, { files, workers, untilMs, testMs });
  const notes = existsSync(task.notes) ? readFileSync(task.notes, 'utf8').trim().split('\n') : [];
  return { code, said, notes: notes.map((line) => JSON.parse(line)) };
}

function ended(folder, name, { files, workers, untilMs, testMs }) {
  const inTurn = workers === 1 ? ['--runInBand', '--bail'] : ['--maxWorkers', String(workers)];
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      'node_modules/jest/bin/jest.js',
      '--config=jest.config.json',
      `--testTimeout=${testMs}`,
      ...inTurn,
      '--forceExit',
      '--runTestsByPath',
      ...files,
    ],
    {
      cwd: folder,
      // A group of its own: what a stopped file has started goes with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, MUTANT_TASK: `${name}.json`, NODE_OPTIONS: '' },
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const group = -Number(child.pid);
  const stop = setTimeout(() => process.kill(group, 'SIGKILL'), untilMs);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      clearTimeout(stop);
      resolve({ code, said });
    });
  });
}
