/** A list as the client will see it: an item is put into the client's words when it is written, not all ten thousand in one turn. */
export class Listed<T> {
  readonly #items: readonly T[];
  readonly #view: (item: T) => unknown;

  constructor(items: readonly T[], view: (item: T) => unknown) {
    this.#items = items;
    this.#view = view;
  }

  get length(): number {
    return this.#items.length;
  }

  slice(from: number, to: number): unknown[] {
    return this.#items.slice(from, to).map(this.#view);
  }

  /** The whole list, for a writer that sends it in one go. */
  toJSON(): unknown[] {
    return this.#items.map(this.#view);
  }
}
