import { webhookRecovered } from '../../rules/mails/webhooks.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { World } from '../world.ts';
import { writeMail } from '../mails/index.ts';

/** Writes this node's buffered activity; mails accounts that were warned of a failing endpoint once it works again. [faults §6.6] */
export async function flushActivity(world: World): Promise<void> {
  await world.activity.flush((channelId, since) => mailRecovery(world, channelId, since));
}

async function mailRecovery(world: World, channelId: string, since: number): Promise<void> {
  const { stores, clock, settings } = world;
  const channel = await stores.channels.byId(channelId);
  if (channel === null) return;
  await writeMail(world, {
    id: idFrom('mail', 'webhook-recovered', channelId, String(since)),
    accountId: channel.accountId,
    kind: 'webhook-recovered',
    ...webhookRecovered(channel, { since, now: clock.now(), baseUrl: settings.baseUrl }),
  });
}
