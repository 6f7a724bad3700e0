// Each check scans the whole ledger, so a burst of sends must not cause one check each.
const lookEveryMs = 5;

type Waiter = { readonly check: () => boolean; readonly resolve: () => void; readonly timer: NodeJS.Timeout };

/**
 * The last `limit` entries in the order of arrival. Appending costs the same however full it is; `forgotten` is called for each entry that
 * is dropped, so that indexes beside the ledger stay as small as it is.
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

  /** Entries after number `after` that the filter accepts, oldest first, at most `most`. */
  list(accepts: (entry: Entry) => boolean, after = -1, most = Infinity): Entry[] {
    const found: Entry[] = [];
    for (let n = Math.max(after + 1, this.total - this.#limit, 0); n < this.total; n += 1) {
      const entry = this.#entries[n % this.#limit];
      if (entry !== undefined && accepts(entry) && found.push(entry) >= most) break;
    }
    return found;
  }

  /** Resolves once the check holds, repeated on every change, or after `waitMs`. Never rejects: the caller checks again. */
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

  /** Wakes waiters after an entry changed; they check once for all changes within `lookEveryMs`. */
  wake(): void {
    if (this.#waiters.length === 0) return;
    this.#looking ??= setTimeout(() => this.#look(), lookEveryMs);
  }

  /** Removes all entries and releases all waiters. */
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
