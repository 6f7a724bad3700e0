import { webhookRecovered } from '../../rules/mails/webhooks.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../world.ts';
import { writeMail } from '../mails/write-mail.ts';

/** Writes this node's buffered activity; mails accounts that were warned of a failing endpoint once it works again. [faults §6.6] */
export async function flushActivity(deps: UseCaseDeps): Promise<void> {
  await deps.activity.flush((channelId, since) => mailRecovery(deps, channelId, since));
}

async function mailRecovery(deps: UseCaseDeps, channelId: string, since: number): Promise<void> {
  const { stores, clock, settings } = deps;
  const channel = await stores.channels.byId(channelId);
  if (channel === null) return;
  await writeMail(deps, {
    id: idFrom('mail', 'webhook-recovered', channelId, String(since)),
    accountId: channel.accountId,
    kind: 'webhook-recovered',
    ...webhookRecovered(channel, { since, now: clock.now(), baseUrl: settings.baseUrl }),
  });
}
