import type { ApiKey } from '../../domain/accounts/account.ts';
import { newApiKey } from '../../domain/accounts/api-key.ts';
import { newId } from '../../kernel/ids.ts';

/** `key` is shown once, `stored` is what is kept. [spec: Authentication 2] */
export function makeKey(
  accountId: string,
  now: number,
  name: string | null = null,
): { key: string; stored: ApiKey } {
  const { key, ...shown } = newApiKey();
  const stored = {
    id: newId(),
    accountId,
    ...shown,
    createdAt: now,
    revokedAt: null,
    name,
    lastUsedAt: null,
  };
  return { key, stored };
}
