import { pino } from 'pino';
import type { DestinationStream } from 'pino';
import { GatheringLines } from './gathering-lines.ts';
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

let stdout: GatheringLines | null = null;

/** One for the process, however many logs there are. */
function stdoutLines(): DestinationStream {
  if (stdout === null) {
    const lines = new GatheringLines(1);
    process.once('exit', () => lines.end());
    stdout = lines;
  }
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
