import { pino } from 'pino';
import type { DestinationStream } from 'pino';
import { systemClock } from './clock.ts';
import { visibleControls } from './visible-controls.ts';

/** Structured JSON log lines. Callers pass ids and counts, never message content, tokens or secrets. */
export interface Log {
  debug(fields: Record<string, unknown>, event: string): void;
  info(fields: Record<string, unknown>, event: string): void;
  warn(fields: Record<string, unknown>, event: string): void;
  error(fields: Record<string, unknown>, event: string): void;
  child(fields: Record<string, unknown>): Log;
}

const maxField = 1_000;
/** A line waits this long for others, in ms. */
const gatherMs = 25;
/** Buffered text of this length is written at once. */
const pieceLength = 16_000;
/** Beyond this nobody is reading: lines are dropped and counted instead of filling the memory. [faults: I11] */
const maxLength = 4_000_000;
const warning = pino.levels.values['warn'] ?? 0;

/** `level`: pino's names plus `silent`. Strings are cut, so that one hostile field can't flood the log, and show their controls, which a terminal would obey. */
export function makeLog(level: string, destination: DestinationStream = stdoutLines()): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }), log: cutStrings },
    serializers: { error: errorFields },
  };
  return pino(options, destination);
}

/**
 * Writes lines in batches: to write each line separately costs 20 µs of CPU, most of it in two threads that wake each other. A killed
 * process loses the lines of its last moment; warnings and errors, and the lines before them, do not wait. No timer runs while nothing is
 * logged: the destination's own periodic flush makes an empty write each time, which cost an idle node a third of its CPU. [performance §4]
 */
export function gatheringLines(fd: number): DestinationStream {
  const lines = pino.destination({
    dest: fd,
    sync: false,
    minLength: pieceLength,
    maxLength,
  });
  let isDue = false;
  /** True when lines came since the last write: a flush does nothing while a write is in progress. */
  let hasNewLines = false;
  const flushSoon = (): void => {
    if (isDue) return;
    isDue = true;
    systemClock.after(gatherMs, () => {
      isDue = false;
      // The end of the process destroys the destination after flushing it; `flush` would throw.
      if (!('destroyed' in lines && lines.destroyed === true)) lines.flush();
    });
  };
  let dropped = 0;
  lines.on('drop', () => (dropped += 1));
  lines.on('drain', () => {
    if (hasNewLines) flushSoon();
    hasNewLines = false;
    if (dropped === 0) return;
    const line = { level: 'warn', time: new Date().toISOString(), lines: dropped, msg: 'log.dropped' };
    dropped = 0;
    lines.write(`${JSON.stringify(line)}\n`);
  });
  const gathered = {
    [Symbol.for('pino.metadata')]: true, // makes pino set `lastLevel` for each line
    lastLevel: 0,
    write(line: string): void {
      hasNewLines = true;
      lines.write(line);
      if (gathered.lastLevel >= warning) lines.flush();
      else flushSoon();
    },
  };
  return gathered;
}

let stdout: DestinationStream | null = null;

/** One for the process, however many logs there are. */
function stdoutLines(): DestinationStream {
  stdout ??= gatheringLines(1);
  return stdout;
}

function cutStrings(fields: Record<string, unknown>): Record<string, unknown> {
  for (const key in fields) {
    const value = fields[key];
    if (typeof value === 'string') fields[key] = visibleControls(cut(value));
  }
  return fields;
}

function cut(text: string): string {
  return text.length > maxField ? `${text.slice(0, maxField)}…` : text;
}

function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return visibleControls(String(error).slice(0, maxField));
  return {
    name: error.name,
    message: visibleControls(error.message.slice(0, maxField)),
    stack: visibleControls(error.stack?.slice(0, 4_000) ?? ''),
  };
}
