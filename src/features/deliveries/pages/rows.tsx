import type { VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import { testEvent } from '../../../rules/events/table.ts';
import { hasDroppedAttempts, parseAttempts } from '../../../rules/webhooks/delivery.ts';
import type { ShownDelivery } from '../types.ts';
import { deliveryPath } from '../../../pages/paths.ts';
import { PersonLink, Rows, State, When } from '../../../pages/components.tsx';
import type { Tone } from '../../../pages/components.tsx';
import { resultWords } from './words.ts';
import { ChannelLink } from '../../channels/index.ts';

export const tones = { pending: 'idle', delivered: 'good', failed: 'bad' } as const;

interface ListProps {
  deliveries: readonly ShownDelivery[];
  channels: ReadonlyMap<string, Channel>;
  now: number;
  /** Each row has a checkbox, if there is something to send again. */
  areTicked: boolean;
}

export function DeliveryRows({ deliveries, channels, now, areTicked }: ListProps): VNode {
  const heads = ['Time', 'Event', 'Person', 'Channel', 'State', 'Answer', 'Attempts'];
  return (
    <Rows
      heads={areTicked ? ['Tick', ...heads] : heads}
      keys={deliveries.map(({ id }) => id)}
      rows={deliveries.map((delivery) => [
        ...(areTicked ? [<Tick delivery={delivery} />] : []),
        ...cells(delivery, channels, now),
      ])}
    />
  );
}

/** Whether the content is still stored. */
export function canRetry({ state, keptUntil }: ShownDelivery): boolean {
  return state === 'pending' || keptUntil !== null;
}

function Tick({ delivery }: { delivery: ShownDelivery }): VNode | null {
  const { id, channelId, event, person } = delivery;
  if (!canRetry(delivery)) return null;
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

function cells(delivery: ShownDelivery, channels: ListProps['channels'], now: number): VNode[] {
  const { event, person, channelId, state, lastResult, createdAt, attemptLog } = delivery;
  return [
    <When at={createdAt} now={now} />,
    <a class="mono nowrap" href={deliveryPath(delivery)}>
      {event}
    </a>,
    <Person event={event} person={person} />,
    <ChannelLink id={channelId} channels={channels} otherwise="its channel" />,
    <State tone={tones[state]}>{state}</State>,
    <Result result={lastResult} />,
    <Dots log={attemptLog} />,
  ];
}

function Person({ event, person }: Pick<ShownDelivery, 'event' | 'person'>): VNode {
  if (event === testEvent) return <span class="dim">a test</span>;
  if (person === null) return <span class="dim">unknown</span>;
  return <PersonLink person={person} />;
}

const isTaken = (result: string): boolean => /^2\d\d$/.test(result);

export function Result({ result }: { result: string | null }): VNode {
  const tone: Tone = result === null ? 'idle' : isTaken(result) ? 'good' : 'bad';
  return (
    <span class="number">
      <State tone={tone}>{resultWords(result)}</State>
    </span>
  );
}

/** One dot for each attempt, newest last. */
export function Dots({ log }: { log: string | null }): VNode {
  const attempts = parseAttempts(log);
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  const words = hasDroppedAttempts(log) ? `the last ${count}` : count;
  return (
    <span class="dots" role="img" aria-label={words} title={words}>
      {attempts.map(({ failure }) => (
        <span class={failure === null ? 'good' : 'bad'} />
      ))}
    </span>
  );
}
