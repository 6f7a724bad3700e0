import type { Clock } from '../kernel/clock.ts';

interface Entry<V> {
  value: V;
  freshUntil: number;
}

/**
 * The `most` entries used last, each for `ttlMs` by the monotonic clock. A Map keeps insertion order, so taking an entry out
 * and putting it back on use makes the first key the one used longest ago.
 */
export class ShortLivedCache<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #most: number;
  readonly #ttlMs: number;
  readonly #clock: Clock;

  constructor(options: { most: number; ttlMs: number; clock: Clock }) {
    this.#most = options.most;
    this.#ttlMs = options.ttlMs;
    this.#clock = options.clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** undefined: not known, or no longer fresh. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.freshUntil <= this.#clock.monotonic()) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, freshUntil: this.#clock.monotonic() + this.#ttlMs });
    if (this.#entries.size > this.#most) this.#dropOldest();
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Looks at every entry: for rare events only (10,000 entries cost about 0.1 ms). */
  deleteWhere(matches: (value: V) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (matches(entry.value)) this.#entries.delete(key);
    }
  }

  #dropOldest(): void {
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }
}
