/** The deliveries of an account, of one of its channels, or of an endpoint of one, readable in both directions. [portal: Deliveries] */
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { cursorAt } from '../../kernel/paging.ts';
import type { TwoWayPageRequest } from '../../kernel/paging.ts';
import { readLog, showLogged } from './log.ts';
import type { DeliveryQuestion } from './log.ts';
import type { LoggedDelivery } from './logged.ts';
import type { DeliveryPage } from './types.ts';
import { findChannel } from '../channels/index.ts';

/** Deliveries examined per page: some 20 ms. */
const lookAt = 2_000;

type AskedAll = DeliveryQuestion & {
  /** null: all channels. */
  channelId: string | null;
};

/** Throws 404 `not_found` for a channel of another account. */
export async function listAccountDeliveries(
  world: World,
  caller: Caller,
  asked: AskedAll,
  page: TwoWayPageRequest,
): Promise<DeliveryPage> {
  if (asked.channelId !== null) await findChannel(world, caller, asked.channelId);
  return world.searches.run(caller.accountId, () => listTwoWay(world, caller.accountId, asked, page));
}

async function listTwoWay(
  world: World,
  accountId: string,
  asked: AskedAll,
  page: TwoWayPageRequest,
): Promise<DeliveryPage> {
  const where = { accountId, channelId: asked.channelId, endpointId: asked.endpointId };
  const { items, nextCursor } = await readLog(world, where, asked, page, lookAt);
  // No newer items are left: return the full newest page, not a partial one.
  if (page.isBack && nextCursor === null) return listTwoWay(world, accountId, asked, newest(page));
  const [channels, endpoints] = await Promise.all([
    world.stores.channels.among(
      accountId,
      items.map(({ channelId }) => channelId),
    ),
    addressesOf(world, accountId, items),
  ]);
  const shown = items.flatMap((delivery) => {
    const channel = channels.get(delivery.channelId);
    return channel === undefined ? [] : showLogged(world, channel, delivery);
  });
  const first = cursorAt(items[0]) ?? page.cursor;
  const named = { channels, endpoints };
  if (page.isBack)
    return { items: shown.toReversed(), nextCursor: first, previousCursor: nextCursor, ...named };
  return { items: shown, nextCursor, previousCursor: page.cursor === null ? null : first, ...named };
}

async function addressesOf(
  { stores }: World,
  accountId: string,
  items: readonly LoggedDelivery[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(items.flatMap(({ endpointId }) => endpointId ?? []));
  if (ids.size === 0) return new Map();
  const found = await stores.endpoints.among(accountId, [...ids]);
  return new Map(found.map(({ id, url }) => [id, url]));
}

const newest = ({ limit }: TwoWayPageRequest): TwoWayPageRequest => ({ limit, cursor: null, isBack: false });
