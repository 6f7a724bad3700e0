/** The filter in the URL of the list; an unknown word is ignored. */
import { deliveryEvents } from '../../../rules/events/table.ts';
import { deliveryStates } from '../../../rules/webhooks/delivery.ts';
import type { DeliveryFilter } from '../types.ts';
import { dayIn, writeDay, DayField, Choice } from '../../../pages/forms/field.tsx';
import { deliveriesPath } from '../../../pages/paths.ts';
import type { VNode } from 'preact';
import type { ChosenChannel } from '../../channels/index.ts';

export interface DeliveryQuery extends DeliveryFilter {
  /** null: all channels. */
  channelId: string | null;
  since: number | null;
  until: number | null;
}

export function readQuery(query: URLSearchParams, channelId: string | null): DeliveryQuery {
  return {
    channelId,
    event: deliveryEvents.find((each) => each === query.get('event')) ?? null,
    state: deliveryStates.find((each) => each === query.get('state')) ?? null,
    ...dayIn(query),
  };
}

/** The URL of the list with this filter. */
export function writeListPath({ channelId, event, state, since }: DeliveryQuery): string {
  const said = { channel: channelId ?? '', event: event ?? '', state: state ?? '', day: writeDay(since) };
  const query = new URLSearchParams(Object.entries(said).filter(([, value]) => value !== ''));
  return query.size === 0 ? deliveriesPath : `${deliveriesPath}?${query}`;
}

export function Filter({
  asked,
  options,
}: {
  asked: DeliveryQuery;
  options: ChosenChannel['options'];
}): VNode {
  const { channelId, event, state, since } = asked;
  return (
    <form method="get" action={deliveriesPath} class="inline filter">
      <Choice
        name="channel"
        label="Channel"
        options={[['', 'all channels'], ...options]}
        chosen={channelId ?? ''}
      />
      <Choice
        name="event"
        label="Event"
        options={[['', 'any event'], ...deliveryEvents.map((each) => [each, each] as const)]}
        chosen={event ?? ''}
      />
      <Choice
        name="state"
        label="State"
        options={[['', 'any state'], ...deliveryStates.map((each) => [each, each] as const)]}
        chosen={state ?? ''}
      />
      <DayField value={writeDay(since)} />
      <button class="quiet">Show</button>
    </form>
  );
}
