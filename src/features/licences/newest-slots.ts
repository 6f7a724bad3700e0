/** The slots of an account's newest licences: pages ask this, whatever the number of licences. */
import type { Caller } from '../../rules/caller.ts';
import { byChannelType } from '../../rules/vocabulary.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { World } from '../world.ts';
import { availableSlots } from './slots.ts';
import type { AvailableSlots } from './slots.ts';
import type { SubscriptionWithChannels } from './types.ts';

const licencesRead = 100;

interface NewestSlots {
  free: AvailableSlots;
  used: Record<ChannelType, number>;
  /** The slots are of so many newest licences; null: of all. */
  ofNewest: number | null;
}

/** A slot held by an unexchanged code is not free. */
export async function newestSlots(
  { stores, clock, settings }: World,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<NewestSlots> {
  const now = clock.now();
  const { items, nextCursor } = await stores.subscriptions.page(accountId, {
    limit: licencesRead,
    cursor: null,
  });
  const [held, reserved] = await Promise.all([
    stores.channels.slotsOf(
      accountId,
      items.map(({ id }) => id),
    ),
    stores.channels.reservedSlots(accountId, now),
  ]);
  return {
    free: availableSlots(items, [...held, ...reserved], now, settings.graceMs),
    used: byChannelType((type) => held.filter(({ channelType }) => channelType === type).length),
    ofNewest: nextCursor === null ? null : items.length,
  };
}

/** A page of the account's licences, newest first, with the channels that use them. */
export async function licencePage(
  { stores }: Pick<World, 'stores'>,
  { accountId }: Pick<Caller, 'accountId'>,
  page: PageRequest,
): Promise<Page<SubscriptionWithChannels>> {
  const { items, nextCursor } = await stores.subscriptions.page(accountId, page);
  const held = await stores.channels.onLicences(
    accountId,
    items.map(({ id }) => id),
  );
  const bound = groupBy(held, ({ subscriptionId }) => subscriptionId);
  const shown = items.map((subscription) => ({ subscription, channels: bound.get(subscription.id) ?? [] }));
  return { items: shown, nextCursor };
}
