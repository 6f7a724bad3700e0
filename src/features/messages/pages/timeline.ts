/** The history of a message as lines for people, oldest first. */
import { listCalls, listStatuses } from '../timeline-rules.ts';
import type { TimelineCall } from '../timeline-rules.ts';
import { parseAttempts } from '../../../rules/webhooks/delivery.ts';
import type { MessageTimeline } from '../types.ts';
import { plainSentence } from '../../../pages/forms/problems.ts';
import { failureWords } from '../../deliveries/index.ts';
import type { LoggedDelivery } from '../../deliveries/index.ts';

export interface Line {
  at: number;
  tone: 'good' | 'bad' | 'idle';
  what: string;
  /** What the step means, or how long it took. */
  more: string | null;
}

export function toLines({ message, deliveries }: MessageTimeline): Line[] {
  const accepted: Line =
    message.origin === 'echo'
      ? {
          at: message.createdAt,
          tone: 'idle',
          what: 'written elsewhere',
          more: 'Sent outside this service; this is a copy (echo).',
        }
      : { at: message.createdAt, tone: 'idle', what: 'accepted', more: 'Stored before the API answered.' };
  const reached = listStatuses(message).map(({ status, at }): Line => {
    return { at, tone: status === 'failed' ? 'bad' : 'good', what: status, more: statusWords[status] };
  });
  const lines = [
    accepted,
    ...listCalls(message).map(callLine),
    ...reached,
    ...deliveries.flatMap(deliveryLines),
  ];
  return lines.toSorted((a, b) => a.at - b.at);
}

/** Lines of a received message. */
export function receivedLines(deliveries: readonly LoggedDelivery[]): Line[] {
  const [first] = deliveries;
  if (first === undefined) return [];
  const what = first.event === 'message.echo' ? 'written elsewhere' : 'received';
  const came: Line = {
    at: first.createdAt,
    tone: 'idle',
    what,
    more: 'Stored, together with its webhook event.',
  };
  return [came, ...deliveries.flatMap(deliveryLines)].toSorted((a, b) => a.at - b.at);
}

const statusWords = {
  sent: 'The platform accepted it.',
  delivered: 'It was delivered to the device.',
  read: 'It was read.',
  failed: 'The platform could not deliver it.',
} as const;

const outcomes = {
  accepted: ['good', 'The platform accepted the call.'],
  refused: ['bad', 'The platform refused it.'],
  deferred: ['idle', 'The platform asked to wait; it was tried again.'],
  unknown: [
    'idle',
    'The platform did not answer: the message may have been sent, so it was not sent again at once.',
  ],
} as const;

function callLine({ n, at, endedAt, outcome, error }: TimelineCall): Line {
  const what = `call ${n} to the platform`;
  if (outcome === null) return { at, tone: 'idle', what, more: 'Under way.' };
  const [tone, words] = outcomes[outcome];
  const took = endedAt === null ? '' : ` (${endedAt - at} ms)`;
  return { at, tone, what, more: `${error === null ? words : plainSentence(error).words}${took}` };
}

function deliveryLines({ event, attemptLog, createdAt, state, nextDueAt }: LoggedDelivery): Line[] {
  const attempts = parseAttempts(attemptLog).map(({ at, status, durationMs, failure }): Line => {
    const more =
      failure === null
        ? `Your receiver answered ${status} in ${durationMs} ms.`
        : failureWords(failure, status);
    return { at, tone: failure === null ? 'good' : 'bad', what: `webhook ${event}`, more };
  });
  if (state !== 'pending') return attempts;
  if (attempts.length === 0)
    return [{ at: createdAt, tone: 'idle', what: `webhook ${event}`, more: 'On its way.' }];
  return [...attempts, { at: nextDueAt, tone: 'idle', what: `webhook ${event}`, more: 'The next attempt.' }];
}
