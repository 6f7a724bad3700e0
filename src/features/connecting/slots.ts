import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import type { World } from '../world.ts';
import { everything } from '../../kernel/paging.ts';
import { chooseSlot } from '../licences/index.ts';

/** Snapshot of the account's licences and of the channels in their slots. `taken`: licences whose slot a lost race showed as occupied. */
export interface SlotSnapshot {
  channelType: ChannelType;
  subscriptions: readonly Subscription[];
  channels: readonly Channel[];
  taken: ReadonlySet<string>;
  now: number;
  graceMs: number;
}

export async function readSlots(
  world: World,
  request: { accountId: string; channelType: ChannelType },
): Promise<SlotSnapshot> {
  const { accountId, channelType } = request;
  const [subscriptions, channels] = await Promise.all([
    world.stores.subscriptions.list(accountId),
    world.stores.channels.list(accountId, everything),
  ]);
  const now = world.clock.now();
  const { graceMs } = world.settings;
  return { channelType, subscriptions, channels: channels.items, taken: new Set(), now, graceMs };
}

function withoutTaken({ subscriptions, taken }: SlotSnapshot): Subscription[] {
  return subscriptions.filter(({ id }) => !taken.has(id));
}

/** The licence in whose slot a new channel of this type would be; null: no slot is free. */
export function freeSlot(book: SlotSnapshot): Subscription | null {
  return chooseSlot(withoutTaken(book), book.channels, book.channelType, book.now, book.graceMs);
}

/** The licence in whose slot this channel is, if the licence is operable. [spec: Channel activity] */
export function ownSlot(book: SlotSnapshot, channel: Channel): Subscription | null {
  const held = withoutTaken(book).find(({ id }) => id === channel.subscriptionId) ?? null;
  return held !== null && isOperable(held, book.now, book.graceMs) ? held : null;
}

/**
 * Whether an inactive channel of this type could be revived in its own slot, or the channel to reconnect could keep its slot. A channel
 * whose claim was released can't: its identity makes a new channel, which needs a free slot. [spec: Subscriptions, reconnecting]
 */
export function canRevive(book: SlotSnapshot, reconnects: string | null): boolean {
  return book.channels.some(
    (channel) =>
      channel.channelType === book.channelType &&
      (reconnects === null ? !channel.isActive : channel.id === reconnects) &&
      channel.identity !== null &&
      ownSlot(book, channel) !== null,
  );
}
