/** What a person sees first: what is to be done to begin, then whether it works and what needs somebody. */
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
/** Of an account with more, the first ones are looked at: a handful of queries and no more. */
const maxChannels = 500;
const maxWaiting = 10_000;
const maxCountedChannels = 100;
const endsSoonMs = 7 * 86_400_000;

/** Upstream is not asked. A person who asks has looked: what is given up from now on is news the next time. */
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

/** What other nodes have counted is there within a minute, what this one has is there at once. */
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

/** A question for each channel, so it is asked of the first ones. */
async function countWaiting({ stores }: UseCaseDeps, channelIds: readonly string[]): Promise<Counted> {
  const some = channelIds.slice(0, maxCountedChannels);
  const found = await stores.deliveryLog.countPending({ channelIds: some, limit: maxWaiting + 1 });
  const count = Math.min(found, maxWaiting);
  return { count, isMore: found > count || channelIds.length > some.length };
}

/** One that is renewed by itself is listed once its time is over: then the provider has not been paid. */
function listEnding(subscriptions: readonly Subscription[], now: number, graceMs: number): Subscription[] {
  const ending = subscriptions.flatMap((subscription) => {
    const { expiresAt, autoRenew } = subscription;
    if (expiresAt === null || !isOperable(subscription, now, graceMs)) return [];
    return expiresAt - now <= (autoRenew ? 0 : endsSoonMs) ? [{ subscription, expiresAt }] : [];
  });
  return ending.toSorted((a, b) => a.expiresAt - b.expiresAt).map(({ subscription }) => subscription);
}
