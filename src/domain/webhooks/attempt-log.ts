/**
 * The attempts of one delivery as its record keeps them: one short text, so that the log rides on the write of the outcome. An entry
 * is `start duration status word`, `-` where there is none; entries are parted by `;`.
 */

export interface LoggedAttempt {
  /** Start, ms. */
  at: number;
  durationMs: number;
  /** HTTP status of the answer; null: there was none. */
  status: number | null;
  /** Why it failed, in a word or two; null: it was delivered. */
  failure: string | null;
}

/** The ladder's eight and one by hand: beyond it the oldest goes. */
export const maxLoggedAttempts = 9;

/** The log with one more attempt. */
export function withAttempt(log: string | null, attempt: LoggedAttempt): string {
  const { at, durationMs, status, failure } = attempt;
  const entry = `${at} ${durationMs} ${status ?? '-'} ${failure ?? '-'}`;
  if (log === null) return entry;
  const entries = log.split(';');
  return [...entries.slice(1 - maxLoggedAttempts), entry].join(';');
}

/** Oldest first. */
export function parseAttempts(log: string | null): LoggedAttempt[] {
  return log === null ? [] : log.split(';').map(parseAttempt);
}

function parseAttempt(entry: string): LoggedAttempt {
  const [at, durationMs, status = '-', ...failure] = entry.split(' ');
  const why = failure.join(' ');
  return {
    at: Number(at),
    durationMs: Number(durationMs),
    status: status === '-' ? null : Number(status),
    failure: why === '-' ? null : why,
  };
}
