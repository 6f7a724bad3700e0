/** A counted number of slots, first come, first served. Refuses a caller when the queue is too long. [faults: I11] */
export class Semaphore {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #queue: ((granted: boolean) => void)[] = [];
  #head = 0;
  #taken = 0;
  #closed: (() => void) | null = null;
  #isClosing = false;

  constructor(max: number, maxWaiting = 16 * max) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#queue.length - this.#head;
  }

  /** True: the caller has a slot until it calls `free`. False: closing, or the queue is too long. */
  take(): boolean | Promise<boolean> {
    if (this.#isClosing || this.waiting >= this.#maxWaiting) return false;
    if (this.#taken < this.#max) {
      this.#taken += 1;
      return true;
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }

  free(): void {
    const next = this.#next();
    if (next !== undefined) return next(true);
    this.#taken -= 1;
    if (this.#taken === 0) this.#closed?.();
  }

  /** Refuses the waiting callers; resolves when every slot is free. */
  close(): Promise<void> {
    this.#isClosing = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) next(false);
    if (this.#taken === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#closed = resolve;
    });
  }

  #next(): ((granted: boolean) => void) | undefined {
    const next = this.#queue[this.#head];
    if (next === undefined) return undefined;
    this.#head += 1;
    // `Array.shift` moves the whole queue each time; cutting off the served half now and then does not.
    if (this.#head * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
    return next;
  }
}
