import type { BillingEvent, BillingOutcome } from './billing.ts';
import { fault } from '../../kernel/faults.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import type { World } from '../world.ts';
import { everything } from '../../kernel/paging.ts';
import { rebindOrMail } from './rebind-channels.ts';
import { announceChange, intendChange } from '../channels/index.ts';

type CountedOutcome = BillingOutcome | 'other_type' | 'unreadable';

/**
 * Handles one POST of the payment provider; resolves when its effect is durable and announced to every node. An event without effect
 * is counted and acknowledged: the provider would repeat it for days with the same result. Throws 400 `bad_request`
 * for a POST that the provider has not signed, 404 without a configured provider. [operator-interface §3, Billing]
 */
export async function receiveBillingEvent(world: World, raw: Uint8Array, signature: string): Promise<void> {
  if (world.billing === null) throw fault('unknown_path');
  const news = await world.billing.read(raw, signature);
  if (news.kind === 'other') return count(world, 'other_type');
  if (news.kind === 'unreadable') {
    world.log.warn({ eventId: news.eventId }, 'billing.event-unreadable');
    return count(world, 'unreadable');
  }
  const outcome = await applyEvent(world, news.event);
  count(world, outcome);
  const { eventId, externalId } = news.event;
  const isStrange = outcome.startsWith('unknown') || outcome === 'other_account';
  if (isStrange) world.log.warn({ eventId, externalId, outcome }, 'billing.event-not-applied');
}

function count(world: World, outcome: CountedOutcome): void {
  world.counters.increment('billing_events_total', { outcome });
}

async function applyEvent(world: World, event: BillingEvent): Promise<BillingOutcome> {
  const { accounts, subscriptions, channels } = world.stores;
  if (event.accountId !== null && (await accounts.byId(event.accountId)) === null) return 'unknown_account';
  const { outcome, subscription } = await subscriptions.bill(event, world.clock.now());
  // `seen` repeats the steps below: the node that applied the event may have died before them.
  if (subscription === null || (outcome !== 'applied' && outcome !== 'seen')) return outcome;
  const all = await channels.list(subscription.accountId, everything);
  const bound = all.items.filter((channel) => channel.subscriptionId === subscription.id);
  // After the write: the provider repeats an event whose node dies before it has answered.
  await intendChange(world, ...bound.map(({ id }) => id));
  await Promise.all(bound.map((channel) => announceChange(world, channel.id)));
  await leaveTrial(world, subscription, all.items);
  await rebindOrMail(world, subscription);
  return outcome;
}

/**
 * Moves channels to the paid licence: per type one active channel, the oldest whose licence is a trial or not operable. Otherwise
 * a channel would stop with its trial although a licence is paid. A channel that an operator unbound
 * stays unbound. [operator-interface §4: several subscriptions with a free slot]
 */
async function leaveTrial(world: World, paid: Subscription, channels: readonly Channel[]): Promise<void> {
  const now = world.clock.now();
  const { graceMs } = world.settings;
  if (!isOperable(paid, now, graceMs)) return;
  const all = await world.stores.subscriptions.list(paid.accountId);
  const left = new Set(
    all.filter((each) => each.source === 'trial' || !isOperable(each, now, graceMs)).map(({ id }) => id),
  );
  for (const type of channelTypes) {
    // They are listed oldest first.
    const oldest = channels.find(
      ({ channelType, isActive, subscriptionId }) =>
        channelType === type && isActive && subscriptionId !== null && left.has(subscriptionId),
    );
    if (oldest !== undefined) await moveIfFree(world, oldest, paid.id);
  }
}

/** Does nothing if the slot is taken, or if the channel was unbound, moved or removed since it was read. */
async function moveIfFree(
  world: World,
  { id, subscriptionId: leaves, isActive }: Channel,
  subscriptionId: string,
): Promise<void> {
  await intendChange(world, id);
  const result = await world.stores.channels.bind(id, subscriptionId, { subscriptionId: leaves, isActive });
  if (typeof result === 'object') await announceChange(world, id);
}
