/** The audit log: who changed what. */
import type { ActorKind, AuditEntry, AuditFilter, AuditStore } from './port.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { readPage, readTwoWayPage } from '../../storage/records.ts';
import type { Records, RecordsOf } from '../../storage/records.ts';
import { sweep } from '../../storage/sweep.ts';
import { audit as auditEntity } from './entity.ts';

export function auditStore(recordsOf: RecordsOf): AuditStore {
  const audit = recordsOf(auditEntity);
  return {
    add: (entry) => audit.upsertEach([entry], { times: 'add', lastAt: 'max' }),
    list: (filter, page) => readPage(audit, listedBy(filter), page),
    listTwoWay: (filter, page) => readTwoWayPage(audit, listedBy(filter), page),
    dropOlder: (before, stopping) => audit.sweep({ on: 'createdAt', below: before }, stopping),
    accountsAfter: (accountId, limit) => audit.firsts('ofAccount', accountId, limit),
    keepNewest: (of, count, stopping) => keepNewest(audit, of, count, stopping),
  };
}

/** What one trim reads beyond the entries to keep; what is left then, the next one finds. */
const readBeyond = 5_000;
const perRemoval = 1_000;

/** Reads the entries only if there are too many. */
async function keepNewest(
  audit: Pick<Records<AuditEntry>, 'only' | 'removeEach'>,
  of: { accountId: string; actor: ActorKind },
  count: number,
  stopping?: AbortSignal,
): Promise<number> {
  const places = audit.only('actorName', 'createdAt', 'id');
  const newest = { by: 'ofAccountAndActor', equal: of, isDescending: true } as const;
  return sweep(async () => {
    const [beyond] = await places.list({ ...newest, skip: count, limit: 1 });
    if (beyond === undefined) return { dropped: 0, isLast: true };
    const entries = await places.list({ ...newest, limit: count + readBeyond });
    const excess = beyondShares(entries, count).slice(-perRemoval);
    await audit.removeEach(excess.map(({ id }) => id));
    return { dropped: excess.length, isLast: excess.length < perRemoval };
  }, stopping);
}

/** The entries, newest first, that exceed the largest share which fits `count` if no actor has more. */
function beyondShares<E extends { actorName: string | null }>(entries: readonly E[], count: number): E[] {
  const numbers = [...groupBy(entries, ({ actorName }) => actorName ?? '').values()].map(
    ({ length }) => length,
  );
  let [share, left] = [1, count];
  for (const [index, own] of numbers.toSorted((a, b) => a - b).entries()) {
    const equal = Math.floor(left / (numbers.length - index));
    share = Math.max(share, Math.min(own, equal));
    if (own > equal) break;
    left -= own;
  }
  const seen = new Map<string, number>();
  return entries.filter(({ actorName }) => {
    const nth = (seen.get(actorName ?? '') ?? 0) + 1;
    seen.set(actorName ?? '', nth);
    return nth > share;
  });
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
