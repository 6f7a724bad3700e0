import { toIso } from '../../kernel/clock.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { Snapshot } from '../audit/index.ts';

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
