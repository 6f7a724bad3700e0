/** The names of people, written once for both engines. */
import { dropOfEach, trimTo } from '../../storage/bounds.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { personNames } from './entity.ts';
import type { PersonName } from './entity.ts';

export function personNameStore(recordsOf: RecordsOf) {
  const names = recordsOf(personNames);
  const linked = names.only('name', 'sameAs', 'createdAt', 'id');
  return {
    /** The last one told of a name counts. */
    put: (all: readonly PersonName[]): Promise<void> =>
      names.upsertEach(all, { sameAs: 'put', createdAt: 'put' }),
    /** The names one step away from this one, on any channel of the account, latest first; at most `limit` each way. */
    async beside(accountId: string, name: string, limit: number): Promise<string[]> {
      const isDescending = true;
      const [to, from] = await Promise.all([
        linked.list({ by: 'byName', equal: { accountId, name }, isDescending, limit }),
        linked.list({ by: 'bySame', equal: { accountId, sameAs: name }, isDescending, limit }),
      ]);
      return [...to.map(({ sameAs }) => sameAs), ...from.map((one) => one.name)];
    },
    /** Keeps each account's newest `most` names that were told at `since` (ms) or later. Returns the number of dropped names. */
    trim(most: number, since: number, stopping?: AbortSignal): Promise<number> {
      const trimOf = (accountId: string): Promise<number> =>
        trimTo(names, { by: 'ofAccount', equal: { accountId } }, { most, since }, stopping);
      return dropOfEach(names, 'ofAccount', trimOf, stopping);
    },
  };
}

export type PersonNameStore = ReturnType<typeof personNameStore>;
