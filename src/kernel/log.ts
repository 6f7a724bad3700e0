import { pino } from 'pino';
import { stdoutLines } from './log-lines.ts';

/** Structured JSON log lines. Callers pass ids and counts, never message content, tokens or secrets. */
export interface Log {
  debug(fields: Record<string, unknown>, event: string): void;
  info(fields: Record<string, unknown>, event: string): void;
  warn(fields: Record<string, unknown>, event: string): void;
  error(fields: Record<string, unknown>, event: string): void;
  child(fields: Record<string, unknown>): Log;
}

const maxField = 1_000;

/** `level`: pino's names plus `silent`. Strings are cut, so that one hostile field can't flood the log. */
export function makeLog(level: string, destination: { write(line: string): void } = stdoutLines()): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }), log: cutLongStrings },
    serializers: { error: errorFields },
  };
  return pino(options, destination);
}

function cutLongStrings(fields: Record<string, unknown>): Record<string, unknown> {
  for (const key in fields) {
    const value = fields[key];
    if (typeof value === 'string' && value.length > maxField) fields[key] = `${value.slice(0, maxField)}…`;
  }
  return fields;
}

function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error).slice(0, maxField);
  return {
    name: error.name,
    message: error.message.slice(0, maxField),
    stack: error.stack?.slice(0, 4_000),
  };
}

/** Says nothing: for tests and tools. */
export const silentLog: Log = makeLog('silent');
