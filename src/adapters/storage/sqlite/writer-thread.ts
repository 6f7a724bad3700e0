/**
 * The way to the writing thread. Calls are gathered while the batch before is being written and go over as one message:
 * group commit. They leave at the end of the turn of the event loop, with what the answers of the batch before have set off and with
 * what came in beside it; while each turn brings more of them, a few turns later. Nobody waits on a timer, and nobody waits when the
 * line is quiet.
 * [performance §2.3]
 */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { StoreUnavailable, asError } from '../../../kernel/faults.ts';
import type { Log } from '../../../kernel/log.ts';
import { moduleBeside, startThread } from '../../../kernel/worker-thread.ts';
import type { Operations } from './operations/index.ts';
import type { Answer, OperationCall, ToWriter, WriterAnswer, WriterSettings } from './protocol.ts';

interface QueuedCall {
  call: OperationCall;
  weight: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** What the stores need of it. */
export type Writer = Pick<WriterThread, 'call'>;

export interface LineStats {
  /** Batches written: at most one fsync each. */
  transactions: number;
  calls: number;
  /** Writes gathered and not yet handed over. */
  waiting: number;
  /** Times the writing thread died and was started again. */
  restarts: number;
}

/** Writes per transaction, some 50 ms of the thread: those who gather behind it wait that long. The rest goes next. */
const writesPerBatch = 4_000;
/**
 * A transaction costs 370 µs of CPU, whatever is in it, and a send has two: gathered in fours they cost 185 µs of it, in twenties 37. So
 * many turns of a busy event loop, some ms, a batch may grow.
 */
const turnsPerBatch = 6;
/** Beyond this the disk does not keep up: refused at once instead of filling the memory. [faults: I11] */
const maxWaiting = 50_000;
/** Limits of the thread's heap; batches and statements need a fraction of it. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

export class WriterThread {
  readonly #settings: WriterSettings;
  readonly #writer: URL;
  readonly #log: Log;
  #worker: Worker | null = null;
  #starting: Promise<void> | null = null;
  #gathered: QueuedCall[] = [];
  #waitingWrites = 0;
  #inFlight: QueuedCall[] = [];
  #flushIsDue = false;
  #isClosed = false;
  #whenDrained: () => void = () => undefined;
  #stats = { transactions: 0, calls: 0, restarts: -1 };

  /** `writer`: the thread's module; another one only to see what a dying thread does. */
  constructor(settings: WriterSettings, log: Log, writer = moduleBeside(import.meta.url, 'writer')) {
    this.#settings = settings;
    this.#writer = writer;
    this.#log = log;
  }

  /** Starts the thread; rejects with its error when the file can't be opened or is of a newer version. */
  start(): Promise<void> {
    this.#starting ??= this.#startWorker().finally(() => (this.#starting = null));
    return this.#starting;
  }

