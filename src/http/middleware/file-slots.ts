/** How many files go out at once: of one account, and in all. What one download holds in memory is a MiB or two. [faults: 85] */
const perAccount = 32;
const inAll = 256;

export class FileSlots {
  readonly #byAccount = new Map<string, number>();
  #taken = 0;

  /** A function that gives the place back; null: all are taken. */
  take(accountId: string): (() => void) | null {
    const own = this.#byAccount.get(accountId) ?? 0;
    if (own >= perAccount || this.#taken >= inAll) return null;
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
