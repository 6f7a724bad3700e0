/** Fields that the audit log shows: an explicit list, so that a secret field added later is not shown. */
import { toIso } from '../../kernel/clock.ts';
import { addressIn } from '../../rules/email.ts';
import type { Snapshot } from '../audit/index.ts';
import type { Account, ApiKey } from './account.ts';

export function accountSnapshot({ id, email, name, suspendedAt, suspendedWhy }: Account): Snapshot {
  const shown = { email: addressIn(email), name, suspended: suspendedAt !== null, reason: suspendedWhy };
  return { accountId: id, subject: id, shown };
}

export function keySnapshot({ id, accountId, name, hint, scopes, endsAt, revokedAt }: ApiKey): Snapshot {
  const may = scopes === null ? null : scopes.join(' ');
  const shown = { name, hint, scopes: may, expires_at: toIso(endsAt), revoked: revokedAt !== null };
  return { accountId, subject: id, shown };
}
