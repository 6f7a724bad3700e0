import type { VNode } from 'preact';
import { parseAttempts } from '../../domain/webhooks/attempt-log.ts';
import type { LoggedAttempt } from '../../domain/webhooks/attempt-log.ts';
import type { ShownDelivery } from '../../use-cases/index.ts';
import { Form } from '../forms/form.tsx';
import { Copyable, Rows, State, When } from '../parts.tsx';
import type { Tone } from '../parts.tsx';
import { failureWords, resultWords } from './words.ts';

export const tones = { pending: 'idle', delivered: 'good', failed: 'bad' } as const;

interface EntryProps {
  delivery: ShownDelivery;
  now: number;
  csrf: string;
  /** It was asked for: shown open. */
  isOpen: boolean;
}

/** One delivery: a line that opens. [portal: Deliveries] */
export function Entry({ delivery, now, csrf, isOpen }: EntryProps): VNode {
  const { id, event, messageId, channelId, state, attemptLog, nextDueAt, lastResult, createdAt, keptUntil } =
    delivery;
  const attempts = parseAttempts(attemptLog);
  return (
    <details class="card entry" id={`d-${id}`} open={isOpen}>
      <summary>
        <code>{event}</code>
        <State tone={tones[state]}>{state}</State>
        <Result
          tone={lastResult === null ? 'idle' : isTaken(lastResult) ? 'good' : 'bad'}
          words={resultWords(lastResult)}
        />
        <Dots attempts={attempts} />
        <When at={createdAt} now={now} />
      </summary>
      <dl class="facts">
        <dt>Delivery</dt>
        <dd>
          <Copyable text={id} label="the delivery id" />
        </dd>
        <dt>Message</dt>
        <dd>
          <Copyable text={messageId} label="the message id" />{' '}
          {event === 'message.received' ? null : (
            <a href={`/portal/channels/${channelId}/messages/${messageId}`}>What became of it</a>
          )}
        </dd>
        {state === 'pending' ? (
          <>
            <dt>Next attempt</dt>
            <dd>
              <When at={nextDueAt} now={now} />
            </dd>
          </>
        ) : null}
      </dl>
      <Attempts attempts={attempts} now={now} />
      {state === 'pending' || keptUntil !== null ? (
        <Form action={`/portal/channels/${channelId}/deliveries/${id}/retry`} csrf={csrf}>
          <button class="quiet">
            Try again now<span class="unseen"> {event}</span>
          </button>
        </Form>
      ) : (
        <p class="dim">Its content was erased with the outcome, so it can’t be sent again.</p>
      )}
    </details>
  );
}

function Attempts({ attempts, now }: { attempts: readonly LoggedAttempt[]; now: number }): VNode {
  if (attempts.length === 0) return <p>No attempt has ended yet.</p>;
  const rows = attempts.map(({ at, status, durationMs, failure }) => [
    <When at={at} now={now} />,
    <Result tone={failure === null ? 'good' : 'bad'} words={String(status ?? '–')} />,
    <span class="number">{durationMs} ms</span>,
    failure === null ? 'Taken.' : failureWords(failure, status),
  ]);
  return <Rows heads={['Attempt', 'Answer', 'Took', 'What it means']} rows={rows} />;
}

const isTaken = (result: string): boolean => /^2\d\d$/.test(result);

function Result({ tone, words }: { tone: Tone; words: string }): VNode {
  return (
    <span class="number">
      <State tone={tone}>{words}</State>
    </span>
  );
}

/** One dot for each attempt, the newest last. */
function Dots({ attempts }: { attempts: readonly LoggedAttempt[] }): VNode {
  const words = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  return (
    <span class="dots" role="img" aria-label={words} title={words}>
      {attempts.map(({ failure }) => (
        <span class={failure === null ? 'good' : 'bad'} />
      ))}
    </span>
  );
}
