import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { AuditEntry, AuditFilter } from '../ports/audit.ts';
import type { Page, PageRequest, TurnedPage, TurnRequest } from '../ports/paging.ts';

const perPage = 100;

/** Of all accounts and of none; newest first. */
export function listAudit(
  { stores }: UseCaseDeps,
  filter: AuditFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<AuditEntry>> {
  return stores.audit.list(filter, { limit: limit ?? perPage, cursor });
}

/** As `listAudit`, either way. */
export function turnAudit(
  { stores }: UseCaseDeps,
  filter: AuditFilter,
  page: TurnRequest,
): Promise<TurnedPage<AuditEntry>> {
  return stores.audit.turn(filter, page);
}

/** Of the caller's account alone. From where an operator acts is theirs to know. */
export async function turnOwnAudit(
  { stores, searches }: UseCaseDeps,
  { accountId }: Caller,
  filter: Omit<AuditFilter, 'accountId'>,
  page: TurnRequest,
): Promise<TurnedPage<AuditEntry>> {
  const found = await searches.run(accountId, () => stores.audit.turn({ ...filter, accountId }, page));
  const items = found.items.map((entry) =>
    entry.actor === 'operator' ? { ...entry, address: null, requestId: null } : entry,
  );
  return { ...found, items };
}
