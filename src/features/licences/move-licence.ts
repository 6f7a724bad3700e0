/**
 * A channel of an account gets a licence that lies free: its slot of this kind is empty, or a removed channel holds it. The specification
 * lets an inactive channel keep its slot while it is bound; so it is unbound first. [spec: Subscription; faults: 397]
 */
import type { Caller } from '../../rules/caller.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import { fault } from '../../kernel/faults.ts';
import type { World } from '../world.ts';
import { licencePage } from './newest-slots.ts';
import { bindChannel } from './subscriptions.ts';

/** `holder`: the removed channel that has its slot; null: the slot is empty. */
interface FreeLicence {
  subscription: Subscription;
  holder: Channel | null;
}

const licencesRead = 100;

/** Of the account's newest licences, those that the channel can move to; none if its ownership was released. */
export async function freeLicences(
  world: World,
  { accountId }: Pick<Caller, 'accountId'>,
  channel: Pick<Channel, 'id' | 'channelType' | 'identity'>,
): Promise<FreeLicence[]> {
  if (channel.identity === null) return [];
  const { stores, clock, settings } = world;
  const now = clock.now();
  const [{ items }, reserved] = await Promise.all([
    licencePage(world, { accountId }, { limit: licencesRead, cursor: null }),
    stores.channels.reservedSlots(accountId, now),
  ]);
  const awaited = new Set(
    reserved.flatMap((slot) => (slot.channelType === channel.channelType ? [slot.subscriptionId] : [])),
  );
  return items.flatMap(({ subscription, channels }) => {
    const holder = channels.find(({ channelType }) => channelType === channel.channelType) ?? null;
    const isFree =
      !awaited.has(subscription.id) && (holder === null || (!holder.isActive && holder.id !== channel.id));
    return isFree && isOperable(subscription, now, settings.graceMs) ? [{ subscription, holder }] : [];
  });
}

/** Throws 409 `conflict` if the licence lies free no more, 404 `not_found`. */
export async function moveLicence(
  world: World,
  caller: Caller,
  channel: Pick<Channel, 'id' | 'channelType' | 'identity'>,
  subscriptionId: string,
): Promise<void> {
  const free = await freeLicences(world, caller, channel);
  const chosen = free.find(({ subscription }) => subscription.id === subscriptionId);
  if (chosen === undefined) throw fault('conflict', { why: 'This licence has no free slot for the channel' });
  // One that was connected again meanwhile keeps its licence.
  if (chosen.holder !== null)
    await bindChannel(world, caller.by, chosen.holder.id, null, { subscriptionId, isActive: false });
  await bindChannel(world, caller.by, channel.id, subscriptionId);
}
