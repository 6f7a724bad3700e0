interface Bounds {
  /** Of one account. */
  own: number;
  inAll: number;
}

/** Concurrent downloads; each holds a MiB or two in memory. [faults: 85] */
const ofFiles: Bounds = { own: 32, inAll: 256 };
/** Exports have slots of their own, so that they never block a download. [faults: 180] */
export const ofExports: Bounds = { own: 4, inAll: 64 };

export class FileSlots {
  readonly #bounds: Bounds;
  readonly #byAccount = new Map<string, number>();
  #taken = 0;

  constructor(bounds = ofFiles) {
    this.#bounds = bounds;
  }

  /** Returns a function that frees the slot; null: all slots are taken. */
  take(accountId: string): (() => void) | null {
    const own = this.#byAccount.get(accountId) ?? 0;
    if (own >= this.#bounds.own || this.#taken >= this.#bounds.inAll) return null;
    this.#taken += 1;
    this.#byAccount.set(accountId, own + 1);
    return () => this.#free(accountId);
  }

  #free(accountId: string): void {
    this.#taken -= 1;
    const left = (this.#byAccount.get(accountId) ?? 1) - 1;
    if (left === 0) this.#byAccount.delete(accountId);
    else this.#byAccount.set(accountId, left);
  }
}
