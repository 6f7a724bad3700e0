/**
 * A map that takes no room while it is empty. A channel remembers in seven of them and most channels are quiet: empty maps
 * would be the larger half of what a channel costs. What is set while a loop has just deleted the last entry is not seen by
 * that loop.
 */
export class SparseMap<K, V> implements Iterable<[K, V]> {
  #map: Map<K, V> | null = null;

  static by<K, V>(values: readonly V[], keyOf: (value: V) => K): SparseMap<K, V> {
    const map = new SparseMap<K, V>();
    for (const value of values) map.set(keyOf(value), value);
    return map;
  }

  get size(): number {
    return this.#map === null ? 0 : this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map?.get(key);
  }

  has(key: K): boolean {
    return this.#map !== null && this.#map.has(key);
  }

  set(key: K, value: V): void {
    this.#map ??= new Map();
    this.#map.set(key, value);
  }

  delete(key: K): void {
    if (this.#map === null) return;
    this.#map.delete(key);
    if (this.#map.size === 0) this.#map = null;
  }

  clear(): void {
    this.#map = null;
  }

  keys(): Iterable<K> {
    return this.#map === null ? [] : this.#map.keys();
  }

  values(): Iterable<V> {
    return this.#map === null ? [] : this.#map.values();
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return (this.#map ?? new Map<K, V>())[Symbol.iterator]();
  }
}
