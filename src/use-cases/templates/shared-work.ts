/** Of one key one work at a time, and one more for all who came meanwhile: a work that began before them may have missed why they came. */
export class SharedWork {
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
      // One that is planned begins a moment later: who comes meanwhile joins it instead of running beside it.
      if (!this.#next.has(key)) this.#running.delete(key);
    });
    this.#running.set(key, running);
    return running;
  }
}
