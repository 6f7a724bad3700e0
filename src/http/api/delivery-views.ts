import { attemptsOf } from '../../domain/webhooks/attempt-log.ts';
import { isoOf } from '../../kernel/clock.ts';
import type { LoggedDelivery } from '../../use-cases/index.ts';

export function deliveryOut(delivery: LoggedDelivery) {
  const { id, event, messageId, state, createdAt, attemptLog, nextDueAt, lastResult } = delivery;
  const isPending = state === 'pending';
  return {
    id,
    event,
    message_id: messageId,
    state,
    created_at: isoOf(createdAt),
    attempts: attemptsOf(attemptLog).map(({ at, status, durationMs, failure }) => ({
      at: isoOf(at),
      status_code: status,
      duration_ms: durationMs,
      error: failure,
    })),
    next_attempt_at: isPending ? isoOf(nextDueAt) : null,
    result: lastResult,
    can_retry: isPending,
  };
}
