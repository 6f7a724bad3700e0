import type { Clock } from '../kernel/clock.ts';

/** An entry of the deadline list. Only the list sets `earlier` and `later`. */
export interface Expiring {
  /** In ms of `Clock.monotonic`. */
  readonly expiresAt: number;
  earlier: Expiring | null;
  later: Expiring | null;
  expire(): void;
}

/**
 * One timer for any number of attempts. All attempts have the same timeout, so they expire in the order in which they start: a linked list
 * is enough. A timer per attempt would cost 1 µs and 250 B, a Set as much in garbage.
 */
export class Deadlines {
  readonly #clock: Clock;
  #first: Expiring | null = null;
  #last: Expiring | null = null;
  #disarm: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(entry: Expiring): void {
    entry.earlier = this.#last;
    if (this.#last === null) this.#first = entry;
    else this.#last.later = entry;
    this.#last = entry;
    if (this.#disarm === null) this.#armAt(entry.expiresAt);
  }

  /** Called once per entry. The timer is not moved: it finds the next entry when it fires, which is cheaper. */
  remove(entry: Expiring): void {
    if (entry.earlier === null) this.#first = entry.later;
    else entry.earlier.later = entry.later;
    if (entry.later === null) this.#last = entry.earlier;
    else entry.later.earlier = entry.earlier;
    // A removed entry that is still referenced must not keep all later entries in memory.
    entry.earlier = null;
    entry.later = null;
  }

  stop(): void {
    this.#disarm?.();
    this.#disarm = null;
  }

  #armAt(at: number): void {
    this.#disarm = this.#clock.after(Math.ceil(at - this.#clock.monotonic()), () => this.#fire());
  }

  #fire(): void {
    this.#disarm = null;
    const now = this.#clock.monotonic();
    // `expire` removes the entry from the list.
    while (this.#first !== null && this.#first.expiresAt <= now) this.#first.expire();
    if (this.#first !== null) this.#armAt(this.#first.expiresAt);
  }
}
