/** The filter in the URL of the list; an unknown word is ignored. */
import { deliveryEvents } from '../../../rules/events/table.ts';
import { deliveryStates } from '../../../rules/webhooks/delivery.ts';
import type { DeliveryFilter } from '../types.ts';
import {
  asWords,
  choiceField,
  dayField,
  readFilter,
  spanOf,
  writeFilter,
} from '../../../pages/list/filter.tsx';
import type { ChannelField } from '../../channels/index.ts';

export const deliveriesPath = '/portal/deliveries';

export interface DeliveryQuery extends DeliveryFilter {
  /** null: all channels. */
  channelId: string | null;
  since: number | null;
  until: number | null;
}

export function deliveryFilter(channel: ChannelField) {
  return {
    channel,
    event: choiceField('Event', 'any event', asWords(deliveryEvents)),
    state: choiceField('State', 'any state', asWords(deliveryStates)),
    day: dayField,
  };
}

/** The filter, and as in the URL. */
export function readQuery(
  filter: ReturnType<typeof deliveryFilter>,
  query: URLSearchParams,
): { asked: DeliveryQuery; here: string } {
  const read = readFilter(filter, query);
  const { event, state, day } = read;
  const channelId = filter.channel.channel?.id ?? null;
  return { asked: { channelId, event, state, ...spanOf(day) }, here: writeFilter(read) };
}
