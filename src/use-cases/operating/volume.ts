import { addCounts, findHour, hourMs, noCounts } from '../../domain/webhooks/delivery-hour.ts';
import type { DeliveryCounts } from '../../domain/webhooks/delivery-hour.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { GivenUpLately } from './types.ts';

const weekMs = 7 * 24 * hourMs;
/** Accounts with an event in two hours: beyond them the figure says `isCut`. */
const mostHours = 10_000;

/** What became of an account's webhooks in seven days. */
export async function accountVolume(
  { stores, clock, deliveryTally }: UseCaseDeps,
  accountId: string,
): Promise<DeliveryCounts> {
  await deliveryTally.keep();
  const week = noCounts();
  for (const hour of await stores.deliveryHours.since(accountId, findHour(clock.now() - weekMs)))
    addCounts(week, hour);
  return week;
}

/** Webhooks of all accounts that were given up in this hour and the one before it; as other nodes saw it a minute ago at most. */
export async function givenUpLately({ stores, clock, deliveryTally }: UseCaseDeps): Promise<GivenUpLately> {
  await deliveryTally.keep();
  const since = findHour(clock.now()) - hourMs;
  const hours = await stores.deliveryHours.ofAll(since, mostHours);
  const failed = hours.filter(({ givenUp }) => givenUp > 0);
  return {
    since,
    events: failed.reduce((sum, { givenUp }) => sum + givenUp, 0),
    accounts: new Set(failed.map(({ accountId }) => accountId)).size,
    isCut: hours.length === mostHours,
  };
}
