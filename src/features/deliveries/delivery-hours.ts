/** Hourly webhook counts of an account. */
import { countNames } from './delivery-hour.ts';
import type { DeliveryHour } from './delivery-hour.ts';
import type { DeliveryHourStore } from './port.ts';
import type { Joining, RecordsOf } from '../../storage/records.ts';
import { deliveryHours } from './entity.ts';

const added: { readonly [K in keyof DeliveryHour]?: Joining } = Object.fromEntries(
  countNames.map((name) => [name, 'add'] as const),
);

export function deliveryHourStore(recordsOf: RecordsOf): DeliveryHourStore {
  const hours = recordsOf(deliveryHours);
  return {
    add: (counted) => hours.upsertEach(counted, added),
    since: (accountId, from) =>
      hours.list({ by: 'ofAccount', equal: { accountId }, range: { on: 'at', from }, limit: null }),
    ofAll: (from, limit) => hours.list({ by: 'byAge', range: { on: 'at', from }, limit }),
    dropOlder: (before, stopping) => hours.sweep({ on: 'at', below: before }, stopping),
  };
}
