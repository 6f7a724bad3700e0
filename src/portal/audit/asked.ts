import { readAuditFilter } from '../../http/admin/audit-routes.ts';
import type { AuditFilter } from '../../use-cases/ports/audit.ts';

export type AuditField = 'account_id' | 'actor' | 'action' | 'since' | 'until';

/** Fields that were left empty ask for nothing; days stand for their first moment. */
export function askedIn(query: URLSearchParams, fields: readonly AuditField[]): URLSearchParams {
  const given = fields.flatMap((name) => {
    const value = (query.get(name) ?? '').trim();
    return value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams(given);
}

/** null: what somebody typed is no filter, and finds nothing. */
export function readFilter(asked: URLSearchParams): AuditFilter | null {
  try {
    return readAuditFilter(asked);
  } catch {
    return null;
  }
}
