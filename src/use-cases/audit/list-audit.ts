import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { AuditEntry, AuditFilter } from '../ports/audit.ts';
import type { Page, PageRequest, TurnedPage, TurnRequest } from '../ports/paging.ts';

const perPage = 100;

/** Entries of all accounts and of the whole service, newest first. */
export function listAudit(
  { stores }: UseCaseDeps,
  filter: AuditFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<AuditEntry>> {
  return stores.audit.list(filter, { limit: limit ?? perPage, cursor });
}

/** As `listAudit`, in either direction. */
export function turnAudit(
  { stores }: UseCaseDeps,
  filter: AuditFilter,
  page: TurnRequest,
): Promise<TurnedPage<AuditEntry>> {
  return stores.audit.turn(filter, page);
}

/** Entries of the caller's account only, without the IP addresses and request ids of operators. */
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
