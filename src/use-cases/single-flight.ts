/** Of all who ask for one key at a time one look-up goes out, and all get its answer, be it an error. */
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

  /** Something changed: who asks from now on does not get an answer that was on its way before. */
  startAnew(): void {
    this.#underWay.clear();
  }
}
