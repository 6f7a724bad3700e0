/**
 * Main-thread side of the describing thread. A file of 250 KB can make its parser run for half a minute or fill the memory; a thread can be
 * terminated during that, the event loop cannot. The thread starts with the first file and restarts after a termination; files are
 * described one at a time. [faults: 101]
 */
import type { Worker } from 'node:worker_threads';
import type { FileType } from '../rules/events/content-blocks.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { moduleBeside, startThread } from '../kernel/worker-thread.ts';
import { asSaid } from './description.ts';
import type { Description } from './description.ts';

export interface Question {
  type: FileType;
  beginning: Uint8Array;
  size: number;
  /** Content types by upstream, most reliable first. */
  said: readonly (string | null)[];
}

export interface DescriberAnswer {
  type: 'answer';
  description: Description;
}

interface PendingQuestion {
  question: Question;
  answer: (description: Description) => void;
  stopWaiting: () => void;
}

/**
 * 100 ms per file, counted as ten turns of the event loop: if the machine gives neither thread any time, or this thread is busy, the file
 * is not to blame.
 */
const deadline = { turns: 10, turnMs: 10 };
/** Longest wait behind slow files and the start of the thread. */
const maxWaitMs = 10_000;
/** The parsers' modules take about 20 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };

export class DescribingThread {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #module: URL;
  #worker: Worker | null = null;
  #isReady = false;
  #isClosed = false;
  /** At most as long as the number of concurrent downloads. */
  readonly #queue: PendingQuestion[] = [];
  #current: PendingQuestion | null = null;
  #stopWatching: () => void = () => undefined;

  /** `module`: the thread's module; tests pass another one that dies. */
  constructor(clock: Clock, log: Log, module = moduleBeside(import.meta.url, 'describing')) {
    this.#clock = clock;
    this.#log = log;
    this.#module = module;
  }

  /** Never rejects: a file that cannot be described gets upstream's content type and no duration. */
  describe(question: Question): Promise<Description> {
    if (this.#isClosed) return Promise.resolve(asSaid(question.said));
    return new Promise((answer) => {
      const stopWaiting = this.#clock.after(maxWaitMs, () => this.#giveUpWaiting(pending));
      const pending = { question, answer, stopWaiting };
      this.#queue.push(pending);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#conclude('closed');
    this.#refuseWaiting('closed');
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#current !== null || this.#queue.length === 0) return;
    if (this.#worker === null) return this.#start();
    if (!this.#isReady) return;
    const pending = this.#queue.shift();
    if (pending === undefined) return;
    pending.stopWaiting();
    this.#current = pending;
    this.#worker.postMessage(pending.question);
    this.#watch(deadline.turns);
  }

  #watch(turns: number): void {
    this.#stopWatching = this.#clock.after(deadline.turnMs, () => {
      if (turns > 1) return this.#watch(turns - 1);
      this.#conclude('deadline');
      this.#isReady = false;
      void this.#worker?.terminate();
    });
  }

  #start(): void {
    let hasStarted = false;
    this.#worker = startThread<DescriberAnswer>(this.#module, {
      resourceLimits,
      onReady: () => {
        this.#isReady = hasStarted = true;
        this.#next();
      },
      onAnswer: ({ description }) => {
        this.#answered(description);
        this.#next();
      },
      onError: (error) => this.#log.warn({ error }, 'media.describer_died'),
      onExit: () => this.#onExit(hasStarted),
    });
    this.#worker.unref();
  }

  /** If the thread ended before it was ready, a restart would fail for the next file as well. */
  #onExit(hasStarted: boolean): void {
    this.#worker = null;
    this.#isReady = false;
    this.#conclude('died');
    if (hasStarted) this.#next();
    else this.#refuseWaiting('not started');
  }

  #answered(description: Description): void {
    this.#stopWatching();
    this.#current?.answer(description);
    this.#current = null;
  }

  #conclude(why: string): void {
    if (this.#current === null) return;
    this.#refuse(this.#current, why);
    this.#answered(asSaid(this.#current.question.said));
  }

  #refuseWaiting(why: string): void {
    for (const pending of this.#queue.splice(0)) this.#refuse(pending, why);
  }

  #giveUpWaiting(pending: PendingQuestion): void {
    const place = this.#queue.indexOf(pending);
    if (place === -1) return;
    this.#queue.splice(place, 1);
    this.#refuse(pending, 'waited');
  }

  #refuse({ question, answer, stopWaiting }: PendingQuestion, why: string): void {
    stopWaiting();
    this.#log.warn({ why, type: question.type, bytes: question.size }, 'media.not_described');
    answer(asSaid(question.said));
  }
}
