/** Runs one test file in a jest process in the sandbox: for files that do not pass in the long-lived process. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

let tasks = 0;

/** Resolves with the result of `environment.js`. A run that takes longer than `untilMs` fails; a test may take `testMs`. */
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
      // In its own process group: when the run is stopped, the processes that it has started are stopped too.
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
