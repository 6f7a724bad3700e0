/** What a person sees first: how the channels fare by what is known, and how many events the last hours had. */
import { problemsOf, unknownHealth } from '../../domain/channels/health.ts';
import { isOperable } from '../../domain/licences/operability.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { Page, PageRequest } from '../ports/paging.ts';
import { listChannels } from './list.ts';
import type { BusyHour, FaringChannel } from './types.ts';

const hourMs = 3_600_000;
const hoursShown = 24;
/** Of an account with more, the first ones are counted. */
const maxChannels = 20;
/** An hour of one channel that has more is told as this many. */
const maxCounted = 1_000;

/** Three queries however many there are; upstream is not asked. */
export async function channelsFaring(
  deps: UseCaseDeps,
  caller: Caller,
  page: PageRequest,
): Promise<Page<FaringChannel>> {
  const found = await listChannels(deps, caller, page);
  const known = await deps.stores.health.ofAll(found.items.map(({ channel }) => channel.id));
  const byId = new Map(known.map((health) => [health.channelId, health]));
  const now = deps.clock.now();
  const items = found.items.map((each) => {
    const { channel, subscription } = each;
    const health = deps.activity.with(byId.get(channel.id) ?? unknownHealth(channel.id));
    const hasLicence = isOperable(subscription, now, deps.settings.graceMs);
    return { ...each, health, problems: problemsOf(channel, health, hasLicence) };
  });
  return { items, nextCursor: found.nextCursor };
}

/** The deliveries of the account's first channels in each of the last 24 hours, the oldest hour first. */
export async function busyHours(deps: UseCaseDeps, { accountId }: Caller): Promise<readonly BusyHour[]> {
  const { items } = await deps.stores.channels.list(accountId, { limit: maxChannels, cursor: null });
  const first = (Math.floor(deps.clock.now() / hourMs) - (hoursShown - 1)) * hourMs;
  const hours = Array.from({ length: hoursShown }, (_, hour) => ({ at: first + hour * hourMs, count: 0 }));
  for (const { id: channelId } of items) {
    const counts = await Promise.all(
      hours.map(({ at }) =>
        deps.stores.deliveryLog.count({ channelId, from: at, until: at + hourMs, limit: maxCounted }),
      ),
    );
    for (const [index, hour] of hours.entries()) hour.count += counts[index] ?? 0;
  }
  return hours;
}