  /**
   * Resolves with the operation's answer once it is durable. Rejects with StoreUnavailable when it can't be known to be:
   * the disk or the thread failed, too much is waiting, or the store is closed.
   */
  call<N extends keyof Operations>(
    name: N,
    ...args: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable('the store is closed', 'no'));
    if (this.#waitingWrites >= maxWaiting) {
      return Promise.reject(new StoreUnavailable(`${this.#waitingWrites} writes are waiting`, 'no'));
    }
    return new Promise((resolve, reject) => {
      const weight = estimateWeight(args);
      this.#waitingWrites += weight;
      this.#gathered.push({ call: [name, ...args], weight, resolve, reject });
      this.#flushSoon();
    });
  }

  /** Takes no more calls; resolves when the accepted ones are answered. */
  drain(): Promise<void> {
    this.#isClosed = true;
    return new Promise((resolve) => {
      this.#whenDrained = resolve;
      this.#flushSoon();
    });
  }

  /** Ends the thread, after `drain`; it folds its log into the file. */
  async end(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = once(worker, 'exit');
    this.#post({ type: 'close' });
    await ended;
  }

  stats(): LineStats {
    return { ...this.#stats, waiting: this.#waitingWrites };
  }

  #flushSoon(): void {
    if (this.#flushIsDue || this.#inFlight.length > 0) return;
    this.#flushIsDue = true;
    const { length } = this.#gathered;
    setImmediate(() => this.#flushWhenQuiet(length, turnsPerBatch));
  }

  /** `before`: how many there were a turn ago. */
  #flushWhenQuiet(before: number, turnsLeft: number): void {
    const { length } = this.#gathered;
    if (length > before && turnsLeft > 0 && !this.#isClosed)
      setImmediate(() => this.#flushWhenQuiet(length, turnsLeft - 1));
    else this.#flush();
  }

  #flush(): void {
    this.#flushIsDue = false;
    if (this.#inFlight.length > 0) return;
    if (this.#gathered.length === 0) return this.#whenDrained();
    if (this.#worker === null) return this.#restart();
    this.#inFlight = this.#takeBatch();
    this.#stats.transactions += 1;
    this.#stats.calls += this.#inFlight.length;
    try {
      this.#post({ type: 'batch', calls: this.#inFlight.map((waiting) => waiting.call) });
    } catch (error) {
      this.#refuse(this.#inFlight.splice(0), asError(error).message, 'no'); // not cloneable: ours, but nobody hangs
      this.#flushSoon();
    }
  }

  #takeBatch(): QueuedCall[] {
    let count = 0;
    for (let writes = 0; count < this.#gathered.length; count += 1) {
      writes += this.#gathered[count]?.weight ?? 0;
      if (writes > writesPerBatch && count > 0) break;
    }
    const batch = this.#gathered.splice(0, count);
    this.#waitingWrites -= batch.reduce((sum, waiting) => sum + waiting.weight, 0);
    return batch;
  }

  #post(message: ToWriter): void {
    this.#worker?.postMessage(message);
  }

  #settle(message: WriterAnswer): void {
    const batch = this.#inFlight;
    this.#inFlight = [];
    if (message.type === 'answers') batch.forEach((waiting, i) => settleOne(waiting, message.answers[i]));
    else this.#refuse(batch, message.message, message.applied);
    this.#flushSoon();
  }

  #refuse(batch: readonly QueuedCall[], why: string, applied: 'no' | 'unknown'): void {
    this.#log.error({ calls: batch.length, why, applied }, 'store.write_failed');
    for (const waiting of batch) {
      waiting.reject(new StoreUnavailable(`the store could not write: ${why}`, applied));
    }
  }

  #startWorker(): Promise<void> {
    this.#stats.restarts += 1;
    return new Promise((resolve, reject) => {
      const worker = startThread<WriterAnswer>(this.#writer, {
        workerData: this.#settings,
        resourceLimits,
        onReady: () => {
          this.#worker = worker;
          resolve();
        },
        onAnswer: (answer) => this.#settle(answer),
        onError: (error) => {
          reject(error);
          this.#log.error({ error }, 'store.writer_died');
        },
        onExit: () => {
          reject(new StoreUnavailable('the writing thread ended'));
          this.#gone();
        },
      });
    });
  }

  /** The thread ended: as asked, or it died; then nothing is known of what it was writing. */
  #gone(): void {
    this.#worker = null;
    const batch = this.#inFlight;
    this.#inFlight = [];
    if (batch.length > 0) this.#refuse(batch, 'the writing thread ended', 'unknown');
    this.#flushSoon();
  }

  /** Those who wait see the store come back, or are refused when it doesn't: no call hangs. */
  #restart(): void {
    this.start().then(
      () => this.#flush(),
      (error: unknown) => {
        this.#waitingWrites = 0;
        this.#refuse(this.#gathered.splice(0), asError(error).message, 'no');
        this.#flush();
      },
    );
  }
}

/** A list of writes counts by its length: one commit may carry a thousand. */
function estimateWeight(args: readonly unknown[]): number {
  return args.reduce((sum: number, arg) => sum + (Array.isArray(arg) ? arg.length : 0), 1);
}

function settleOne(waiting: QueuedCall, answer: Answer | undefined): void {
  if (answer?.ok === true) waiting.resolve(answer.value);
  else waiting.reject(new Error(answer?.message ?? 'the writing thread gave no answer'));
}
