/** Controls the process of `warm.mjs`: one task at a time, and a new process if one hangs, ends or has grown too large. */
import { fork } from 'node:child_process';
import { join } from 'node:path';

/** A new process replaces one after this many tasks, because tasks leave timers and maps behind. */
const tasksOfOne = 2_000;

export class WarmProcess {
  #child;
  #left = 0;

  /** Resolves with the result of `warm.mjs`; a task that takes longer than `untilMs` fails, and so does one that ends the process. */
  async run({ untilMs, ...task }) {
    if (this.#left === 0) this.#begin();
    this.#left -= 1;
    const child = this.#child;
    child.send(task);
    const note = await answerOf(child, untilMs);
    if (note.took === undefined) this.stop();
    return note;
  }

  #begin() {
    this.stop();
    // The output of tests and mutants is discarded.
    this.#child = fork(join(import.meta.dirname, 'warm.mjs'), {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Fewer random histories than in `npm test`, because each mutant runs them.
      env: { MODEL_RUNS: '50', ...process.env },
      serialization: 'advanced',
      execArgv: ['--max-old-space-size=3000', '--no-warnings'],
    });
    this.#left = tasksOfOne;
  }

  stop() {
    this.#child?.kill('SIGKILL');
    this.#left = 0;
  }
}

function answerOf(child, untilMs) {
  return new Promise((resolve) => {
    const answer = (note) => {
      clearTimeout(stop);
      child.off('message', answer).off('exit', ended);
      resolve(note);
    };
    const ended = () => answer({ failure: 'ends the process' });
    const stop = setTimeout(answer, untilMs, { failure: 'hangs' });
    child.on('message', answer).on('exit', ended);
  });
}
