import type { UseCaseDeps } from '../deps.ts';
import type { AuditEntry, AuditFilter } from '../ports/audit.ts';
import type { Page, PageRequest } from '../ports/paging.ts';

const perPage = 100;

/** Of all accounts and of none; newest first. */
export function listAudit(
  { stores }: UseCaseDeps,
  filter: AuditFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<AuditEntry>> {
  return stores.audit.list(filter, { limit: limit ?? perPage, cursor });
}
