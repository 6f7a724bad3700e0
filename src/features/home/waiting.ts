/** [portal: Home] How many deliveries of an account are still to be made, whatever the number of its channels. */
import type { World } from '../world.ts';
import type { Counted } from './given-up.ts';

const maxWaiting = 10_000;
/** Of an account with more channels than Home examines: the newest deliveries are looked at, and those of failing channels are counted. */
const newestLookedAt = 200;
const maxFailing = 100;

interface Asked {
  accountId: string;
  /** The first channels of the account; each is one look-up. */
  channelIds: readonly string[];
  isAll: boolean;
}

export async function countWaiting(
  { stores, settings, clock }: Pick<World, 'stores' | 'settings' | 'clock'>,
  { accountId, channelIds, isAll }: Asked,
): Promise<Counted> {
  const countOf = (ids: readonly string[]): Promise<number> =>
    stores.deliveryLog.countPending({ channelIds: ids, limit: maxWaiting + 1 });
  if (isAll) return bounded(await countOf(channelIds), false);
  const failing = await stores.health.failingOf(accountId, maxFailing);
  const [older, newest] = await Promise.all([
    countOf(failing),
    stores.deliveryLog.list({
      accountId,
      channelId: null,
      since: clock.now() - settings.deliveryLogMs,
      event: null,
      state: null,
      page: { limit: newestLookedAt, cursor: null },
    }),
  ]);
  const counted = new Set(failing);
  const fresh = newest.items.filter(({ state, channelId }) => state === 'pending' && !counted.has(channelId));
  // Without a failure a delivery waits for moments: those not looked at have ended, unless the last one looked at has not.
  const goesOn = newest.nextCursor !== null && newest.items.at(-1)?.state === 'pending';
  return bounded(older + fresh.length, goesOn || failing.length === maxFailing);
}

/** Nothing is never "at least nothing". */
function bounded(found: number, isMore: boolean): Counted {
  return { count: Math.min(found, maxWaiting), isMore: found > maxWaiting || (isMore && found > 0) };
}
