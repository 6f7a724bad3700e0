/** Health of an account's channels, from stored state. */
import { findProblems, unknownHealth } from '../../domain/channels/health.ts';
import { isOperable } from '../../domain/licences/operability.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import { listChannels } from './list.ts';
import type { FaringChannel } from './types.ts';

/** Three queries for any number of channels; makes no upstream call. */
export async function channelsFaring(
  deps: UseCaseDeps,
  caller: Caller,
  page: PageRequest,
): Promise<Page<FaringChannel>> {
  const found = await listChannels(deps, caller, page);
  const withSeen = deps.activity.reader();
  const known = await deps.stores.health.ofAll(found.items.map(({ channel }) => channel.id));
  const byId = new Map(known.map((health) => [health.channelId, health]));
  const now = deps.clock.now();
  const items = found.items.map((each) => {
    const { channel, subscription } = each;
    const health = withSeen(byId.get(channel.id) ?? unknownHealth(channel.id));
    const hasLicence = isOperable(subscription, now, deps.settings.graceMs);
    return { ...each, health, problems: findProblems(channel, health, hasLicence) };
  });
  return { items, nextCursor: found.nextCursor };
}
