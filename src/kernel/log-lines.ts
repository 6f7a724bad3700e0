/**
 * Where log lines go: gathered for a moment and written in one piece. To write each by itself costs 20 µs of CPU, two thirds of it in the
 * threads that wake each other for it. [performance §4]
 */
import { write, writeSync } from 'node:fs';
import { systemClock } from './clock.ts';

/** A line waits so long for others, ms: what a killed process never writes. Warnings and errors do not wait. */
const gatherMs = 25;
/** A piece of this length leaves at once. */
const pieceLength = 16_384;
/** Beyond it nobody reads any more: lines are dropped and counted instead of filling the memory. [faults: I11] */
const maxLength = 4_000_000;
/** Who reads has no room just now. */
const againMs = 20;
/** At the end of the process nobody waits longer for who reads. */
const endTries = 25;

const warning = 40;
const metadata: unique symbol = Symbol.for('pino.metadata');

export class LogLines {
  /** Has pino tell the level of each line. */
  readonly [metadata] = true;
  lastLevel = 0;
  readonly #fd: number;
  #gathered = '';
  #piece: Buffer | null = null;
  #cancelTimer: (() => void) | null = null;
  #dropped = 0;
  #isReaderGone = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    if (this.#isReaderGone) return;
    if (this.#gathered.length > maxLength) this.#dropped += 1;
    else this.#gathered += line;
    if (this.#gathered.length >= pieceLength || this.lastLevel >= warning) this.#flush();
    else this.#cancelTimer ??= systemClock.after(gatherMs, () => this.#flush());
  }

  /** Writes what is left before the process ends. */
  end(): void {
    this.#cancelTimer?.();
    const last = Buffer.from(this.#gathered);
    this.#gathered = '';
    if (this.#isReaderGone) return;
    for (let [at, tries] = [0, 0]; at < last.length && tries < endTries; tries += 1) {
      try {
        at += writeSync(this.#fd, last, at);
        tries = 0;
      } catch (error) {
        if (!isBusy(error)) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, againMs);
      }
    }
  }

  #flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (this.#piece !== null || this.#gathered === '') return;
    this.#piece = Buffer.from(this.#gathered);
    this.#gathered = this.#dropped === 0 ? '' : droppedLine(this.#dropped);
    this.#dropped = 0;
    this.#put(this.#piece);
  }

  /** In a thread beside: a reader that takes its time holds nobody up. */
  #put(piece: Buffer): void {
    write(this.#fd, piece, (error, length) => {
      if (error === null && length === piece.length) this.#written();
      else if (error === null) this.#put(piece.subarray(length));
      else if (isBusy(error)) systemClock.after(againMs, () => this.#put(piece));
      else this.#leave();
    });
  }

  #written(): void {
    this.#piece = null;
    if (this.#gathered.length >= pieceLength) this.#flush();
    else if (this.#gathered !== '') this.#cancelTimer ??= systemClock.after(gatherMs, () => this.#flush());
  }

  /** Who read has gone: the service goes on without a log. */
  #leave(): void {
    this.#isReaderGone = true;
    this.#gathered = '';
  }
}

function isBusy(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return code === 'EAGAIN' || code === 'EBUSY';
}

function droppedLine(lines: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: 'warn', time, lines, msg: 'log.dropped' })}\n`;
}

let stdout: LogLines | null = null;

/** One for the process, however many logs there are: it is emptied when the process ends. */
export function stdoutLines(): LogLines {
  if (stdout !== null) return stdout;
  const lines = new LogLines(1);
  process.once('exit', () => lines.end());
  stdout = lines;
  return lines;
}
