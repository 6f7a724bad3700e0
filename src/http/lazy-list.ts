/**
 * A list in an answer. Items are converted only when they are serialized, so that ten thousand are not converted in one turn of the event
 * loop.
 */
export class LazyList<T> {
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

  /** Converts the whole list, for `JSON.stringify`. */
  toJSON(): unknown[] {
    return this.#items.map(this.#view);
  }
}
