/** The audit log: who changed what. */
import type { AuditFilter, AuditStore } from '../../../use-cases/ports/audit.ts';
import { insertNew, readPage, readTwoWayPage } from '../records.ts';
import type { RecordsOf } from '../records.ts';
import { dropBehind } from './bounds.ts';

export function auditStore(recordsOf: RecordsOf): AuditStore {
  const audit = recordsOf('audit');
  return {
    add: (entry) => insertNew(audit, entry),
    list: (filter, page) => readPage(audit, listedBy(filter), page),
    listTwoWay: (filter, page) => readTwoWayPage(audit, listedBy(filter), page),
    dropOlder: (before, stopping) => audit.sweep({ on: 'createdAt', below: before }, stopping),
    accountsAfter: (accountId, limit) => audit.firsts('ofAccount', accountId, limit),
    keepNewest: (of, count, stopping) =>
      dropBehind(audit, { by: 'ofAccountAndActor', equal: of }, { skip: count }, stopping),
  };
}

function listedBy(filter: AuditFilter) {
  const { since, until, ...equal } = filter;
  const range = { on: 'createdAt', from: since ?? 0, below: until ?? Number.MAX_SAFE_INTEGER } as const;
  const isInTime = since !== undefined || until !== undefined;
  return { by: indexFor(filter), equal, ...(isInTime ? { range } : {}), isDescending: true } as const;
}

/** The index that leaves the fewest entries; further conditions are checked on each entry. */
function indexFor({ accountId, action, actor }: AuditFilter): string {
  if (accountId !== undefined) return actor === undefined ? 'ofAccount' : 'ofAccountAndActor';
  if (action !== undefined) return 'ofAction';
  return actor === undefined ? 'byAge' : 'ofActor';
}
