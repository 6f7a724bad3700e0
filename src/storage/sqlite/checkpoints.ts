/**
 * When the WAL is copied into the file. The checkpointing thread copies nearly all of it while batches go on; the writing thread copies the few
 * frames that are younger, so that its next write begins the WAL anew.
 */
import type { Worker } from 'node:worker_threads';
import { asError } from '../../kernel/faults.ts';
import { moduleBeside, startThread } from '../../kernel/worker-thread.ts';
import type { CheckpointTrouble, CheckpointerAnswer, ToCheckpointer, WriterSettings } from './protocol.ts';
import type { Database, Statement } from './sqlite.ts';

/** 16 MB of WAL. */
const framesPerCheckpoint = 4_000;
/** As many younger frames the writing thread copies itself: 1 to 5 ms with its two fsyncs. */
const framesLeft = 300;
/** A load that writes as fast as the thread copies would be followed for ever. */
const passesPerCheckpoint = 4;
/** The thread has one connection and one statement. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };

interface Frames {
  log: number;
  checkpointed: number;
}

interface Options {
  onTrouble: (trouble: CheckpointTrouble) => void;
  /** The thread's module; tests pass others. */
  module?: URL;
}

/** The thread starts with the first checkpoint, so that an idle service does without. */
export class Checkpoints {
  readonly #count: Statement<Frames>;
  readonly #copyRest: Statement<Frames>;
  readonly #settings: WriterSettings;
  readonly #onTrouble: Options['onTrouble'];
  readonly #module: URL;
  #thread: Worker | null = null;
  /** Passes that the running checkpoint may still take; null while none runs. */
  #passesLeft: number | null = null;
  /** Frames that the last checkpoint could not copy, because a reader (a backup) still needs older ones. */
  #blockedFrames = 0;

  /** `db`: the writing thread's connection. */
  constructor(db: Database, settings: WriterSettings, { onTrouble, module }: Options) {
    this.#count = db.prepare('pragma wal_checkpoint(noop)');
    this.#copyRest = db.prepare('pragma wal_checkpoint(passive)');
    this.#settings = settings;
    this.#onTrouble = onTrouble;
    this.#module = module ?? moduleBeside(import.meta.url, 'checkpointer');
  }

  /** Call after each batch: begins a checkpoint when the WAL has grown long. */
  afterBatch(): void {
    if (this.#passesLeft !== null) return;
    const frames = this.#countFrames();
    this.#blockedFrames = Math.min(this.#blockedFrames, frames); // a commit may have copied them since
    if (frames - this.#blockedFrames >= framesPerCheckpoint) this.#pass(passesPerCheckpoint);
  }

  /** Resolves when the thread has ended. */
  async end(): Promise<void> {
    this.#passesLeft = null;
    const thread = this.#thread;
    if (thread === null) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    this.#post(thread, { type: 'close' });
    await ended;
  }

  /** Frames of the WAL that the file lacks. */
  #countFrames(): number {
    try {
      const { log, checkpointed } = this.#count.get() ?? { log: 0, checkpointed: 0 };
      return log - checkpointed;
    } catch {
      return 0; // the disk is failing: the next write reports that
    }
  }

  #pass(allowed: number): void {
    this.#passesLeft = allowed - 1;
    try {
      this.#thread ??= this.#start();
    } catch (error) {
      return this.#gone(asError(error).message); // the system gives no more threads
    }
    this.#post(this.#thread, { type: 'copy' });
  }

  #post(thread: Worker, message: ToCheckpointer): void {
    thread.postMessage(message);
  }

  #start(): Worker {
    let why = 'it ended';
    return startThread<CheckpointerAnswer>(this.#module, {
      workerData: this.#settings,
      resourceLimits,
      keepsDescriptors: true,
      onReady: () => undefined,
      onAnswer: (answer) => this.#answered(answer),
      onError: (error) => (why = error.message), // its exit follows
      onExit: () => this.#gone(why),
    });
  }

  #answered(answer: CheckpointerAnswer): void {
    if (answer.type === 'checkpoint-trouble') this.#onTrouble(answer);
    if (this.#passesLeft === null) return;
    if (answer.type === 'checkpoint-trouble') this.#over();
    else if (this.#passesLeft > 0 && this.#countFrames() > framesLeft) this.#pass(this.#passesLeft);
    else this.#finish();
  }

  #gone(why: string): void {
    this.#thread = null;
    if (this.#passesLeft === null) return;
    this.#onTrouble({ type: 'checkpoint-trouble', what: 'thread-died', why });
    this.#finish();
  }

  #finish(): void {
    try {
      this.#copyRest.get();
    } catch (error) {
      this.#onTrouble({ type: 'checkpoint-trouble', what: 'copy-failed', why: asError(error).message });
    }
    this.#over();
  }

  #over(): void {
    this.#passesLeft = null;
    this.#blockedFrames = this.#countFrames();
  }
}
