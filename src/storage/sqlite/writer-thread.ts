/**
 * Main-thread side of the writing thread, with group commit: calls are gathered while the previous batch is written, and are sent as one
 * message. A batch leaves some turns of the event loop after its last call, so that it includes the calls that the previous answers triggered
 * and those of requests that are being read. No call waits for a timer, and in a quiet loop a turn takes some µs. [performance §2.3]
 */
import type { Worker } from 'node:worker_threads';
import { minuteMs, systemClock } from '../../kernel/clock.ts';
import { StoreUnavailable, asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { onceAWhile } from '../../kernel/once-a-while.ts';
import type { ThreadOptions } from '../../kernel/worker-thread.ts';
import { isDamage } from './damage.ts';
import type { Operations } from './operations/index.ts';
import type {
  Answer,
  BatchAnswer,
  CheckpointTrouble,
  OperationCall,
  ToWriter,
  WriterAnswer,
  WriterSettings,
} from './protocol.ts';

interface QueuedCall {
  call: OperationCall;
  weight: number;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Starts a thread that calls `runWriter`. */
export type StartWriter = (
  settings: WriterSettings,
  options: Omit<ThreadOptions<WriterAnswer>, 'workerData'>,
) => Pick<Worker, 'postMessage'>;

/** The part that stores need. */
export type Writer = Pick<WriterThread, 'call'>;

export interface LineStats {
  /** Batches written; each takes at most one fsync. */
  transactions: number;
  calls: number;
  /** Writes gathered and not sent to the thread yet. */
  waiting: number;
  /** Number of restarts after the writing thread died. */
  restarts: number;
}

/** Writes per transaction: about 50 ms of the thread, for which the next batch waits. Further writes go into that batch. */
const writesPerBatch = 4_000;
/**
 * How long a batch may grow while the event loop is busy: a write waits no longer for the ones that come after it. A transaction costs
 * 370 µs of CPU whatever its size, and a send has two: in batches of 4 its share is 185 µs, in batches of 20 it is 37.
 */
const growsMs = 10;
/** Turns in a row that may bring nothing: in a busy one, requests are parsed that write later; an idle one takes some µs. */
const quietTurns = 3;
/** More waiting writes mean that the disk is too slow: further ones are rejected at once, which bounds memory. [faults: I11] */
const maxWaiting = 50_000;
/** A batch that is unanswered at this many looks, a second apart, hangs: the disk, or a network volume, does not answer. */
const stalledAtLook = 10;
const stalled = 'the disk does not answer';
/** Heap limits of the thread; batches and statements need a fraction of them. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 };

export class WriterThread {
  readonly #settings: WriterSettings;
  readonly #startThread: StartWriter;
  readonly #log: Log;
  readonly #kill: () => void;
  /** A full disk fails every batch: one line a minute says so. [faults: 583] */
  readonly #tellFailed: (why: string, about: { calls: number; applied: 'no' | 'unknown' }) => void;
  #worker: ReturnType<StartWriter> | null = null;
  #starting: Promise<void> | null = null;
  #gathered: QueuedCall[] = [];
  #waitingWrites = 0;
  #inFlight: QueuedCall[] = [];
  #flushIsDue = false;
  #isClosed = false;
  #canWrite = true;
  #isDamaged = false;
  #looks = 0;
  #draining: Promise<void> | null = null;
  #ending: Promise<void> | null = null;
  #whenDrained: () => void = () => undefined;
  #whenEnded: () => void = () => undefined;
  #stats = { transactions: 0, calls: 0, restarts: -1 };

  /** `kill`: ends this process at once; tests pass another. */
  constructor(
    settings: WriterSettings,
    log: Log,
    { writer, kill = killProcess }: { writer: StartWriter; kill?: () => void },
  ) {
    this.#settings = settings;
    this.#startThread = writer;
    this.#kill = kill;
    this.#log = log;
    this.#tellFailed = onceAWhile(systemClock, minuteMs, (why, times, about) =>
      log.error({ ...about, why, times }, 'store.write_failed'),
    );
  }

  /** Starts the thread. Rejects with the thread's error if the file cannot be opened or a newer version wrote it. */
  start(): Promise<void> {
    this.#starting ??= this.#startWorker().finally(() => (this.#starting = null));
    return this.#starting;
  }

  /**
   * Resolves with the operation's answer once it is durable. Rejects with StoreUnavailable if that cannot be known: the disk or the thread
   * failed, too many writes wait, or the store is closed.
   */
  call<N extends keyof Operations>(
    name: N,
    ...args: Parameters<Operations[N]>
  ): Promise<ReturnType<Operations[N]>> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable('the store is closed', 'no'));
    if (this.#isDamaged) return Promise.reject(new StoreUnavailable('the store is damaged', 'no'));
    if (this.isStalled) return Promise.reject(new StoreUnavailable(stalled, 'no'));
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

  /** Rejects further calls; resolves when all accepted ones are answered. */
  drain(): Promise<void> {
    this.#isClosed = true;
    this.#draining ??= new Promise((resolve) => (this.#whenDrained = resolve));
    this.#flushSoon();
    return this.#draining;
  }

  /** Ends the thread after `drain`. The thread first checkpoints its WAL into the file. */
  async end(): Promise<void> {
    if (this.#worker === null) return;
    this.#ending ??= this.#endWorker();
    await this.#ending;
  }

  /**
   * Call when the file is found damaged: nothing is written any more. What was acknowledged from now on would be missing in the backup that
   * has to be restored, while upstream and clients repeat what is refused; and each write into a damaged tree may overwrite what is whole.
   * [faults: 560]
   */
  foundDamage(why: string): void {
    if (this.#isDamaged) return;
    this.#isDamaged = true;
    this.#log.error({ why }, 'store.damaged');
    this.#refuseGathered(why);
    void this.end();
  }

  /**
   * Call every second. While a batch hangs, nothing is known of its calls, which wait; what comes after them is refused, so that its clients get
   * their answer. Looks are counted, not time: a process that was suspended has not looked. [faults: 536]
   */
  lookForStall(): void {
    if (this.#inFlight.length === 0 || this.isStalled) return;
    this.#looks += 1;
    if (!this.isStalled) return;
    this.#log.error({ seconds: stalledAtLook, calls: this.#inFlight.length }, 'store.stalled');
    this.#refuseGathered(stalled);
  }

  /** A batch hangs. */
  get isStalled(): boolean {
    return this.#looks >= stalledAtLook;
  }

  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** False since a batch failed or hangs, until one is written; for good since the file was found damaged. */
  get canWrite(): boolean {
    return this.#canWrite && !this.#isDamaged && !this.isStalled;
  }

  stats(): LineStats {
    return { ...this.#stats, waiting: this.#waitingWrites };
  }

  #endWorker(): Promise<void> {
    const ended = new Promise<void>((resolve) => (this.#whenEnded = resolve));
    this.#post({ type: 'close' });
    return ended;
  }

  #flushSoon(): void {
    if (this.#flushIsDue || this.#inFlight.length > 0) return;
    this.#flushIsDue = true;
    const { length } = this.#gathered;
    setImmediate(() => this.#flushWhenQuiet(length, performance.now() + growsMs, quietTurns));
  }

  /** `before`: number of gathered calls one turn ago. */
  #flushWhenQuiet(before: number, until: number, quietLeft: number): void {
    const { length } = this.#gathered;
    const quietNow = length > before ? quietTurns : quietLeft - 1;
    const isFull = this.#waitingWrites >= writesPerBatch || performance.now() >= until;
    if (quietNow < 0 || isFull || this.#isClosed) this.#flush();
    else setImmediate(() => this.#flushWhenQuiet(length, until, quietNow));
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
      this.#refuse(this.#inFlight.splice(0), asError(error).message, 'no'); // an argument cannot be cloned: a bug, but no caller hangs
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

  #answered(message: WriterAnswer): void {
    if (message.type === 'checkpoint-trouble') this.#report(message);
    else this.#settle(message);
  }

  /**
   * After a failed sync the kernel has forgotten pages, and SQLite counts them as copied. Only a start after a kill copies the whole WAL
   * again: whoever closed the file would end the WAL. [faults: 213]
   */
  #report({ what, why }: CheckpointTrouble): void {
    this.#log.error({ what, why }, 'store.checkpoint_failed');
    if (what === 'sync-failed') this.#kill();
  }

  #settle(message: BatchAnswer): void {
    const batch = this.#inFlight;
    this.#inFlight = [];
    this.#looks = 0;
    this.#canWrite = message.type === 'answers';
    if (message.type === 'answers') batch.forEach((waiting, i) => settleOne(waiting, message.answers[i]));
    else this.#refuseFailed(batch, message);
    this.#flushSoon();
  }

  #refuseFailed(
    batch: readonly QueuedCall[],
    { message, applied }: Extract<BatchAnswer, { type: 'batch-failed' }>,
  ): void {
    this.#refuse(batch, message, applied);
    if (isDamage(message)) this.foundDamage(message);
  }

  #refuseGathered(why: string): void {
    this.#waitingWrites = 0;
    const waiting = this.#gathered.splice(0);
    if (waiting.length > 0) this.#refuse(waiting, why, 'no');
  }

  #refuse(batch: readonly QueuedCall[], why: string, applied: 'no' | 'unknown'): void {
    this.#tellFailed(why, { calls: batch.length, applied });
    for (const waiting of batch) {
      waiting.reject(new StoreUnavailable(`the store could not write: ${why}`, applied));
    }
  }

  #startWorker(): Promise<void> {
    this.#stats.restarts += 1;
    return new Promise((resolve, reject) => {
      const worker = this.#startThread(this.#settings, {
        resourceLimits,
        onReady: () => {
          this.#worker = worker;
          resolve();
        },
        onAnswer: (answer) => this.#answered(answer),
        onError: (error) => {
          const isFirstStart = this.#stats.restarts === 0 && this.#worker === null;
          reject(error);
          if (!isFirstStart) this.#log.error({ error }, 'store.writer_died'); // otherwise the start of the node says why
        },
        onExit: () => {
          reject(new StoreUnavailable('the writing thread ended'));
          this.#gone();
        },
      });
    });
  }

  /** The thread has ended, as requested or by dying; if it died, the outcome of its batch is unknown. */
  #gone(): void {
    this.#worker = null;
    this.#whenEnded();
    const batch = this.#inFlight;
    this.#inFlight = [];
    this.#looks = 0;
    if (batch.length > 0) this.#refuse(batch, 'the writing thread ended', 'unknown');
    this.#flushSoon();
  }

  /** Restarts the thread for waiting calls, or rejects them if it does not start: no call hangs. */
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

function killProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** A list counts by its length, because one commit may carry a thousand writes. */
function estimateWeight(args: readonly unknown[]): number {
  return args.reduce((sum: number, arg) => sum + (Array.isArray(arg) ? arg.length : 0), 1);
}

function settleOne(waiting: QueuedCall, answer: Answer | undefined): void {
  if (answer?.ok === true) waiting.resolve(answer.value);
  else waiting.reject(new Error(answer?.message ?? 'the writing thread gave no answer'));
}
