/** Upstream repeats itself within minutes, and a busy node has some thousand events in one. */
const most = 10_000;

/** The deliveries that were shown of late. An event that is no webhook has no other record of having been told. */
export class Shown {
  readonly #ids = new Set<string>();

  isNew(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > most) {
      const [oldest] = this.#ids;
      if (oldest !== undefined) this.#ids.delete(oldest);
    }
    return true;
  }
}
