/** Fields that the audit log shows of each object: an explicit list, so that a secret field added later is not shown. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Account, ApiKey, Redirect } from '../../domain/accounts/account.ts';
import { addressIn } from '../../domain/accounts/email.ts';
import type { Person } from '../../domain/accounts/person.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import type { Template } from '../../domain/templates/template.ts';
import { hostIn } from '../../domain/urls/parse-url.ts';
import { toIso } from '../../kernel/clock.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { Seen } from './audited.ts';

export function accountSeen({ id, email, name, suspendedAt }: Account): Seen {
  const shown = { email: addressIn(email), name, suspended: suspendedAt !== null };
  return { accountId: id, subject: id, shown };
}

export function keySeen({ id, accountId, name, hint, revokedAt }: ApiKey): Seen {
  return { accountId, subject: id, shown: { name, hint, revoked: revokedAt !== null } };
}

export function redirectSeen({ id, accountId, apiKeyId, uriPattern }: Redirect): Seen {
  return { accountId, subject: id, shown: { pattern: uriPattern, api_key_id: apiKeyId } };
}

export function channelSeen(channel: Channel): Seen {
  const { id, accountId, channelType, name, identity, isActive, subscriptionId, echoStatuses } = channel;
  const shown = {
    channel_type: channelType,
    name,
    identity,
    is_active: isActive,
    subscription_id: subscriptionId,
    webhook_url: endpointSeen(channel.webhookUrl),
    webhook_secret: channel.webhookSecret === null ? null : marked('set', channel.webhookSecret),
    webhook_events: channel.webhookEvents?.join(' ') ?? null,
    echo_statuses: echoStatuses,
    failed_retention_days: channel.failedRetentionDays,
    keep_answers: channel.keepAnswers,
  };
  return { accountId, subject: id, shown };
}

export function licenceSeen({
  id,
  accountId,
  status,
  tier,
  source,
  expiresAt,
  autoRenew,
}: Subscription): Seen {
  const shown = { status, tier, source, expires_at: toIso(expiresAt), auto_renew: autoRenew };
  return { accountId, subject: id, shown };
}

export function templateSeen({ id, accountId, name, language, category, components }: Template): Seen {
  const content = marked(`${components.length} components`, JSON.stringify(components));
  return { accountId, subject: id, shown: { name, language, category, content } };
}

/** A change of a person's password or proof of address: its values are never shown. */
export function personSeen({ id, accountId }: Pick<Person, 'id' | 'accountId'>): Seen {
  return { accountId, subject: id, shown: null };
}

/** A member of an account, with the role. */
export function memberSeen({ id, accountId, email, role }: Person): Seen {
  return { accountId, subject: id, shown: { email: addressIn(email), role } };
}

export async function channelBefore({ stores }: UseCaseDeps, channelId: string): Promise<Seen | null> {
  const channel = await stores.channels.byId(channelId);
  return channel === null ? null : channelSeen(channel);
}

function endpointSeen(url: string | null): string | null {
  return url === null ? null : marked(hostIn(url) ?? 'unreadable', url);
}

/** Random per process: before and after of an entry are marked by one process, and nobody can test guesses against an export. */
const markKey = randomBytes(32);

/** Distinguishes two texts within an entry without revealing them. */
function marked(word: string, text: string): string {
  return `${word} #${createHmac('sha256', markKey).update(text).digest('hex').slice(0, 8)}`;
}
