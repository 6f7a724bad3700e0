/** What channel owners ask of endpoints: which ones take events, and the settings of one. */
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import type { EndpointNote, EndpointSettings } from '../../rules/webhooks/endpoints.ts';
import type { World } from '../world.ts';

type ReceiverWorld = Pick<World, 'stores'>;

/** Those of the channel that take events. */
export async function receiversOf({ stores }: ReceiverWorld, channelId: string): Promise<EndpointNote[]> {
  const found = await stores.endpoints.ofChannel(channelId);
  return found.flatMap(({ id, events, disabledAt }) =>
    disabledAt === null ? [{ ownerId: ownerOf(channelId, id), events }] : [],
  );
}

/** null: it is gone, or takes no events. */
export async function receiverSettings(
  { stores }: ReceiverWorld,
  channelId: string,
  endpointId: string,
): Promise<EndpointSettings | null> {
  const found = await stores.endpoints.ofOwner(endpointId, channelId);
  if (found === null || found.disabledAt !== null) return null;
  const { url, secret, events, previousSecret, previousSecretUntil, headers } = found;
  const own = { webhookUrl: url, webhookSecret: secret, webhookEvents: events, headers };
  return { ...own, previousSecret, previousSecretUntil };
}
