/** Timers for a few fixed delays. Each delay has its own queue, in which the first entry is always due first. */
export class Timetable<T> {
  readonly #delaysMs: readonly number[];
  readonly #lines: { at: number; what: T }[][];
  readonly #heads: number[];

  constructor(delaysMs: readonly number[]) {
    this.#delaysMs = delaysMs;
    this.#lines = delaysMs.map(() => []);
    this.#heads = delaysMs.map(() => 0);
  }

  get size(): number {
    return this.#lines.reduce((sum, line, index) => sum + line.length - (this.#heads[index] ?? 0), 0);
  }

  /** The entry is due `delaysMs[line]` after `now`. */
  add(line: number, what: T, now: number): void {
    this.#lines[line]?.push({ at: now + (this.#delaysMs[line] ?? 0), what });
  }

  /** Removes and returns the due entries. */
  due(now: number): T[] {
    return this.#lines.flatMap((line, index) => {
      const from = this.#heads[index] ?? 0;
      let to = from;
      while (to < line.length && (line[to]?.at ?? Infinity) <= now) to += 1;
      const due = line.slice(from, to).map(({ what }) => what);
      this.#heads[index] = to;
      if (to > 10_000) {
        line.splice(0, to); // only now and then, because it copies the queue
        this.#heads[index] = 0;
      }
      return due;
    });
  }
}
