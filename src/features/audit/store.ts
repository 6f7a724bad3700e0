/** The audit log: who changed what. */
import { groupBy } from '../../kernel/group-by.ts';
import { readPage, readTwoWayPage } from '../../storage/records.ts';
import type { Records, RecordsOf } from '../../storage/records.ts';
import { sweep } from '../../storage/sweep.ts';
import { audit as auditEntity } from './entity.ts';
import type { AuditEntry } from './entity.ts';
import type { PageRequest, Page, TwoWayPage, TwoWayPageRequest } from '../../kernel/paging.ts';
import type { ActorKind } from '../../rules/caller.ts';

export function auditStore(recordsOf: RecordsOf) {
  const audit = recordsOf(auditEntity);
  return {
    /** Adds the entry, or its `times` to the stored one of its id, whose other fields stay; `lastAt` never moves back. */
    add: (entry: AuditEntry): Promise<void> => audit.upsertEach([entry], { times: 'add', lastAt: 'max' }),
    /** Newest first. */
    list: (filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> =>
      readPage(audit, listedBy(filter), page),
    /** As `list`, in either direction. */
    listTwoWay: (filter: AuditFilter, page: TwoWayPageRequest): Promise<TwoWayPage<AuditEntry>> =>
      readTwoWayPage(audit, listedBy(filter), page),
    /** Returns the number of dropped entries. */
    dropOlder: (before: number, stopping?: AbortSignal): Promise<number> =>
      audit.sweep({ on: 'createdAt', below: before }, stopping),
    /** Ids of accounts that have entries, in order, the first `limit` after `accountId`. */
    accountsAfter: (accountId: string, limit: number): Promise<string[]> =>
      audit.firsts('ofAccount', accountId, limit),
    /**
     * Keeps `count` entries of the account by this kind of actor. If there are more, the oldest of those actors go who have the most,
     * so that none displaces the entries of another. Returns the number of dropped entries.
     */
    keepNewest: (
      of: { accountId: string; actor: ActorKind },
      count: number,
      stopping?: AbortSignal,
    ): Promise<number> => keepNewest(audit, of, count, stopping),
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

/** An omitted field matches everything. Times in ms. */
export interface AuditFilter {
  accountId?: string;
  actor?: ActorKind;
  action?: string;
  since?: number;
  until?: number;
}
