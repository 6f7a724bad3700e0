/** A delivery whose attempt has just failed; times in ms. */
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
 * When a failed delivery is tried again. The deadline runs from the first attempt, so that our own outage expires nothing that
 * was never tried; a retry that could only start after it is not made. [spec: Delivery and retry; architecture §6.5]
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

/** About how long a delivery that nobody takes is tried, from its first attempt on. */
export function triedForMs({ delaysMs, deadlineMs }: RetrySchedule): number {
  return Math.min(
    deadlineMs,
    delaysMs.reduce((sum, delayMs) => sum + delayMs, 0),
  );
}

/** The failed attempt that its owner hears of. */
export const warnedAttempt = 3;

/** The e-mail that a failed attempt causes, `attempts` having ended so far. [spec: Delivery and retry] */
export function mailAfter(attempts: number, gaveUp: boolean): 'webhook-warning' | 'webhook-alert' | null {
  if (gaveUp) return 'webhook-alert';
  return attempts === warnedAttempt ? 'webhook-warning' : null;
}
