/** The filter in the URL of the list; an unknown word is ignored. */
import { deliveryEvents } from '../../../rules/events/table.ts';
import { deliveryStates } from '../../../rules/webhooks/delivery.ts';
import type { DeliveryFilter } from '../types.ts';
import {
  asWords,
  choiceField,
  readFilter,
  spanFields,
  spanOf,
  writeFilter,
} from '../../../pages/list/filter.tsx';
import type { SignedInContext } from '../../route.ts';
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
    ...spanFields,
  };
}

/** The filter, and as in the URL. */
export function readQuery(
  filter: ReturnType<typeof deliveryFilter>,
  context: Pick<SignedInContext, 'request' | 'query'>,
): { asked: DeliveryQuery; here: string } {
  const read = readFilter(filter, context.query);
  const { event, state } = read;
  const channelId = filter.channel.channel?.id ?? null;
  return { asked: { channelId, event, state, ...spanOf(context, read) }, here: writeFilter(read) };
}
