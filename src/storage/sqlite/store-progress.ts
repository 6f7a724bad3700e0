/** How far the store has come, counted in the database and then noted in its mark; and, while writes fail, whether they succeed again. */
import { systemClock, minuteMs } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import type { Reader } from './reader.ts';
import { writeMark } from './store-mark.ts';
import type { StoreMark } from './store-mark.ts';
import type { WriterThread } from './writer-thread.ts';

const beatEveryMs = 10 * minuteMs;
const tryEveryMs = 1_000;

/** Keys of the counters among the epochs; a channel's id is never one of them. */
const counters = { starts: '*', beats: '#beats' } as const;

export function readProgress(reader: Reader): StoreMark {
  const one = reader.query<{ epoch: number }>('select epoch from owners where channel_id = ?');
  const countOf = (name: keyof StoreMark): number => one.get(counters[name])?.epoch ?? 0;
  return { starts: countOf('starts'), beats: countOf('beats') };
}

export class StoreProgress {
  readonly #dataDir: string;
  readonly #writer: WriterThread;
  readonly #log: Log;
  #starts = 0;
  #stops: (() => void)[] = [];

  constructor(dataDir: string, writer: WriterThread, log: Log) {
    this.#dataDir = dataDir;
    this.#writer = writer;
    this.#log = log;
  }

  /** Counts this start; resolves with its number. */
  async begin(): Promise<number> {
    this.#starts = await this.#writer.call('mintEpoch', counters.starts);
    await this.#beat();
    this.#every(beatEveryMs, () => this.#beat());
    // An idle store would not notice that there is room again.
    this.#every(tryEveryMs, async () => {
      this.#writer.lookForStall();
      if (!this.#writer.canWrite && !this.#writer.isDamaged && !this.#writer.isStalled) await this.#beat();
    });
    return this.#starts;
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Never throws: without a newer mark an older copy is not noticed, and nothing else happens. */
  async #beat(): Promise<void> {
    try {
      const beats = await this.#writer.call('mintEpoch', counters.beats);
      await writeMark(this.#dataDir, { starts: this.#starts, beats });
    } catch (error) {
      this.#log.warn({ error: asError(error).message }, 'store.not_marked');
    }
  }

  #every(ms: number, work: () => Promise<void>): void {
    let stop = (): void => undefined;
    const wait = (): void => {
      stop = systemClock.after(ms, () => {
        void work();
        wait();
      });
    };
    wait();
    this.#stops.push(() => stop());
  }
}
