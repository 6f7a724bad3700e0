/** Runs all steps, even if some reject; then throws the first error. Begins no step once the signal has aborted. */
export async function runAll(
  steps: readonly (() => Promise<unknown>)[],
  stopping?: AbortSignal,
): Promise<void> {
  const thrown: unknown[] = [];
  for (const step of steps) {
    if (stopping?.aborted === true) break;
    await step().catch((error: unknown) => thrown.push(error));
  }
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

/** A `SerialQueue` for each key that somebody waits for. */
export class SerialQueues {
  readonly #queues = new Map<string, { queue: SerialQueue; waiting: number }>();

  async run<Answer>(key: string, work: () => Promise<Answer>): Promise<Answer> {
    const known = this.#queues.get(key) ?? { queue: new SerialQueue(), waiting: 0 };
    this.#queues.set(key, known);
    known.waiting += 1;
    try {
      return await known.queue.run(work);
    } finally {
      known.waiting -= 1;
      if (known.waiting === 0) this.#queues.delete(key);
    }
  }
}
