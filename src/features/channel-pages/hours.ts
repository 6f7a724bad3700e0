import { trying } from '../../pages/forms/problems.ts';
import type { ChannelHours } from '../deliveries/index.ts';
import type { SignedInContext } from '../route.ts';

/** The last 24 hours of the person's channels with these ids; of none if they cannot be counted now. */
export async function hoursOf(
  { world, caller }: SignedInContext,
  channelIds: readonly string[],
): Promise<ReadonlyMap<string, ChannelHours>> {
  const tried = await trying(() => world.channelHours.ofEach(caller.accountId, channelIds));
  return 'done' in tried ? tried.done : new Map<string, ChannelHours>();
}
