/** Concurrent callers with one key share one look-up and its result, also if it rejects. */
export class SingleFlight<V> {
  readonly #underWay = new Map<string, Promise<V>>();

  run(key: string, lookUp: () => Promise<V>): Promise<V> {
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const running = lookUp().finally(() => {
      if (this.#underWay.get(key) === running) this.#underWay.delete(key);
    });
    this.#underWay.set(key, running);
    return running;
  }

  /** Resolves when no look-up for this key is running that began before this call. */
  async ended(key: string): Promise<void> {
    await this.#underWay.get(key)?.catch(() => undefined);
  }

  /** After a change: later callers do not share look-ups that began before. */
  startAnew(): void {
    this.#underWay.clear();
  }
}

/** One run per key at a time, and one shared next run for callers who come meanwhile: the running one may have missed their change. */
export class CoalescedRuns {
  readonly #running = new Map<string, Promise<void>>();
  readonly #next = new Map<string, Promise<void>>();

  run(key: string, work: () => Promise<void>): Promise<void> {
    const running = this.#running.get(key);
    if (running === undefined) return this.#start(key, work);
    const planned = this.#next.get(key);
    if (planned !== undefined) return planned;
    const startNext = (): Promise<void> => {
      this.#next.delete(key);
      return this.#start(key, work);
    };
    const next = running.then(startNext, startNext);
    this.#next.set(key, next);
    return next;
  }

  #start(key: string, work: () => Promise<void>): Promise<void> {
    const running = work().finally(() => {
      // A planned run starts in a later microtask: the key stays, so that callers until then join it instead of starting another.
      if (!this.#next.has(key)) this.#running.delete(key);
    });
    this.#running.set(key, running);
    return running;
  }
}
