/** Fields that the audit log shows of each object: an explicit list, so that a secret field added later is not shown. */
import type { Account, ApiKey, Redirect } from '../accounts/account.ts';
import { addressIn } from '../../rules/email.ts';
import type { Person } from '../../rules/person.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { Template } from '../../rules/templates/template.ts';
import { toIso } from '../../kernel/clock.ts';
import type { Snapshot } from './audited.ts';
import { marked } from './marked.ts';

export function accountSnapshot({ id, email, name, suspendedAt }: Account): Snapshot {
  const shown = { email: addressIn(email), name, suspended: suspendedAt !== null };
  return { accountId: id, subject: id, shown };
}

export function keySnapshot({ id, accountId, name, hint, revokedAt }: ApiKey): Snapshot {
  return { accountId, subject: id, shown: { name, hint, revoked: revokedAt !== null } };
}

export function redirectSnapshot({ id, accountId, apiKeyId, uriPattern }: Redirect): Snapshot {
  return { accountId, subject: id, shown: { pattern: uriPattern, api_key_id: apiKeyId } };
}

export function licenceSnapshot({
  id,
  accountId,
  status,
  tier,
  source,
  expiresAt,
  autoRenew,
}: Subscription): Snapshot {
  const shown = { status, tier, source, expires_at: toIso(expiresAt), auto_renew: autoRenew };
  return { accountId, subject: id, shown };
}

export function templateSnapshot({
  id,
  accountId,
  name,
  language,
  category,
  components,
}: Template): Snapshot {
  const content = marked(`${components.length} components`, JSON.stringify(components));
  return { accountId, subject: id, shown: { name, language, category, content } };
}

/** A change of a person's password or proof of address: its values are never shown. */
export function personSnapshot({ id, accountId }: Pick<Person, 'id' | 'accountId'>): Snapshot {
  return { accountId, subject: id, shown: null };
}

/** A member of an account, with the role. */
export function memberSnapshot({
  id,
  accountId,
  email,
  role,
}: Pick<Person, 'id' | 'accountId' | 'email' | 'role'>): Snapshot {
  return { accountId, subject: id, shown: { email: addressIn(email), role } };
}
