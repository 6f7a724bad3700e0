/** The request log. The entries of an account are bounded, so conditions beyond the index are checked on each entry. */
import type { RequestLogStore } from './port.ts';
import { readPage } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { dropOfEach, trimTo } from '../../storage/bounds.ts';
import { requestLog } from './entity.ts';

const by = 'ofAccount';

export function requestLogStore(recordsOf: RecordsOf): RequestLogStore {
  const requests = recordsOf(requestLog);

  return {
    add: (all) => requests.upsertEach(all, { leftOut: 'given' }),
    list(accountId, { since, ...filter }, page) {
      const range = { on: 'createdAt', from: since } as const;
      return readPage(requests, { by, equal: { accountId, ...filter }, range, isDescending: true }, page);
    },
    trim(most, since, stopping) {
      const trimOf = (accountId: string): Promise<number> =>
        trimTo(requests, { by, equal: { accountId } }, { most, since }, stopping);
      return dropOfEach(requests, by, trimOf, stopping);
    },
  };
}
