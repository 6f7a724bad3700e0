/**
 * The request log, written once for both engines. The entries of an account are bounded, so conditions beyond the index are checked on each
 * entry.
 */
import type { Page, PageRequest } from '../../kernel/paging.ts';
import { dropOfEach, trimTo } from '../../storage/bounds.ts';
import { readPage } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { loggedRequests } from './entity.ts';
import type { LoggedRequest } from './entity.ts';

/** An omitted field matches everything. */
export interface RequestFilter {
  status?: number;
  isFailed?: boolean;
  route?: string;
  requestId?: string;
}

/** The index of all lists here. */
const by = 'ofAccount';

export function requestLogStore(recordsOf: RecordsOf) {
  const requests = recordsOf(loggedRequests);

  return {
    /** Idempotent. */
    add: (all: readonly LoggedRequest[]): Promise<void> => requests.upsertEach(all, { leftOut: 'given' }),
    /** Newest first, created at `since` (ms) or later, and before `until`; null: no end. */
    list(
      accountId: string,
      { since, until = null, ...filter }: RequestFilter & { since: number; until?: number | null },
      page: PageRequest,
    ): Promise<Page<LoggedRequest>> {
      const end = until === null ? {} : { below: until };
      const range = { on: 'createdAt', from: since, ...end } as const;
      return readPage(requests, { by, equal: { accountId, ...filter }, range, isDescending: true }, page);
    },
    /** Keeps each account's newest `most` entries that were created at `since` (ms) or later. Returns the number of dropped entries. */
    trim(most: number, since: number, stopping?: AbortSignal): Promise<number> {
      const trimOf = (accountId: string): Promise<number> =>
        trimTo(requests, { by, equal: { accountId } }, { most, since }, stopping);
      return dropOfEach(requests, by, trimOf, stopping);
    },
  };
}

export type RequestLogStore = ReturnType<typeof requestLogStore>;
