import { webhookRecovered } from '../../rules/mails/webhooks.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { readOwner } from '../../rules/webhooks/endpoints.ts';
import type { World } from '../world.ts';
import { writeMail } from '../mails/index.ts';

/** Writes this node's buffered activity; mails accounts that were warned of a failing endpoint once it works again. [faults §6.6] */
export async function flushActivity(world: World): Promise<void> {
  await world.activity.flush((ownerId, since) => mailRecovery(world, ownerId, since));
}

/** Failures of an address that was replaced, or that is over, count no more. What another node has not written yet, of the last minute, does. */
export async function forgetFailing({ activity, stores }: World, ownerId: string): Promise<void> {
  activity.forgetFailing(ownerId);
  await stores.health.forgetFailing(ownerId);
}

async function mailRecovery(world: World, ownerId: string, since: number): Promise<void> {
  const { clock, settings } = world;
  const { channelId, endpointId } = readOwner(ownerId);
  const channel = await deliveringAs(world, channelId, endpointId);
  if (channel === null) return;
  await writeMail(world, {
    id: idFrom('mail', 'webhook-recovered', ownerId, String(since)),
    accountId: channel.accountId,
    kind: 'webhook-recovered',
    ...webhookRecovered({ channel, endpointId, baseUrl: settings.baseUrl }, { since, now: clock.now() }),
  });
}

/** The channel with the address that takes the events: its own, or that of an endpoint. */
async function deliveringAs(
  { stores }: World,
  channelId: string,
  endpointId: string | null,
): Promise<Channel | null> {
  const channel = await stores.channels.byId(channelId);
  if (channel === null || endpointId === null) return channel;
  const endpoint = await stores.endpoints.ofOwner(endpointId, channelId);
  return endpoint === null ? null : { ...channel, webhookUrl: endpoint.url };
}
