/** Hourly webhook counts of an account. */
import { countNames } from './hours.ts';
import type { DeliveryHour } from './hours.ts';
import type { Joining, RecordsOf } from '../../storage/records.ts';
import { deliveryHours } from './entity.ts';

const added: { readonly [K in keyof DeliveryHour]?: Joining } = Object.fromEntries(
  countNames.map((name) => [name, 'add'] as const),
);

export function deliveryHourStore(recordsOf: RecordsOf) {
  const hours = recordsOf(deliveryHours);
  const givenUp = hours.only('accountId', 'at', 'givenUp');
  return {
    /** Adds each count to the stored one of its hour. A retry after a lost answer may count twice: the figures are only shown. */
    add: (counted: readonly DeliveryHour[]): Promise<void> => hours.upsertEach(counted, added),
    /** Hours of an account from `from` (ms) on, oldest first, without empty hours. */
    since: (accountId: string, from: number): Promise<DeliveryHour[]> =>
      hours.list({ by: 'ofAccount', equal: { accountId }, range: { on: 'at', from }, limit: null }),
    /** What was given up in the hours of all accounts from `from` (ms) on, at most `limit` hours. */
    givenUpOfAll: (
      from: number,
      limit: number,
    ): Promise<Pick<DeliveryHour, 'accountId' | 'at' | 'givenUp'>[]> =>
      givenUp.list({ by: 'byAge', range: { on: 'at', from }, limit }),
    /** Erases older hours. Returns their number. */
    dropOlder: (before: number, stopping?: AbortSignal): Promise<number> =>
      hours.sweep({ on: 'at', below: before }, stopping),
  };
}

/** Hourly counts of an account's finished deliveries, by outcome. */
export type DeliveryHourStore = ReturnType<typeof deliveryHourStore>;
