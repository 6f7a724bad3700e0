/** Runs all steps, even if some reject; then throws the first error. */
export async function runAll(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const thrown: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => thrown.push(error));
  if (thrown.length > 0) throw thrown[0];
}

/** Work that never overlaps itself: a call during a run waits for that run and then gets a run of its own. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
