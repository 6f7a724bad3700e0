import { write, writeSync } from 'node:fs';
import { pino } from 'pino';
import type { DestinationStream } from 'pino';
import { systemClock, toIso } from './clock.ts';
import { toErrorCode } from './faults.ts';

/** A line waits this long for others, in ms. */
const gatherMs = 25;
/** Buffered text of this length is written at once. */
const pieceLength = 16_000;
/** Beyond this nobody is reading: lines are dropped and counted instead of filling the memory. [faults: I11] */
const maxLength = 4_000_000;
/** A pipe that is full, and does not block, is tried again after this. */
const fullPipeMs = 100;
/** A write that has taken this long waits for a reader who has stopped. */
const stalledMs = 100;
/** At the end of the process, what a full pipe does not take within this is lost. */
const endWithinMs = 1_000;
/** Makes pino set `lastLevel` for each line. */
const wantsLevel = Symbol.for('pino.metadata');
const warning = pino.levels.values['warn'] ?? 0;

/**
 * Writes lines in batches, one write at a time: to write each line separately costs 20 µs of CPU, most of it in two threads that wake each
 * other. A killed process loses the lines of its last moment; warnings and errors, and the lines before them, do not wait. No timer runs
 * while nothing is logged.
 *
 * Nothing that a reader or a disk does ends the process or keeps it alive: not pino's own destination, which makes an error of a full disk an
 * uncaught one, and whose last write, at the end of the process, is repeated for ever where nobody takes it. [faults: 527]
 */
export class GatheringLines implements DestinationStream {
  readonly [wantsLevel] = true;
  lastLevel = 0;
  readonly #fd: number;
  #waiting = '';
  /** What is being written, or could not be. */
  #piece: Uint8Array = Buffer.alloc(0);
  #writingSince: number | null = null;
  #isDue = false;
  #dropped = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    if (this.#piece.length + this.#waiting.length + line.length > maxLength) {
      this.#dropped += 1;
      return;
    }
    this.#waiting += line;
    if (this.lastLevel >= warning || this.#waiting.length >= pieceLength) this.#write();
    else this.#writeAfter(gatherMs);
  }

  /** The process ends after this: writes what is left, unless nobody takes it. */
  end(): void {
    const since = this.#writingSince;
    if (since === null) this.#takeWaiting();
    else if (systemClock.monotonic() - since > stalledMs) return; // it would wait as well
    writeWhole(this.#fd, since === null ? this.#piece : Buffer.from(this.#waiting));
  }

  #writeAfter(ms: number): void {
    if (this.#isDue) return;
    this.#isDue = true;
    systemClock.after(ms, () => {
      this.#isDue = false;
      this.#write();
    });
  }

  #write(): void {
    if (this.#writingSince !== null) return;
    this.#takeWaiting();
    if (this.#piece.length === 0) return;
    this.#writingSince = systemClock.monotonic();
    write(this.#fd, this.#piece, (error, written) => this.#ended(error, written));
  }

  /** What waits afterwards has come during the write. */
  #takeWaiting(): void {
    if (this.#waiting === '') return;
    const lines = Buffer.from(this.#waiting);
    this.#piece = this.#piece.length === 0 ? lines : Buffer.concat([this.#piece, lines]);
    this.#waiting = '';
  }

  #ended(error: Error | null, written: number): void {
    this.#writingSince = null;
    // A reader that has gone, or a full disk: the next line tries again, so that nothing runs while nothing is logged.
    if (error !== null) {
      if (toErrorCode(error) === 'EAGAIN') this.#writeAfter(fullPipeMs);
      else if (this.#waiting !== '') this.#writeAfter(gatherMs);
      return;
    }
    this.#piece = this.#piece.subarray(written);
    if (this.#piece.length > 0) this.#write();
    else if (this.#waiting !== '') this.#writeAfter(gatherMs);
    else if (this.#dropped > 0) this.#tellDropped();
  }

  #tellDropped(): void {
    const line = { level: 'warn', time: toIso(systemClock.wall()), lines: this.#dropped, msg: 'log.dropped' };
    this.#dropped = 0;
    this.write(`${JSON.stringify(line)}\n`);
  }
}

function writeWhole(fd: number, bytes: Uint8Array): void {
  const until = systemClock.monotonic() + endWithinMs;
  let at = 0;
  while (at < bytes.length)
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (toErrorCode(error) !== 'EAGAIN' || systemClock.monotonic() > until) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, gatherMs);
    }
}
