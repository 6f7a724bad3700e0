/** Who changed what. */
import type { AuditFilter, AuditStore } from '../../../use-cases/ports/audit.ts';
import { insertNew, readPage } from '../records.ts';
import type { RecordsOf } from '../records.ts';

export function auditStore(recordsOf: RecordsOf): AuditStore {
  const audit = recordsOf('audit');
  return {
    add: (entry) => insertNew(audit, entry),
    list(filter, page) {
      const { since, until, ...equal } = filter;
      const range =
        since === undefined && until === undefined
          ? {}
          : {
              range: { on: 'createdAt', from: since ?? 0, below: until ?? Number.MAX_SAFE_INTEGER } as const,
            };
      return readPage(audit, { by: indexFor(filter), equal, ...range, isDescending: true }, page);
    },
    dropOlder: (before) => audit.sweep({ on: 'createdAt', below: before }),
  };
}

/** What leaves the fewest entries comes first; whatever else is asked for is looked at in each. */
function indexFor({ accountId, action, actor }: AuditFilter): string {
  if (accountId !== undefined) return 'ofAccount';
  if (action !== undefined) return 'ofAction';
  return actor === undefined ? 'byAge' : 'ofActor';
}
