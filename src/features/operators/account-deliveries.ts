/** Deliveries as operators see them: an account's of a week, and what was given up lately. */
import { accountsOf } from './accounts.ts';
import { hourMs, dayMs } from '../../kernel/clock.ts';
import type { World } from '../world.ts';
import type { GivenUpLately } from './types.ts';
import { addCounts, findHour, noCounts } from '../deliveries/index.ts';
import type { DeliveryCounts } from '../deliveries/index.ts';

const weekMs = 7 * dayMs;
/** Hours of accounts read; beyond this number `isCut` is set. */
const mostHours = 10_000;
const mostNamed = 5;

/** Counts of an account's finished deliveries in the last seven days. */
export async function accountVolume(
  { stores, clock, deliveryTally }: World,
  accountId: string,
): Promise<DeliveryCounts> {
  await deliveryTally.flush();
  const week = noCounts();
  for (const hour of await stores.deliveryHours.since(accountId, findHour(clock.now() - weekMs)))
    addCounts(week, hour);
  return week;
}

/** Given-up deliveries of all accounts in this and the previous hour; counts of other nodes are a minute old at most. */
export async function givenUpLately(world: World): Promise<GivenUpLately> {
  const { stores, clock, deliveryTally } = world;
  await deliveryTally.flush();
  const since = findHour(clock.now()) - hourMs;
  const hours = await stores.deliveryHours.givenUpOfAll(since, mostHours);
  const byAccount = new Map<string, number>();
  for (const { accountId, givenUp } of hours)
    if (givenUp > 0) byAccount.set(accountId, (byAccount.get(accountId) ?? 0) + givenUp);
  const worst = [...byAccount].toSorted(([, a], [, b]) => b - a).slice(0, mostNamed);
  const accounts = await accountsOf(
    world,
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
