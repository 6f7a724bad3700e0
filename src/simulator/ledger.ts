// A look goes through the whole ledger, so a burst of sends must not cause one each.
const lookEveryMs = 5;

type Waiter = { readonly check: () => boolean; readonly resolve: () => void; readonly timer: NodeJS.Timeout };

/**
 * The last `limit` entries in the order they came. Appending costs the same however full it is; `forgotten` is told of each entry
 * that falls out, so that indexes beside the ledger stay as small as it is.
 */
export class Ledger<Entry> {
  total = 0;
  readonly #limit: number;
  readonly #forgotten: (entry: Entry) => void;
  #entries: Entry[] = [];
  #waiters: Waiter[] = [];
  #looking: NodeJS.Timeout | undefined;

  constructor(limit: number, forgotten: (entry: Entry) => void = () => {}) {
    this.#limit = limit;
    this.#forgotten = forgotten;
  }

  /** Appends; the entry's number is `total` before the call. */
  add(entry: Entry): void {
    const place = this.total % this.#limit;
    const oldest = this.#entries[place];
    if (this.total >= this.#limit && oldest !== undefined) this.#forgotten(oldest);
    this.#entries[place] = entry;
    this.total += 1;
    this.wake();
  }

  /** Entries from number `after` + 1 on that the filter takes, oldest first, at most `most`. */
  list(accepts: (entry: Entry) => boolean, after = -1, most = Infinity): Entry[] {
    const found: Entry[] = [];
    for (let n = Math.max(after + 1, this.total - this.#limit, 0); n < this.total; n += 1) {
      const entry = this.#entries[n % this.#limit];
      if (entry !== undefined && accepts(entry) && found.push(entry) >= most) break;
    }
    return found;
  }

  /** Resolves once the check holds, looked at on every change, or after `waitMs`. Never rejects: the caller looks again. */
  async until(check: () => boolean, waitMs: number): Promise<void> {
    if (check() || waitMs <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#waiters = this.#waiters.filter((waiter) => waiter.timer !== timer);
        resolve();
      }, waitMs);
      this.#waiters.push({ check, resolve, timer });
    });
  }

  /** Tells those who wait that an entry changed; they look once for all that changed within `lookEveryMs`. */
  wake(): void {
    if (this.#waiters.length === 0) return;
    this.#looking ??= setTimeout(() => this.#look(), lookEveryMs);
  }

  /** Forgets everything and releases everybody who waits. */
  clear(): void {
    this.total = 0;
    this.#entries = [];
    for (const waiter of this.#waiters) {
      clearTimeout(waiter.timer);
      waiter.resolve();
    }
    this.#waiters = [];
    clearTimeout(this.#looking);
    this.#looking = undefined;
  }

  #look(): void {
    this.#looking = undefined;
    this.#waiters = this.#waiters.filter((waiter) => {
      if (!waiter.check()) return true;
      clearTimeout(waiter.timer);
      waiter.resolve();
      return false;
    });
  }
}
