/** The portal's Home page: first steps, then figures of the last day and open problems. */
import { addCounts, emptyHour, findHour, hourMs, noCounts } from '../../domain/webhooks/delivery-hour.ts';
import type { DeliveryHour } from '../../domain/webhooks/delivery-hour.ts';
import { isOperable } from '../../domain/licences/operability.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import type { Caller } from '../caller.ts';
import { channelsFaring } from '../channels/overview.ts';
import type { UseCaseDeps } from '../deps.ts';
import { findNews } from './given-up.ts';
import type { Counted, HomeOverview } from './types.ts';

const hoursShown = 24;
/** Channels examined; the first ones if an account has more, to keep the number of queries small. */
const maxChannels = 500;
const maxWaiting = 10_000;
const maxCountedChannels = 100;
const endsSoonMs = 7 * 86_400_000;

/** Makes no upstream call. The call counts as a visit: the next one shows deliveries given up from now on. */
export async function homeOverview(deps: UseCaseDeps, caller: Caller): Promise<HomeOverview> {
  const { accountId } = caller;
  const now = deps.clock.now();
  const [keys, channels, subscriptions] = await Promise.all([
    deps.stores.keys.page(accountId, { limit: 1, cursor: null }),
    channelsFaring(deps, caller, { limit: maxChannels, cursor: null }),
    deps.stores.subscriptions.list(accountId),
  ]);
  const channelIds = channels.items.map(({ channel }) => channel.id);
  const [hours, waiting, givenUp] = await Promise.all([
    lastHours(deps, accountId, channelIds),
    countWaiting(deps, channelIds),
    findNews(deps, caller, channels),
  ]);
  return {
    hasKey: keys.items.length > 0,
    channels,
    hours,
    ...sumUp(hours, now),
    waiting,
    givenUp,
    endingLicences: listEnding(subscriptions, now, deps.settings.graceMs),
  };
}

/** Includes this node's counts at once, those of other nodes within a minute. */
async function lastHours(
  { deliveryTally, clock }: UseCaseDeps,
  accountId: string,
  channelIds: readonly string[],
): Promise<DeliveryHour[]> {
  const last = findHour(clock.now());
  const first = last - (hoursShown - 1) * hourMs;
  const hours = new Map<number, DeliveryHour>();
  for (let at = first; at <= last; at += hourMs) hours.set(at, emptyHour(accountId, at));
  for (const hour of await deliveryTally.hoursOf(accountId, channelIds, first)) {
    const known = hours.get(hour.at);
    if (known !== undefined) addCounts(known, hour);
  }
  return [...hours.values()];
}

function sumUp(hours: readonly DeliveryHour[], now: number): Pick<HomeOverview, 'day' | 'takenToday'> {
  const day = noCounts();
  let takenToday = 0;
  const midnight = now - (now % (24 * hourMs));
  for (const hour of hours) {
    addCounts(day, hour);
    if (hour.at >= midnight) takenToday += hour.delivered + hour.retried;
  }
  return { day, takenToday };
}

/** One query per channel, so only the first channels are counted. */
async function countWaiting({ stores }: UseCaseDeps, channelIds: readonly string[]): Promise<Counted> {
  const some = channelIds.slice(0, maxCountedChannels);
  const found = await stores.deliveryLog.countPending({ channelIds: some, limit: maxWaiting + 1 });
  const count = Math.min(found, maxWaiting);
  return { count, isMore: found > count || channelIds.length > some.length };
}

/** A licence with auto-renewal is listed only after its end: then the provider was not paid. */
function listEnding(subscriptions: readonly Subscription[], now: number, graceMs: number): Subscription[] {
  const ending = subscriptions.flatMap((subscription) => {
    const { expiresAt, autoRenew } = subscription;
    if (expiresAt === null || !isOperable(subscription, now, graceMs)) return [];
    return expiresAt - now <= (autoRenew ? 0 : endsSoonMs) ? [{ subscription, expiresAt }] : [];
  });
  return ending.toSorted((a, b) => a.expiresAt - b.expiresAt).map(({ subscription }) => subscription);
}
