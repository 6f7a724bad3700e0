import { announceChange } from '../announce-change.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { eraseUnkept } from '../deliveries/kept.ts';
import { noSuchChannel } from './find.ts';
import { unsubscribeLater } from './unsubscribe.ts';

/**
 * Soft delete: id, history, claim and slot are kept. A second DELETE is fine, and finishes what the first could not.
 * Throws 404 `not_found`. [spec: Channel activity; operator-interface §4]
 */
export async function deactivateChannel(deps: UseCaseDeps, caller: Caller, channelId: string): Promise<void> {
  const channel = await deps.stores.channels.deactivate(channelId, caller.accountId);
  if (channel === null) throw noSuchChannel();
  await announceChange(deps, channelId);
  await eraseUnkept(deps, channelId, channel);
  await unsubscribeLater(deps, channel);
}
