/** The filter in the URL of the list; an unknown word is ignored. */
import { deliveryEvents } from '../../domain/events/table.ts';
import { deliveryStates } from '../../domain/webhooks/delivery.ts';
import type { DeliveryFilter } from '../../use-cases/index.ts';
import { dayIn, writeDay } from '../forms/day.tsx';
import { deliveriesPath } from '../paths.ts';

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
