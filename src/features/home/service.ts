/** The portal's Home page: first steps, then figures of the last day and open problems. */
import type { Channel } from '../../rules/channels/channel.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { Page } from '../../kernel/paging.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { continueVisit } from '../../rules/person.ts';
import { testEvent } from '../../rules/events/table.ts';
import { parseAttempts } from '../../rules/webhooks/delivery.ts';
import { hourMs, dayMs } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { listChannelsWithHealth, readChannelsWithHealth } from '../channels/index.ts';
import type { ChannelWithHealth } from '../channels/index.ts';
import { addCounts, emptyHour, findHour, noCounts } from '../deliveries/index.ts';
import type { DeliveryCounts, DeliveryHour, LoggedDelivery } from '../deliveries/index.ts';

/** A count; `isMore`: a lower bound. */
export interface Counted {
  count: number;
  isMore: boolean;
}

export interface HomeOverview {
  hasKey: boolean;
  /** The first channels of the account. */
  channels: Page<ChannelWithHealth>;
  /** Of the others, those in trouble and those whose events were given up. */
  troubledOthers: readonly ChannelWithHealth[];
  /** Last 24 hours, oldest first. */
  hours: readonly (Pick<DeliveryCounts, 'delivered' | 'retried' | 'givenUp'> & { at: number })[];
  /** Sum of the 24 hours. */
  day: DeliveryCounts;
  /** Deliveries acknowledged by receivers since midnight UTC. */
  takenToday: number;
  /** `ofFirst`: in so many first channels of more; null: in all. */
  waiting: Counted & { ofFirst: number | null };
  givenUp: GivenUpNews;
  /** Licences that end soon and are not renewed, earliest end first. */
  endingLicences: readonly Subscription[];
}

/** Deliveries given up since the person's last visit; `since` null: first visit. */
export interface GivenUpNews {
  since: number | null;
  /** Latest failure first. */
  channels: readonly (Counted & { channel: Channel })[];
  /** Some channels with failures were not examined. */
  isMore: boolean;
}

const hoursShown = 24;
/** Channels examined; of the others of an account that has more, those in trouble are looked up. */
const maxChannels = 100;
const maxAiling = 50;
const maxFailed = 200;
const maxOthers = 100;
const maxEnding = 200;
const maxWaiting = 10_000;
const endsSoonMs = 7 * dayMs;

/** Makes no upstream call. The call counts as a visit: the next one shows deliveries given up from now on. */
export async function homeOverview(world: World, caller: Caller): Promise<HomeOverview> {
  const { accountId } = caller;
  const now = world.clock.now();
  const [keys, channels, subscriptions] = await Promise.all([
    world.stores.keys.page(accountId, { limit: 1, cursor: null }),
    listChannelsWithHealth(world, caller, { limit: maxChannels, cursor: null }),
    world.stores.subscriptions.endingOf(accountId, now + endsSoonMs, maxEnding),
  ]);
  const channelIds = channels.items.map(({ channel }) => channel.id);
  const troubledOthers = channels.nextCursor === null ? [] : await lookUpOthers(world, caller, channelIds);
  const [hours, waiting, givenUp] = await Promise.all([
    lastHours(world, accountId, channelIds),
    countWaiting(world, channelIds, channels.nextCursor === null),
    findNews(world, caller, [...channels.items, ...troubledOthers]),
  ]);
  return {
    hasKey: keys.items.length > 0,
    channels,
    troubledOthers,
    hours,
    ...sumUp(hours, now),
    waiting,
    givenUp,
    endingLicences: listEnding(subscriptions, now, world.settings.graceMs),
  };
}

/** Along the account's indexes of what is wrong, so that no other channel is read. */
async function lookUpOthers(
  world: World,
  { accountId }: Caller,
  examined: readonly string[],
): Promise<ChannelWithHealth[]> {
  const { stores, clock, settings } = world;
  const since = clock.now() - settings.deliveryLogMs;
  const page = { limit: maxFailed, cursor: null };
  const [ailing, failed] = await Promise.all([
    stores.health.ailing(accountId, maxAiling),
    stores.deliveryLog.list({ accountId, channelId: null, since, event: null, state: 'failed', page }),
  ]);
  const ids = new Set([...ailing, ...failed.items.map(({ channelId }) => channelId)]);
  for (const id of examined) ids.delete(id);
  return readChannelsWithHealth(world, { accountId }, [...ids].slice(0, maxOthers));
}

