/**
 * When the WAL is copied into the file. The checkpointing thread copies nearly all of it while batches go on; the writing thread copies the few
 * pages that are younger, so that its next write begins the WAL anew.
 */
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { moduleBeside, startThread } from '../../../kernel/worker-thread.ts';
import type { CheckpointerAnswer, ToCheckpointer, WriterSettings } from './protocol.ts';
import type { Database, Statement } from './sqlite.ts';

/** 16 MB of WAL. */
const pagesPerCheckpoint = 4_000;
/** As many younger pages the writing thread copies itself: 1 to 5 ms with its two fsyncs. */
const pagesLeft = 300;
/** A load that writes as fast as the thread copies would be followed for ever. */
const passesPerCheckpoint = 4;
/** The thread has one connection and one statement. */
const resourceLimits = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 };

interface Frames {
  log: number;
  checkpointed: number;
}

interface Options {
  /** The thread died; the writing thread copies in its place. */
  onDied: (why: string) => void;
  /** The thread's module; tests pass another one that dies. */
  module?: URL;
}

/** The thread starts with the first checkpoint, so that an idle service does without. */
export class Checkpoints {
  readonly #count: Statement<Frames>;
  readonly #copyRest: Statement<Frames>;
  readonly #settings: WriterSettings;
  readonly #onDied: (why: string) => void;
  readonly #module: URL;
  #thread: Worker | null = null;
  /** Passes that the running checkpoint may still take; null while none runs. */
  #passesLeft: number | null = null;
  /** Pages that the last checkpoint could not copy, because a reader (a backup) still needs older ones. */
  #blockedPages = 0;

  /** `db`: the writing thread's connection. */
  constructor(db: Database, settings: WriterSettings, { onDied, module }: Options) {
    this.#count = db.prepare('pragma wal_checkpoint(noop)');
    this.#copyRest = db.prepare('pragma wal_checkpoint(passive)');
    this.#settings = settings;
    this.#onDied = onDied;
    this.#module = module ?? moduleBeside(import.meta.url, 'checkpointer');
  }

  /** Call after each batch: begins a checkpoint when the WAL has grown long. */
  afterBatch(): void {
    if (this.#passesLeft !== null) return;
    if (this.#countPages() - this.#blockedPages >= pagesPerCheckpoint) this.#pass(passesPerCheckpoint);
  }

  /** Resolves when the thread has ended. */
  async end(): Promise<void> {
    this.#passesLeft = null;
    if (this.#thread === null) return;
    const ended = once(this.#thread, 'exit');
    this.#post(this.#thread, { type: 'close' });
    await ended;
  }

  /** Pages of the WAL that the file lacks. */
  #countPages(): number {
    const { log, checkpointed } = tryToGet(this.#count) ?? { log: 0, checkpointed: 0 };
    return log - checkpointed;
  }

  #pass(allowed: number): void {
    this.#passesLeft = allowed - 1;
    this.#thread ??= this.#start();
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
      onAnswer: () => this.#copied(),
      onError: (error) => (why = error.message), // its exit follows
      onExit: () => this.#gone(why),
    });
  }

  #copied(): void {
    if (this.#passesLeft === null) return;
    if (this.#passesLeft > 0 && this.#countPages() > pagesLeft) this.#pass(this.#passesLeft);
    else this.#finish();
  }

  #gone(why: string): void {
    this.#thread = null;
    if (this.#passesLeft === null) return;
    this.#onDied(why);
    this.#finish();
  }

  #finish(): void {
    this.#passesLeft = null;
    tryToGet(this.#copyRest);
    this.#blockedPages = this.#countPages();
  }
}

/** Undefined if the disk is full or failing: the next write reports that. */
function tryToGet<Row>(statement: Statement<Row>): Row | undefined {
  try {
    return statement.get();
  } catch {
    return undefined;
  }
}
