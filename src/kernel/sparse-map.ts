/**
 * A map that takes no memory while it is empty, and hardly any with one entry. A channel has nine of them, and most channels are quiet:
 * empty Maps would be the larger half of the cost of a channel, and a Map made and dropped for each event 400 B of garbage. A loop over the
 * only entry does not see entries set during the loop.
 */
export class SparseMap<K, V> implements Iterable<[K, V]> {
  #held: Map<K, V> | Single<K, V> | null = null;

  get size(): number {
    return this.#held === null ? 0 : this.#held.size;
  }

  get(key: K): V | undefined {
    return this.#held?.get(key);
  }

  has(key: K): boolean {
    return this.#held !== null && this.#held.has(key);
  }

  set(key: K, value: V): void {
    const held = this.#held;
    if (held === null) this.#held = new Single(key, value);
    else if (held instanceof Map) held.set(key, value);
    else if (held.has(key)) held.value = value;
    else this.#held = new Map([...held, [key, value]]);
  }

  delete(key: K): void {
    const held = this.#held;
    if (held === null) return;
    if (held instanceof Map) {
      held.delete(key);
      if (held.size === 0) this.#held = null;
    } else if (held.has(key)) this.#held = null;
  }

  clear(): void {
    this.#held = null;
  }

  keys(): Iterable<K> {
    return this.#held === null ? [] : this.#held.keys();
  }

  values(): Iterable<V> {
    return this.#held === null ? [] : this.#held.values();
  }

  some(test: (value: V) => boolean): boolean {
    for (const value of this.values()) if (test(value)) return true;
    return false;
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return (this.#held ?? [])[Symbol.iterator]();
  }
}

/** A map of exactly one entry. */
class Single<K, V> implements Iterable<[K, V]> {
  readonly size = 1;
  readonly key: K;
  value: V;

  constructor(key: K, value: V) {
    this.key = key;
    this.value = value;
  }

  get(key: K): V | undefined {
    return key === this.key ? this.value : undefined;
  }

  has(key: K): boolean {
    return key === this.key;
  }

  keys(): Iterable<K> {
    return [this.key];
  }

  values(): Iterable<V> {
    return [this.value];
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    const only: [K, V][] = [[this.key, this.value]];
    return only[Symbol.iterator]();
  }
}
