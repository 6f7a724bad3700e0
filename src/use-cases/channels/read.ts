import type { Caller } from '../caller.ts';
import type { ChannelWithLicence } from './types.ts';
import type { UseCaseDeps } from '../deps.ts';
import { findChannel, findLicence } from './find.ts';

/** Past the cache: a client that has just changed a channel on another node reads what it wrote. Throws 404 `not_found`. */
export async function readChannel(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
): Promise<ChannelWithLicence> {
  const channel = await findChannel(deps, caller, channelId);
  return { channel, subscription: await findLicence(deps, channel) };
}
