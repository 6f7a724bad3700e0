import type { VNode } from 'preact';
import { deliveryEvents } from '../../domain/events/table.ts';
import { deliveryStates } from '../../domain/webhooks/delivery.ts';
import type { ChosenChannel } from '../channels/chosen.ts';
import { Choice } from '../forms/choice.tsx';
import { DayField, writeDay } from '../forms/day.tsx';
import type { DeliveryQuery } from './query.ts';
import { deliveriesPath } from '../paths.ts';

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
