/** The next step of a delivery, in words. */
import { testEvent } from '../../domain/events/table.ts';
import type { ExaminedDelivery } from '../../use-cases/index.ts';

/** `at`: the time to which `words` refers; null: none. */
interface Next {
  words: string;
  at: number | null;
}

export function describeNextStep({
  delivery,
  attempts,
  maxAttempts,
}: Pick<ExaminedDelivery, 'delivery' | 'attempts' | 'maxAttempts'>): Next {
  const { event, state, nextDueAt, keptUntil, lastResult } = delivery;
  if (event === testEvent) return { words: 'Nothing: a test event is not retried.', at: null };
  if (state === 'delivered')
    return { words: 'Nothing: your receiver has accepted it, and its content is erased.', at: null };
  if (state === 'pending') {
    const count = delivery.attempts;
    const isFirst = attempts.length === 0;
    return {
      words: isFirst
        ? 'Its first attempt comes'
        : `${count} of ${maxAttempts} attempts failed; the next comes`,
      at: nextDueAt,
    };
  }
  if (keptUntil !== null)
    return {
      words: 'It was given up. Its content is kept, so that it can be sent again, until',
      at: keptUntil,
    };
  return {
    words: `It was given up${why(lastResult)}. Its content is erased: it can’t be sent again.`,
    at: null,
  };
}

function why(result: string | null): string {
  if (result === 'put aside') return ', because it crashed the nodes that sent it: ask the operators';
  return result?.startsWith('canceled') === true ? ': the channel no longer asked for it' : '';
}
