import { isOperable } from '../../rules/licences/operability.ts';
import { availableSlots } from './slots.ts';
import type { SlotHolder } from './slots.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { yieldToLoop } from '../../kernel/clock.ts';
import type { Caller } from '../../rules/caller.ts';
import type { SubscriptionList } from './types.ts';
import { everything, isNewer, oldestFirst } from '../../kernel/paging.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import type { World } from '../world.ts';
import { readQueued } from '../../kernel/search-queue.ts';

/**
 * The account's licences, newest first, with the channels bound to them. Only the list is paged; `activeTotal` and the free
 * slots cover the whole account; a slot held by an unexchanged code is not free. [spec: SubscriptionsResponse;
 * operator-interface §4]
 */
export async function listSubscriptions(
  world: World,
  { accountId }: Pick<Caller, 'accountId'>,
  page: PageRequest,
): Promise<SubscriptionList> {
  const now = world.clock.now();
  const [subscriptions, { holders, on }, reserved] = await Promise.all([
    world.stores.subscriptions.list(accountId),
    readHolders(world, accountId, page),
    world.stores.channels.reservedSlots(accountId, now),
  ]);
  const { graceMs } = world.settings;
  const { items, nextCursor } = cutPage(subscriptions, page);
  const activeTotal = subscriptions.filter((each) => isOperable(each, now, graceMs)).length;
  await yieldToLoop(); // each step takes some ms with ten thousand channels [faults: I9]
  const free = availableSlots(subscriptions, [...holders, ...reserved], now, graceMs);
  await yieldToLoop();
  const bound = groupBy(await on(items.map(({ id }) => id)), ({ subscriptionId }) => subscriptionId);
  await yieldToLoop();
  return {
    items: items.map((subscription) => ({ subscription, channels: bound.get(subscription.id) ?? [] })),
    nextCursor,
    activeTotal,
    availableSlots: free,
    asOf: now,
  };
}

interface Holders {
  holders: readonly SlotHolder[];
  /** The channels on these licences, the oldest first. */
  on: (licenceIds: readonly string[]) => Promise<readonly Channel[]>;
}

/** All that hold a slot; whole channels only if the list has all of them. */
async function readHolders(world: World, accountId: string, { limit }: PageRequest): Promise<Holders> {
  const { channels } = world.stores;
  if (limit === null) {
    const { items } = await readQueued(world, accountId, everything, (some) =>
      channels.list(accountId, some),
    );
    return { holders: items, on: () => Promise.resolve(items) };
  }
  const held = await readQueued(world, accountId, everything, (some) => channels.heldSlots(accountId, some));
  return {
    holders: held.items,
    on: async (ids) => (await channels.onLicences(accountId, ids)).toSorted(oldestFirst),
  };
}

/** Paged in memory: all licences, a handful, are read anyway for the slots. */
function cutPage(all: readonly Subscription[], { limit, cursor }: PageRequest): Page<Subscription> {
  const rest = cursor === null ? all : all.filter((subscription) => isNewer(cursor, subscription));
  const items = rest.slice(0, limit ?? rest.length);
  const last = items.at(-1);
  const hasMore = last !== undefined && items.length < rest.length;
  return { items, nextCursor: hasMore ? { createdAt: last.createdAt, id: last.id } : null };
}
