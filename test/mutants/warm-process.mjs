/** The process of `warm.mjs`, seen from outside: one task at a time, and a new process after one that hangs, ends or has grown. */
import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Ten thousand tasks leave timers and maps behind. */
const tasksOfOne = 2_000;

export class WarmProcess {
  #child;
  #left = 0;

  /** Resolves with the note of `warm.mjs`; a task that takes more than `untilMs` fails, and so does one that ends the process. */
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
    // What tests and mutants say is not ours to print.
    this.#child = fork(join(import.meta.dirname, 'warm.mjs'), {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Random histories: as many as are worth their time for each mutant.
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
