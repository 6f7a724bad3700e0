import type { VNode } from 'preact';
import { testEvent } from '../../domain/events/table.ts';
import { parseAttempts } from '../../domain/webhooks/attempt-log.ts';
import type { LoggedAttempt } from '../../domain/webhooks/attempt-log.ts';
import type { ShownDelivery } from '../../use-cases/index.ts';
import { personPath, deliveryPath } from '../paths.ts';
import { Rows, State, When } from '../parts.tsx';
import type { Tone } from '../parts.tsx';
import { resultWords } from './words.ts';

export const tones = { pending: 'idle', delivered: 'good', failed: 'bad' } as const;

/** `names`: of channels, by id. */
interface ListProps {
  deliveries: readonly ShownDelivery[];
  names: ReadonlyMap<string, string>;
  now: number;
  /** Whoever may replay has boxes to tick. */
  mayTick: boolean;
}

export function DeliveryRows({ deliveries, names, now, mayTick }: ListProps): VNode {
  const heads = ['Time', 'Event', 'Person', 'Channel', 'State', 'Answer', 'Attempts'];
  return (
    <Rows
      heads={mayTick ? ['Tick', ...heads] : heads}
      keys={deliveries.map(({ id }) => id)}
      rows={deliveries.map((delivery) => [
        ...(mayTick ? [<Tick delivery={delivery} />] : []),
        ...cells(delivery, names, now),
      ])}
    />
  );
}

/** What is not there any more can't be ticked. */
function Tick({ delivery }: { delivery: ShownDelivery }): VNode | null {
  const { id, channelId, event, person, state, keptUntil } = delivery;
  if (state !== 'pending' && keptUntil === null) return null;
  return (
    <label class="tick">
      <input type="checkbox" name="delivery" value={`${channelId}:${id}`} data-id={id} />
      <span class="unseen">
        {event}
        {person === null ? '' : ` of ${person}`}
      </span>
    </label>
  );
}

function cells(delivery: ShownDelivery, names: ReadonlyMap<string, string>, now: number): VNode[] {
  const { event, person, channelId, state, lastResult, createdAt, attemptLog } = delivery;
  return [
    <When at={createdAt} now={now} />,
    <a class="mono nowrap" href={deliveryPath(delivery)}>
      {event}
    </a>,
    <Person event={event} person={person} />,
    <a href={`/portal/channels/${channelId}`}>{names.get(channelId) ?? 'its channel'}</a>,
    <State tone={tones[state]}>{state}</State>,
    <Result result={lastResult} />,
    <Dots attempts={parseAttempts(attemptLog)} />,
  ];
}

function Person({ event, person }: Pick<ShownDelivery, 'event' | 'person'>): VNode {
  if (event === testEvent) return <span class="dim">a test</span>;
  if (person === null) return <span class="dim">unknown</span>;
  return (
    <a class="mono" href={personPath(person)}>
      {person}
    </a>
  );
}

const isTaken = (result: string): boolean => /^2\d\d$/.test(result);

function Result({ result }: { result: string | null }): VNode {
  const tone: Tone = result === null ? 'idle' : isTaken(result) ? 'good' : 'bad';
  return (
    <span class="number">
      <State tone={tone}>{resultWords(result)}</State>
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
