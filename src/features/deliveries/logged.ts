/** Deliveries as their account sees them: of a channel, and of an endpoint of it. */
import type { InChannel, Reads } from '../../storage/records.ts';
import { readOwner } from '../../rules/webhooks/endpoints.ts';
import type { OwnerParts } from '../../rules/webhooks/endpoints.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import type { DeliveryEvent } from '../../rules/events/table.ts';

export const loggedFields = [
  'id', 'channelId', 'accountId', 'event', 'messageId', 'requestId', 'state', 'attempts', 'firstTriedAt', 'nextDueAt', 'lastResult',
  'attemptLog', 'person', 'messageType', 'createdAt', 'keptSince',
] as const satisfies (keyof Delivery)[]; // oxfmt-ignore

/** A delivery as the log shows it. A webhook test exists in the log only. */
export type LoggedDelivery = Omit<
  Delivery,
  'event' | 'payload' | 'keptBytes' | 'sequence' | 'upstreamId' | 'epoch' | 'claims'
> &
  OwnerParts & {
    event: DeliveryEvent;
  };

export type KeptOfAccount = Pick<Delivery, 'id' | 'createdAt' | 'event' | 'keptSince'> & OwnerParts;

/** With the payload; null once the delivery has ended. */
export type WaitingDelivery = LoggedDelivery & Pick<Delivery, 'payload'>;

export type LoggedReads<V> = Pick<Reads<Delivery, V>, 'one' | 'some' | 'list'>;

/** What is stored names the owner of a delivery; what is read, the channel and the endpoint. */
export function withEndpoint<V extends { channelId: string }>(
  reads: Reads<Delivery, V>,
): LoggedReads<V & OwnerParts> {
  const read = (stored: V): V & OwnerParts => ({ ...stored, ...readOwner(stored.channelId) });
  return {
    one: async (...which) => {
      const found = await reads.one(...which);
      return found === null ? null : read(found);
    },
    some: async (...which) => (await reads.some(...which)).map(read),
    list: async (listed) => (await reads.list(listed)).map(read),
  };
}

/** The channel's own first: few channels have endpoints. */
export async function oneOf<V extends OwnerParts>(
  reads: LoggedReads<V>,
  { id, channelId, accountId }: InChannel,
): Promise<V | null> {
  const own = await reads.one({ id, channelId, accountId });
  if (own !== null) return own;
  const found = await reads.one({ id, accountId });
  return found?.channelId === channelId ? found : null;
}
