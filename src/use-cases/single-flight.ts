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

  /** After a change: later callers do not share look-ups that began before. */
  startAnew(): void {
    this.#underWay.clear();
  }
}
