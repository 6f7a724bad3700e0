import { readAuditFilter } from '../../http/admin/audit-routes.ts';
import type { AuditFilter } from '../../use-cases/ports/audit.ts';

export type AuditField = 'account_id' | 'actor' | 'action' | 'since' | 'until';

/** The given fields as a query; empty ones are left out. */
export function filterIn(query: URLSearchParams, fields: readonly AuditField[]): URLSearchParams {
  const given = fields.flatMap((name) => {
    const value = (query.get(name) ?? '').trim();
    return value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams(given);
}

/** Returns null if the typed values are no valid filter, which finds nothing. */
export function readFilter(asked: URLSearchParams): AuditFilter | null {
  try {
    return readAuditFilter(new URLSearchParams([...asked].map(inTimes)));
  } catch {
    return null;
  }
}

/** The form sends days in UTC: each becomes its first moment. */
function inTimes([name, value]: [string, string]): [string, string] {
  const isDay = (name === 'since' || name === 'until') && /^\d{4}-\d\d-\d\d$/.test(value);
  return [name, isDay ? `${value}T00:00:00Z` : value];
}
