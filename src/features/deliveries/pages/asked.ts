/** The filter in the URL of the list; an unknown word is ignored. */
import { isId } from '../../../kernel/ids.ts';
import { deliveryEvents } from '../../../rules/events/table.ts';
import { deliveryStates } from '../../../rules/webhooks/delivery.ts';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import type { DeliveryFilter } from '../types.ts';
import {
  asWords,
  choiceField,
  readFilter,
  spanFields,
  spanOf,
  writeFilter,
} from '../../../pages/list/filter.tsx';
import type { FilterField } from '../../../pages/list/filter.tsx';
import type { SignedInContext } from '../../route.ts';
import type { ChannelField } from '../../channels/index.ts';
import type { World } from '../../world.ts';

export const deliveriesPath = '/portal/deliveries';

export interface DeliveryQuery extends DeliveryFilter {
  /** null: all channels. */
  channelId: string | null;
  /** null: of a channel its own webhook alone. */
  endpointId: string | null;
  since: number | null;
  until: number | null;
}

export async function deliveryFilter({ world, query }: SignedInContext, channel: ChannelField) {
  const of = channel.channel?.id;
  const endpoints = of === undefined ? [] : await world.stores.endpoints.ofChannel(of);
  const asked = query.get('endpoint') ?? '';
  return {
    channel,
    endpoint: endpointField(
      endpoints.map(({ id, url }) => [id, addressShown(url)] as const),
      of === undefined ? null : await removedEndpoint(world, asked, of),
    ),
    event: choiceField('Event', 'any event', asWords(deliveryEvents)),
    state: choiceField('State', 'any state', asWords(deliveryStates)),
    ...spanFields,
  };
}

/**
 * The id, if the channel has no such endpoint now: what was for it stays in the log, and of an id that it never had nothing is found. null: the
 * endpoint is there, or the text is no id.
 */
async function removedEndpoint({ stores }: World, id: string, channelId: string): Promise<string | null> {
  if (!isId(id)) return null;
  const known = await stores.endpoints.ofOwner(id, channelId);
  return known === null ? id : null;
}

/** Of a channel that has, or had, some. */
function endpointField(
  standing: readonly (readonly [id: string, address: string])[],
  removed: string | null,
): FilterField {
  const options = removed === null ? standing : [...standing, [removed, 'one that was removed'] as const];
  const field = choiceField('Endpoint', 'webhook of the channel', options);
  return options.length === 0 ? { ...field, control: () => null } : field;
}

/** The filter, and as in the URL. */
export function readQuery(
  filter: Awaited<ReturnType<typeof deliveryFilter>>,
  context: Pick<SignedInContext, 'request' | 'query'>,
): { asked: DeliveryQuery; here: string } {
  const read = readFilter(filter, context.query);
  const { event, state, endpoint: endpointId } = read;
  const channelId = filter.channel.channel?.id ?? null;
  return {
    asked: { channelId, endpointId, event, state, ...spanOf(context, read) },
    here: writeFilter(read),
  };
}
