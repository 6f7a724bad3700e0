/**
 * The kept deliveries of an account, by the channel or endpoint that they are for: one walk along the account's index, in slices, whatever
 * the number of channels.
 */
import type { Channel } from '../../rules/channels/channel.ts';
import type { KeptFilter } from '../../storage/kept-deliveries.ts';
import type { World } from '../world.ts';
import type { PagePosition } from '../../kernel/paging.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import type { KeptOfAccount } from './logged.ts';
import type { Replayed } from './replay.ts';

/** About 2 ms of reading before others have a turn. */
const perRead = 400;

interface KeptOfOwner extends Replayed {
  count: number;
}

/** By id of the owner. */
type ByOwner = ReadonlyMap<string, KeptOfOwner>;

/** Of active channels that keep failed deliveries. Ends once `most` are counted; null: all. */
export async function keptByOwner(
  { stores }: Pick<World, 'stores'>,
  accountId: string,
  which: KeptFilter,
  most: number | null = null,
): Promise<ByOwner> {
  const channels = new Map<string, Channel | null>();
  const found = new Map<string, KeptOfOwner>();
  let place: PagePosition | undefined = { createdAt: -1, id: '' };
  let count = 0;
  while (place !== undefined) {
    const slice: KeptOfAccount[] = await stores.deliveryLog.keptAfter(accountId, place, perRead);
    const matching = slice.filter((each) => matches(each, which));
    const unknown = matching.map(({ channelId }) => channelId).filter((id) => !channels.has(id));
    const known = unknown.length === 0 ? null : await stores.channels.among(accountId, unknown);
    for (const id of unknown) channels.set(id, known?.get(id) ?? null);
    for (const { channelId, endpointId } of matching) {
      const channel = channels.get(channelId);
      if (channel == null || !keeps(channel)) continue;
      const owner = ownerOf(channelId, endpointId);
      found.set(owner, { channel, endpointId, count: (found.get(owner)?.count ?? 0) + 1 });
      count += 1;
      if (count === most) return found;
    }
    place = slice.length < perRead ? undefined : slice.at(-1);
  }
  return found;
}

export function sumOf(found: ByOwner): number {
  let sum = 0;
  for (const { count } of found.values()) sum += count;
  return sum;
}

function matches({ keptSince, event }: KeptOfAccount, { since, until, events }: KeptFilter): boolean {
  if (keptSince === null || keptSince < since || keptSince > until) return false;
  return events === null || events.some((each) => each === event);
}

const keeps = ({ isActive, failedRetentionDays }: Channel): boolean => isActive && failedRetentionDays > 0;