/** Includes this node's counts at once, those of other nodes within a minute. */
async function lastHours(
  { deliveryTally, clock }: World,
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
  // A node that died may have lost what a replay takes back.
  return [...hours.values()].map((hour) => ({ ...hour, givenUp: Math.max(0, hour.givenUp) }));
}

function sumUp(hours: readonly DeliveryHour[], now: number): Pick<HomeOverview, 'day' | 'takenToday'> {
  const day = noCounts();
  let takenToday = 0;
  const midnight = now - (now % dayMs);
  for (const hour of hours) {
    addCounts(day, hour);
    if (hour.at >= midnight) takenToday += hour.delivered + hour.retried;
  }
  return { day, takenToday };
}

/** One query per channel, so only the first channels are counted. */
async function countWaiting(
  { stores }: World,
  channelIds: readonly string[],
  isAll: boolean,
): Promise<HomeOverview['waiting']> {
  const found = await stores.deliveryLog.countPending({ channelIds, limit: maxWaiting + 1 });
  const count = Math.min(found, maxWaiting);
  return { count, isMore: found > count, ofFirst: isAll ? null : channelIds.length };
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

/** Most failing channels examined, latest failure first. */
const maxLookedAt = 20;
const maxCounted = 100;
/** Longest time between creation and giving up: waiting plus all attempts. */
const madeBeforeMs = 7_200_000;

/** Deliveries given up since the person's last visit of Home. */
async function findNews(
  world: World,
  caller: Caller,
  channels: readonly ChannelWithHealth[],
): Promise<GivenUpNews> {
  const since = await noteVisit(world, caller);
  const logged = world.clock.now() - world.settings.deliveryLogMs;
  const from = Math.max(since ?? 0, logged);
  // A delivery is given up only after a failed attempt.
  const failed = channels
    .filter(({ health }) => (health.deliveryFailedAt ?? 0) >= from)
    .toSorted((a, b) => (b.health.deliveryFailedAt ?? 0) - (a.health.deliveryFailedAt ?? 0));
  const counted = await Promise.all(
    failed.slice(0, maxLookedAt).map(async ({ channel }) => {
      const { accountId } = caller;
      return { channel, ...(await countGivenUp(world, { accountId, channelId: channel.id, from, logged })) };
    }),
  );
  return { since, channels: counted.filter(({ count }) => count > 0), isMore: failed.length > maxLookedAt };
}

/** Time of this person's last visit; records this one without waiting for the write. */
async function noteVisit({ stores, clock, log }: World, { person }: Caller): Promise<number | null> {
  const known = person === undefined ? null : await stores.people.byId(person.id);
  if (known === null) return null;
  const { since, noted } = continueVisit(known, clock.now());
  if (noted !== null)
    stores.people
      .noteLook(known.id, noted)
      .catch((thrown: unknown) =>
        log.warn({ error: asError(thrown), person: known.id }, 'portal.not-noted-seen'),
      );
  return since;
}

async function countGivenUp(
  { stores }: World,
  { from, logged, ...where }: { accountId: string; channelId: string; from: number; logged: number },
): Promise<Counted> {
  const { items } = await stores.deliveryLog.list({
    ...where,
    since: Math.max(logged, from - madeBeforeMs),
    event: null,
    state: 'failed',
    page: { limit: maxCounted + 1, cursor: null },
  });
  const count = items.filter((delivery) => delivery.event !== testEvent && endedAt(delivery) > from).length;
  return { count: Math.min(count, maxCounted), isMore: count > maxCounted };
}

/** End of the last attempt; for a delivery without attempts its creation is the best known time. */
function endedAt({ attemptLog, createdAt }: LoggedDelivery): number {
  const last = parseAttempts(attemptLog).at(-1);
  return last === undefined ? createdAt : last.at + last.durationMs;
}
