import type { Clock } from '../../src/kernel/clock.ts';

interface Entry {
  key: string;
  at: number;
}

/** Below this size, the heap is not cleaned of dead entries. */
const fewEntries = 64;

/**
 * The only timer of the process: a heap of due times, one live entry per key, one pending `Clock.after` for the earliest. A replaced or
 * cancelled entry stays in the heap until it surfaces (so setting an alarm is O(log n), without a search) or until such entries are the
 * majority. [faults: I11]
 */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: (key: string) => void;
  /** The live entry of each key. */
  readonly #live = new Map<string, Entry>();
  #heap: Entry[] = [];
  #timerAt = Infinity;
  #cancelTimer: () => void = () => undefined;

  constructor(clock: Clock, ring: (key: string) => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Entries in the heap, dead ones included. */
  get size(): number {
    return this.#heap.length;
  }

  /** Sets the alarm of `key` to `at` (wall ms), replacing the previous one; null cancels it. */
  set(key: string, at: number | null): void {
    if (at === null) {
      this.#live.delete(key);
      return;
    }
    if (this.#live.get(key)?.at === at) return;
    const entry = { key, at };
    this.#live.set(key, entry);
    this.#push(entry);
    if (this.#heap.length > 2 * this.#live.size + fewEntries) this.#dropDead();
    if (at < this.#timerAt) this.#arm(at);
  }

  stop(): void {
    this.#cancelTimer();
    this.#timerAt = Infinity;
    this.#live.clear();
    this.#heap = [];
  }

  #arm(at: number): void {
    this.#cancelTimer();
    this.#timerAt = at;
    this.#cancelTimer = this.#clock.after(Math.max(0, at - this.#clock.now()), () => this.#fire());
  }

  #fire(): void {
    this.#timerAt = Infinity;
    const now = this.#clock.now();
    for (let top = this.#heap[0]; top !== undefined && top.at <= now; top = this.#heap[0]) {
      this.#pop();
      if (this.#live.get(top.key) !== top) continue; // replaced or cancelled
      this.#live.delete(top.key);
      this.#ring(top.key);
    }
    const next = this.#heap[0];
    if (next !== undefined && next.at < this.#timerAt) this.#arm(next.at);
  }

  #dropDead(): void {
    this.#heap = [...this.#live.values()].toSorted((a, b) => a.at - b.at); // a sorted array is a heap
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || parent.at <= entry.at) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let childIndex = 2 * index + 1;
      const left = heap[childIndex];
      if (left === undefined) break;
      const right = heap[childIndex + 1];
      let child = left;
      if (right !== undefined && right.at < left.at) {
        childIndex += 1;
        child = right;
      }
      if (child.at >= last.at) break;
      heap[index] = child;
      index = childIndex;
    }
    heap[index] = last;
  }
}
