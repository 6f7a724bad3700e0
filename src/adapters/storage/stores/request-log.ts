/** The log of requests. An account has a bounded number of them: what an index does not find is looked at one by one. */
import type { RequestLogStore } from '../../../use-cases/ports/request-log.ts';
import { readPage } from '../records.ts';
import type { RecordsOf } from '../records.ts';

const by = 'ofAccount';
const accountsPerStep = 100;
const perRemoval = 500;

export function requestLogStore(recordsOf: RecordsOf): RequestLogStore {
  const requests = recordsOf('requestLog');

  /** Those behind the first `skip`, newest first, until none is left. */
  async function dropBehind(accountId: string, skip: number, below: number): Promise<number> {
    for (let dropped = 0; ;) {
      const range = { on: 'createdAt', from: 0, below } as const;
      const asked = { by, equal: { accountId }, range, isDescending: true, skip, limit: perRemoval };
      const old = await requests.list(asked);
      if (old.length === 0) return dropped;
      await requests.removeEach(old.map(({ id }) => id));
      dropped += old.length;
    }
  }

  return {
    add: (all) => requests.upsertEach(all, { leftOut: 'given' }),
    list(accountId, { since, ...filter }, page) {
      const range = { on: 'createdAt', from: since } as const;
      return readPage(requests, { by, equal: { accountId, ...filter }, range, isDescending: true }, page);
    },
    async trim(most, since) {
      let dropped = 0;
      for (let last = ''; ;) {
        const accountIds = await requests.firsts(by, last, accountsPerStep);
        for (const accountId of accountIds) {
          dropped += await dropBehind(accountId, most, Number.MAX_SAFE_INTEGER);
          dropped += await dropBehind(accountId, 0, since);
        }
        if (accountIds.length < accountsPerStep) return dropped;
        last = accountIds.at(-1) ?? last;
      }
    },
  };
}
