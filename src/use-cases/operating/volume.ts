import { addCounts, findHour, hourMs, noCounts } from '../../domain/webhooks/delivery-hour.ts';
import type { DeliveryCounts } from '../../domain/webhooks/delivery-hour.ts';
import type { UseCaseDeps } from '../deps.ts';
import { accountsOf } from './accounts.ts';
import type { GivenUpLately } from './types.ts';

const weekMs = 7 * 24 * hourMs;
/** Hours of accounts read; beyond this number `isCut` is set. */
const mostHours = 10_000;
const mostNamed = 5;

/** Counts of an account's finished deliveries in the last seven days. */
export async function accountVolume(
  { stores, clock, deliveryTally }: UseCaseDeps,
  accountId: string,
): Promise<DeliveryCounts> {
  await deliveryTally.flush();
  const week = noCounts();
  for (const hour of await stores.deliveryHours.since(accountId, findHour(clock.now() - weekMs)))
    addCounts(week, hour);
  return week;
}

/** Given-up deliveries of all accounts in this and the previous hour; counts of other nodes are a minute old at most. */
export async function givenUpLately(deps: UseCaseDeps): Promise<GivenUpLately> {
  const { stores, clock, deliveryTally } = deps;
  await deliveryTally.flush();
  const since = findHour(clock.now()) - hourMs;
  const hours = await stores.deliveryHours.ofAll(since, mostHours);
  const byAccount = new Map<string, number>();
  for (const { accountId, givenUp } of hours)
    if (givenUp > 0) byAccount.set(accountId, (byAccount.get(accountId) ?? 0) + givenUp);
  const worst = [...byAccount].toSorted(([, a], [, b]) => b - a).slice(0, mostNamed);
  const accounts = await accountsOf(
    deps,
    worst.map(([id]) => id),
  );
  return {
    since,
    events: [...byAccount.values()].reduce((sum, events) => sum + events, 0),
    accounts: byAccount.size,
    worst: worst.flatMap(([id, events]) => {
      const account = accounts.get(id);
      return account === undefined ? [] : [{ account, events }];
    }),
    isCut: hours.length === mostHours,
  };
}
