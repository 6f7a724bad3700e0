import { testEvent } from '../../../rules/events/table.ts';
import { maxLoggedAttempts } from '../../../rules/webhooks/delivery.ts';
import type { ExaminedDelivery } from '../types.ts';

/** Explains a failed attempt to the person who runs the receiver, and what to check. */
const failures: Readonly<Record<string, string>> = {
  timeout: 'No answer in time: answer 2xx first and process the event afterwards.',
  connection: 'The receiver could not be reached: is it running, and is its address public?',
  tls: 'Its certificate was not accepted: is it valid for this host, with its whole chain?',
  protocol: 'The answer was not valid HTTP.',
  loop: 'The address leads back to this service.',
  url: 'The address can no longer be used: set another.',
  secret: 'The webhook secret could not be opened here: ask the operators.',
  busy: 'Too many deliveries to this host were running at once; the delivery is retried.',
  refused:
    'The connection was refused: nothing listens at this address. Does the receiver run, on this port?',
  reset: 'The connection was closed before an answer.',
  no_address: 'Its name has no public address: is it spelled right, and does it resolve on the internet?',
  no_tls: 'It answered without TLS: this is not a port of https. Is the port right, or is TLS missing there?',
  certificate_expired: 'Its TLS certificate has expired.',
  certificate_name: 'Its TLS certificate is of another host name.',
  certificate_chain:
    'Its TLS certificate is not signed by a known authority, or an intermediate certificate is missing.',
};

export function failureWords(failure: string, status: number | null): string {
  if (failure === 'status')
    return `It answered ${status ?? 'without a status'}; only 2xx counts as delivered.`;
  return failures[failure] ?? `The attempt failed: ${failure}.`;
}

/** The same of a result as it is stored: the status of the answer, or why there was none. */
export function storedFailureWords(result: string): string {
  return isStatus(result) ? failureWords('status', Number(result)) : failureWords(result, null);
}

const isStatus = (result: string): boolean => /^\d+$/.test(result);

/** Where older attempts of a delivery are missing. */
export const olderAttemptsWords = `Only the last ${maxLoggedAttempts} attempts are kept: older ones are missing here.`;

const ownWords: Readonly<Record<string, string>> = { connection: 'not reached', 'put aside': 'quarantined' };

/** One or two words, shown beside a delivery. */
export function resultWords(result: string | null): string {
  if (result === null) return 'not tried yet';
  if (isStatus(result)) return result;
  return ownWords[result] ?? result.replaceAll('_', ' ');
}

/** `at`: the time to which `words` refers; null: none. */
interface Next {
  words: string;
  at: number | null;
}

/** The next step of a delivery, in words. */
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
      words: 'It was given up. It can be sent again before its content is erased,',
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

/** How far back lists go, for a search without results. [operator-interface §2, DELIVERY_LOG_DAYS] */
export function keptWords(logDays: number): string {
  return `What is older than ${logDays === 1 ? 'a day' : `${logDays} days`} is not kept.`;
}
