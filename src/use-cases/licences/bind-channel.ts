import { fault } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import { noSuchChannel } from '../channels/find.ts';
import type { UseCaseDeps } from '../deps.ts';

/**
 * Binds a channel to a licence of its own account; null unbinds it. Throws 404 `not_found` (channel or licence, a licence of
 * another account included), 409 `conflict` if another channel holds the slot. [operator-interface §3]
 */
export async function bindChannel(
  deps: UseCaseDeps,
  channelId: string,
  subscriptionId: string | null,
): Promise<void> {
  const result = await deps.stores.channels.bind(channelId, subscriptionId);
  if (result === 'absent') throw await whatIsAbsent(deps, channelId);
  if (result === 'slot_taken') {
    throw fault('conflict', { why: 'Another channel of this type is bound to the subscription' });
  }
  await announceChange(deps, channelId);
}

async function whatIsAbsent(deps: UseCaseDeps, channelId: string): Promise<Error> {
  const channel = await deps.stores.channels.byId(channelId);
  return channel === null ? noSuchChannel() : fault('not_found', { what: 'Subscription' });
}
