/**
 * The attempt log in a delivery's record: one short text, so that it is written together with the outcome. An entry
 * is `start duration status word`, with `-` for a missing value; entries are separated by `;`.
 */

export interface LoggedAttempt {
  /** Start, ms. */
  at: number;
  durationMs: number;
  /** HTTP status of the answer; null: no answer. */
  status: number | null;
  /** Reason of the failure in a word or two; null: delivered. */
  failure: string | null;
}

/** Eight scheduled attempts and a manual one; the oldest entry is dropped beyond it. */
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
