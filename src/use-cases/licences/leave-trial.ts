import type { Channel } from '../../domain/channels/channel.ts';
import { isOperable } from '../../domain/licences/operability.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';
import { channelTypes } from '../../domain/vocabulary.ts';
import { announceChange } from '../announce-change.ts';
import type { UseCaseDeps } from '../deps.ts';

/**
 * Who pays goes on with the channels there are: of each type one active channel whose licence is a trial, or works no more, moves
 * to the free slot of the paid one. Without it a channel would stop with its trial although a licence is paid. One that an
 * operator unbound stays unbound. [operator-interface §4: several subscriptions with a free slot]
 */
export async function leaveTrial(
  deps: UseCaseDeps,
  paid: Subscription,
  channels: readonly Channel[],
): Promise<void> {
  const now = deps.clock.now();
  const { graceMs } = deps.settings;
  if (!isOperable(paid, now, graceMs)) return;
  const all = await deps.stores.subscriptions.list(paid.accountId);
  const left = new Set(
    all
      .filter((each) => each.id !== paid.id && (each.source === 'trial' || !isOperable(each, now, graceMs)))
      .map(({ id }) => id),
  );
  for (const type of channelTypes) {
    const ofType = channels.filter(({ channelType }) => channelType === type);
    if (ofType.some(({ subscriptionId }) => subscriptionId === paid.id)) continue;
    const waiting = ofType.filter(
      ({ isActive, subscriptionId }) => isActive && subscriptionId !== null && left.has(subscriptionId),
    );
    const oldest = waiting.toSorted((a, b) => a.createdAt - b.createdAt)[0];
    if (oldest !== undefined) await move(deps, oldest.id, paid.id);
  }
}

/** A slot that somebody took meanwhile stays theirs. */
async function move(deps: UseCaseDeps, channelId: string, subscriptionId: string): Promise<void> {
  const result = await deps.stores.channels.bind(channelId, subscriptionId);
  if (result === 'bound') await announceChange(deps, channelId);
}
