import { readAuditFilter } from '../../http/admin/audit-routes.ts';
import type { AuditFilter } from '../../use-cases/ports/audit.ts';

export type AuditField = 'account_id' | 'actor' | 'action' | 'since' | 'until';

/** Fields that were left empty ask for nothing. */
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
    return readAuditFilter(new URLSearchParams([...asked].map(inTimes)));
  } catch {
    return null;
  }
}

/** The form sends days, of UTC: each stands for its first moment. */
function inTimes([name, value]: [string, string]): [string, string] {
  const isDay = (name === 'since' || name === 'until') && /^\d{4}-\d\d-\d\d$/.test(value);
  return [name, isDay ? `${value}T00:00:00Z` : value];
}
