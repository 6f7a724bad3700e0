import { fault } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { eraseUnkept } from '../deliveries/kept.ts';
import { noSuchChannel } from './find.ts';
import { unsubscribeLater } from './unsubscribe.ts';

/**
 * Soft delete: id, history, claim and slot are kept. Idempotent: a second DELETE also finishes what the first could not.
 * Throws 404 `not_found`. [spec: Channel activity; operator-interface §4]
 */
export async function deactivateChannel(deps: UseCaseDeps, caller: Caller, channelId: string): Promise<void> {
  const channel = await deps.stores.channels.deactivate(channelId, caller.accountId);
  if (channel === null) throw noSuchChannel();
  await announceChange(deps, channelId);
  await eraseUnkept(deps, channelId, channel);
  await unsubscribeLater(deps, channel);
}

/**
 * Frees the upstream identity of an inactive channel for any account, and its licence slot for another channel. The channel can't be
 * revived afterwards. [spec: Channel activity: requires support] Throws 404 `not_found`, 409 `conflict` while the channel is active.
 */
export async function releaseClaim(deps: UseCaseDeps, channelId: string): Promise<void> {
  const isReleased = await deps.stores.channels.releaseClaim(channelId);
  if (!isReleased) throw await whyNot(deps, channelId);
  await announceChange(deps, channelId);
}

async function whyNot(deps: UseCaseDeps, channelId: string): Promise<Error> {
  const channel = await deps.stores.channels.byId(channelId);
  if (channel === null) return noSuchChannel();
  return fault('conflict', { why: 'The channel is active; deactivate it before its claim is released' });
}
