import type { Clock } from '../../../src/kernel/clock.ts';

const nothing = Promise.resolve();

/**
 * Runs the fetches, or the POSTs, that may have crashed a node one after the other, so that a second crash has one cause. A suspect that
 * takes longer than `slowMs` is waiting for the network: the next may begin. [faults: 102, 151]
 */
export class Suspects {
  readonly #clock: Clock;
  readonly #slowMs: number;
  #last: Promise<void> = nothing;
  #begun: Promise<unknown> = nothing;

  constructor(clock: Clock, slowMs: number) {
    this.#clock = clock;
    this.#slowMs = slowMs;
  }

  /** Queues `turn`, in which the suspect begins (`begin`) or is dropped. */
  run(turn: () => void): void {
    this.#last = this.#last.then(() => {
      this.#begun = nothing;
      turn();
      return this.#awaitEnd(this.#begun);
    });
  }

  /** Called within a turn; the next turn waits for `work`. */
  begin(work: Promise<unknown>): void {
    this.#begun = work;
  }

  #awaitEnd(work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(this.#slowMs, resolve);
      const free = (): void => {
        cancel();
        resolve();
      };
      work.then(free, free);
    });
  }
}

/**
 * Running fetches of a node, by channel. They end with the activation that began them: by then its counts may have been taken back, and a
 * fetch that went on could crash the node uncounted. [faults: 102]
 */
export class FetchesUnderWay {
  readonly #ofChannel = new Map<string, Set<AbortController>>();

  async run<T>(channelId: string, fetch: (left: AbortSignal) => Promise<T>): Promise<T> {
    const left = new AbortController();
    const own = this.#ofChannel.get(channelId) ?? new Set();
    this.#ofChannel.set(channelId, own.add(left));
    try {
      return await fetch(left.signal);
    } finally {
      own.delete(left);
      if (own.size === 0 && this.#ofChannel.get(channelId) === own) this.#ofChannel.delete(channelId);
    }
  }

  end(channelId: string): void {
    const own = this.#ofChannel.get(channelId) ?? [];
    this.#ofChannel.delete(channelId);
    for (const left of own) left.abort();
  }
}
