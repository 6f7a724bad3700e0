/**
 * Main-thread side of the describing thread. A file of 250 KB can make its parser run for half a minute or fill the memory; a thread can be
 * terminated during that, the event loop cannot. The thread starts with the first file and restarts after a termination; files are
 * described one at a time. [faults: 101]
 */
import type { Worker } from 'node:worker_threads';
import type { FileType } from '../../domain/events/content-blocks.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { moduleBeside, startThread } from '../../kernel/worker-thread.ts';
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
  readonly #line: PendingQuestion[] = [];
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
      const stopWaiting = this.#clock.after(maxWaitMs, () => this.#giveUpWaiting(asked));
      const asked = { question, answer, stopWaiting };
      this.#line.push(asked);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#conclude('closed');
    this.#refuseLine('closed');
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#current !== null || this.#line.length === 0) return;
    if (this.#worker === null) return this.#start();
    if (!this.#isReady) return;
    const asked = this.#line.shift();
    if (asked === undefined) return;
    asked.stopWaiting();
    this.#current = asked;
    this.#worker.postMessage(asked.question);
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
      onExit: () => this.#gone(hasStarted),
    });
    this.#worker.unref();
  }

  /** If the thread ended before it was ready, a restart would fail for the next file as well. */
  #gone(hasStarted: boolean): void {
    this.#worker = null;
    this.#isReady = false;
    this.#conclude('died');
    if (hasStarted) this.#next();
    else this.#refuseLine('not started');
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

  #refuseLine(why: string): void {
    for (const asked of this.#line.splice(0)) this.#refuse(asked, why);
  }

  #giveUpWaiting(asked: PendingQuestion): void {
    const place = this.#line.indexOf(asked);
    if (place === -1) return;
    this.#line.splice(place, 1);
    this.#refuse(asked, 'waited');
  }

  #refuse({ question, answer, stopWaiting }: PendingQuestion, why: string): void {
    stopWaiting();
    this.#log.warn({ why, type: question.type, bytes: question.size }, 'media.not_described');
    answer(asSaid(question.said));
  }
}
