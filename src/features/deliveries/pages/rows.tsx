import type { ComponentChildren, VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import { testEvent } from '../../../rules/events/table.ts';
import { hostIn } from '../../../rules/url.ts';
import { hasDroppedAttempts, parseAttempts } from '../../../rules/webhooks/delivery.ts';
import type { ShownDelivery } from '../types.ts';
import { deliveryPath } from '../../../pages/paths.ts';
import { PersonLink, Badge, Whole } from '../../../pages/components.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import type { Trait } from '../../../pages/list/rows.tsx';
import { When } from '../../../pages/time.tsx';
import { resultWords } from './words.ts';
import { ChannelLink } from '../../channels/index.ts';

interface ListProps {
  deliveries: readonly ShownDelivery[];
  channels: ReadonlyMap<string, Channel>;
  /** Their addresses, by id. */
  endpoints: ReadonlyMap<string, string>;
  now: number;
  /** Of one delivery. */
  maxAttempts: number;
  /** Each row has a checkbox, if there is something to send again. */
  areSelectable: boolean;
  /** What is done with the selected ones. */
  bulk: ComponentChildren;
}

const heads = ['Time', 'Event', 'Person', 'Channel', 'State', 'Attempts'];
const traits: readonly (readonly Trait[])[] = [
  ['second'],
  ['read-by'],
  ['p2', 'second'],
  ['p3', 'second', 'one-line'],
  ['state'],
  ['p4'],
];
/** Where the column of endpoints stands, if one of the deliveries is for one: few channels have them. */
const endpointAt = heads.indexOf('State');

export function DeliveryRows({ deliveries, areSelectable, bulk, ...shown }: ListProps): VNode {
  const hasEndpoints = deliveries.some(({ endpointId }) => endpointId !== null);
  const withEndpoint = <T,>(cellsOf: readonly T[], cell: T): readonly T[] =>
    hasEndpoints ? cellsOf.toSpliced(endpointAt, 0, cell) : cellsOf;
  const allHeads = withEndpoint(heads, 'Endpoint');
  const allTraits = withEndpoint<readonly Trait[]>(traits, ['p3', 'second']);
  return (
    <Rows
      heads={areSelectable ? ['Select', ...allHeads] : allHeads}
      traits={areSelectable ? [['pick-row'], ...allTraits] : allTraits}
      bulk={bulk}
      keys={deliveries.map(({ id }) => id)}
      rows={deliveries.map((delivery) => [
        ...(areSelectable ? [<SelectRow delivery={delivery} />] : []),
        ...withEndpoint(cells(delivery, shown), <Receiver of={delivery} endpoints={shown.endpoints} />),
      ])}
    />
  );
}

/** The host alone: a row is short. */
function Receiver({ of, endpoints }: { of: ShownDelivery } & Pick<ListProps, 'endpoints'>): VNode {
  if (of.endpointId === null) return <span class="dim">webhook</span>;
  const url = endpoints.get(of.endpointId);
  return url === undefined ? <span class="dim">removed</span> : <Whole text={hostIn(url) ?? ''} />;
}

/** Whether the content is still stored. */
export function canRetry({ state, keptUntil }: ShownDelivery): boolean {
  return state === 'pending' || keptUntil !== null;
}

function SelectRow({ delivery }: { delivery: ShownDelivery }): VNode | null {
  const { id, channelId, event, person } = delivery;
  if (!canRetry(delivery)) return null;
  return (
    <label>
      <input type="checkbox" name="delivery" value={`${channelId}:${id}`} />
      <span class="unseen">
        {event}
        {person === null ? '' : ` of ${person}`}
      </span>
    </label>
  );
}

function cells(
  delivery: ShownDelivery,
  { channels, now, maxAttempts }: Pick<ListProps, 'channels' | 'now' | 'maxAttempts'>,
): VNode[] {
  const { event, person, channelId, createdAt, attemptLog } = delivery;
  return [
    <When at={createdAt} now={now} />,
    <a class="mono nowrap" href={deliveryPath(delivery)} data-drawer="">
      {event}
    </a>,
    <Person event={event} person={person} />,
    <ChannelLink id={channelId} channels={channels} otherwise="its channel" />,
    <DeliveryBadge delivery={delivery} of={maxAttempts} />,
    <Bars log={attemptLog} />,
  ];
}

function Person({ event, person }: Pick<ShownDelivery, 'event' | 'person'>): VNode {
  if (event === testEvent) return <span class="dim">a test</span>;
  if (person === null) return <span class="dim">unknown</span>;
  return <PersonLink person={person} />;
}

/** How the delivery ended, or how far it is. */
export function DeliveryBadge({ delivery: { state, lastResult, attempts }, of }: BadgeProps): VNode {
  const code = lastResult === null ? null : resultWords(lastResult);
  if (state === 'delivered')
    return (
      <Badge tone="good" code={code}>
        delivered
      </Badge>
    );
  if (state === 'failed')
    return (
      <Badge tone="bad" code={code}>
        failed
      </Badge>
    );
  if (attempts === 0) return <Badge tone="idle">waiting</Badge>;
  return (
    <Badge tone="warn" code={of === undefined ? code : `${attempts} of ${of}`}>
      retrying
    </Badge>
  );
}

interface BadgeProps {
  delivery: Pick<ShownDelivery, 'state' | 'lastResult' | 'attempts'>;
  /** The most attempts. */
  of?: number;
}

/** One bar for each attempt, newest last: `b` was taken, `i` failed. A list has hundreds. */
export function Bars({ log }: { log: string | null }): VNode {
  const attempts = parseAttempts(log);
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  const words = hasDroppedAttempts(log) ? `the last ${count}` : count;
  return (
    <span class="bars" role="img" title={words}>
      {attempts.map(({ failure }) => (failure === null ? <b /> : <i />))}
    </span>
  );
}
