/** One test file in a process of jest in the sandbox: for files that do not run in a process that stays. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

let tasks = 0;

/** Resolves with the note of `environment.js`. What takes more than `untilMs` fails; a test may take `testMs`. */
export async function runJest(folder, { file, mutant, only, untilMs, testMs }) {
  const name = join(folder, `task-${(tasks += 1)}`);
  const notes = `${name}.notes`;
  writeFileSync(`${name}.json`, JSON.stringify({ mutant, only, notes }));
  const code = await ended(folder, name, { file, untilMs, testMs });
  const note = existsSync(notes) ? JSON.parse(readFileSync(notes, 'utf8')) : {};
  if (code === 0) return note;
  return { ...note, failure: note.failure ?? (code === null ? 'hangs' : 'does not load') };
}

function ended(folder, name, { file, untilMs, testMs }) {
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      'node_modules/jest/bin/jest.js',
      '--config=jest.config.json',
      `--testTimeout=${testMs}`,
      '--runInBand',
      '--forceExit',
      '--runTestsByPath',
      file,
    ],
    {
      cwd: folder,
      // A group of its own: what a stopped file has started goes with it.
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, MUTANT_TASK: `${name}.json`, NODE_OPTIONS: '' },
    },
  );
  const group = -Number(child.pid);
  const stop = setTimeout(() => process.kill(group, 'SIGKILL'), untilMs);
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      clearTimeout(stop);
      resolve(code);
    });
  });
}
