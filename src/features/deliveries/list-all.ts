/** The deliveries of an account, or of one of its channels, readable in both directions. [portal: Deliveries] */
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { cursorAt } from '../../kernel/paging.ts';
import type { TwoWayPageRequest } from '../../kernel/paging.ts';
import { readLog, showLogged } from './log.ts';
import type { DeliveryQuestion } from './log.ts';
import type { DeliveryPage } from './types.ts';
import { findChannel } from '../channels/index.ts';

/** Deliveries examined per page: some 20 ms. */
const lookAt = 2_000;

type AskedAll = Omit<DeliveryQuestion, 'endpointId'> & {
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
  const where = { accountId, channelId: asked.channelId };
  const { items, nextCursor } = await readLog(world, where, asked, page, lookAt);
  // No newer items are left: return the full newest page, not a partial one.
  if (page.isBack && nextCursor === null) return listTwoWay(world, accountId, asked, newest(page));
  const channels = await world.stores.channels.among(
    accountId,
    items.map(({ channelId }) => channelId),
  );
  const shown = items.flatMap((delivery) => {
    const channel = channels.get(delivery.channelId);
    return channel === undefined ? [] : showLogged(world, channel, delivery);
  });
  const first = cursorAt(items[0]) ?? page.cursor;
  if (page.isBack)
    return { items: shown.toReversed(), nextCursor: first, previousCursor: nextCursor, channels };
  return { items: shown, nextCursor, previousCursor: page.cursor === null ? null : first, channels };
}

const newest = ({ limit }: TwoWayPageRequest): TwoWayPageRequest => ({ limit, cursor: null, isBack: false });
