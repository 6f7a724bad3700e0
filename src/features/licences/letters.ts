import type { Channel } from '../../rules/channels/channel.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { billingPath } from '../../rules/portal-paths.ts';
import { writeMoment, writeName } from '../../rules/mails/letter.ts';
import type { Letter } from '../../rules/mails/letter.ts';

/** `channels`: active channels of the trial. */
export function trialEnding(
  { expiresAt }: Subscription,
  channels: readonly Channel[],
  baseUrl: string,
): Letter {
  const end = writeMoment(expiresAt ?? 0);
  return {
    subject: `Your trial ends on ${end.slice(0, 10)}`,
    lines: [
      `Your trial ends at ${end}. After that its channels can neither send nor receive:`,
      ...listed(channels),
      'What to do: subscribe before then, and the channels keep working without a break. If you do not, nothing is deleted: the channels work again once you subscribe.',
      `Subscriptions: ${baseUrl}${billingPath}`,
    ],
  };
}

const ended: Readonly<Record<Subscription['source'], string>> = {
  trial: 'Your trial has ended',
  billing_provider: 'Your subscription has ended',
  enterprise: 'Your licence has ended',
};

/** `channels`: channels that stopped with the licence. */
export function licenceEnded(
  subscription: Subscription,
  channels: readonly Channel[],
  baseUrl: string,
): Letter {
  const what = ended[subscription.source];
  return {
    subject: `${what}: ${channels.length} ${channels.length === 1 ? 'channel has' : 'channels have'} stopped`,
    lines: [
      `${what}${reason(subscription)} These channels can no longer send or receive:`,
      ...listed(channels),
      'What to do: subscribe, and the channels work again. They keep their settings and their history.',
      `Subscriptions: ${baseUrl}${billingPath}`,
    ],
  };
}

/** Reason and end date of a licence that lapsed (stored as `active`). A canceled licence needs no reason. */
function reason({ status, source, expiresAt }: Subscription): string {
  if (status !== 'active') return '.';
  const why = source === 'billing_provider' ? ': its last period was not paid.' : '.';
  return expiresAt === null ? why : `${why} It was valid until ${writeMoment(expiresAt)}.`;
}

function listed(channels: readonly Channel[]): string[] {
  return channels.length === 0 ? ['- no channel yet'] : channels.map((channel) => `- ${writeName(channel)}`);
}
