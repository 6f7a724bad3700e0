/** A delivery after a failed attempt; times in ms. */
interface FailedDelivery {
  /** Attempts that ended, this one included: at least 1. */
  attempts: number;
  firstTriedAt: number;
  now: number;
}

/** `delaysMs[n]`: pause before retry n + 1. */
interface RetrySchedule {
  delaysMs: readonly number[];
  deadlineMs: number;
}

/**
 * Time of the next attempt of a failed delivery. The deadline runs from the first attempt, so that an outage of ours expires no
 * untried delivery; a retry that could only start after it is not made. [spec: Delivery and retry; architecture §6.5]
 */
export function nextAttempt(
  delivery: FailedDelivery,
  schedule: RetrySchedule,
): { dueAt: number } | 'give-up' {
  const delayMs = schedule.delaysMs[delivery.attempts - 1];
  if (delayMs === undefined) return 'give-up';
  const dueAt = delivery.now + delayMs;
  return dueAt > delivery.firstTriedAt + schedule.deadlineMs ? 'give-up' : { dueAt };
}

/** Approximate time from the first attempt until a failing delivery is given up. */
export function triedForMs({ delaysMs, deadlineMs }: RetrySchedule): number {
  return Math.min(
    deadlineMs,
    delaysMs.reduce((sum, delayMs) => sum + delayMs, 0),
  );
}

/** The failed attempt after which the account gets a warning mail. */
export const warnedAttempt = 3;

/** The mail caused by a failed attempt; `attempts`: number of ended attempts. [spec: Delivery and retry] */
export function mailAfter(attempts: number, gaveUp: boolean): 'webhook-warning' | 'webhook-alert' | null {
  if (gaveUp) return 'webhook-alert';
  return attempts === warnedAttempt ? 'webhook-warning' : null;
}
