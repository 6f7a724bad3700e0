import type { Clock } from '../../kernel/clock.ts';

/** What a deadline ends; the two links are the list's own. */
export interface Expiring {
  /** By `Clock.monotonic`. */
  readonly expiresAt: number;
  earlier: Expiring | null;
  later: Expiring | null;
  expire(): void;
}

/**
 * One timer for any number of attempts. All of them get the same time, so the order they begin in is the order they end
 * in, and a linked list is the whole queue. A timer each would cost 1 µs and 250 B, a Set as much in garbage.
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

  /** Once per entry. The timer is left armed: it finds the next entry when it fires, cheaper than moving it each time. */
  remove(entry: Expiring): void {
    if (entry.earlier === null) this.#first = entry.later;
    else entry.earlier.later = entry.later;
    if (entry.later === null) this.#last = entry.earlier;
    else entry.later.earlier = entry.earlier;
    // Who still holds this one must not hold all that came after it.
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
    // Ending an entry takes it off the list.
    while (this.#first !== null && this.#first.expiresAt <= now) this.#first.expire();
    if (this.#first !== null) this.#armAt(this.#first.expiresAt);
  }
}
