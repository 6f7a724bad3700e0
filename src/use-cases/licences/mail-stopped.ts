import type { Channel } from '../../domain/channels/channel.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import { licenceEnded } from '../../domain/mails/licences.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { UseCaseDeps } from '../deps.ts';
import { writeMail } from '../write-mail.ts';

/**
 * Mails the account which channels of an ended licence stopped, once per end date: a paid licence that lapsed is often canceled
 * days later. `left`: channels without another licence. [operator-interface §4 canceled, trial subscription]
 */
export async function mailStopped(
  deps: UseCaseDeps,
  subscription: Subscription,
  left: readonly Channel[],
): Promise<void> {
  const { id, accountId, expiresAt } = subscription;
  const stopped = left.filter(({ subscriptionId }) => subscriptionId === id);
  if (stopped.length === 0) return;
  const letter = licenceEnded(subscription, stopped, deps.settings.baseUrl);
  const mailId = idFrom('mail', 'licence-ended', id, String(expiresAt));
  await writeMail(deps, { ...letter, id: mailId, accountId, kind: 'licence-ended' });
}
