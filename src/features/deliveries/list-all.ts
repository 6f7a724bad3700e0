/** Merges the delivery logs of an account's channels into one list, readable in both directions. [portal: Deliveries] */
import type { Channel } from '../../rules/channels/channel.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { cursorAt, newestFirst, oldestFirst } from '../../kernel/paging.ts';
import type { Page, PagePosition, TwoWayPageRequest } from '../../kernel/paging.ts';
import { readLog } from './log.ts';
import type { DeliveryQuestion } from './log.ts';
import type { DeliveryPage, ShownDelivery } from './types.ts';
import { findChannel } from '../channels/index.ts';

/** Channels whose logs are merged. */
const maxChannels = 200;
const channelsAtOnce = 20;
/** Smallest first read of a channel, however many channels are merged. */
const leastPerChannel = 5;
/** Most further reads, after the first of each channel, to fill a page. */
const moreReads = 10;
/** Deliveries examined: of all channels together, and bounds per channel. */
const lookedAt = { together: 10_000, least: 200, most: 5_000 };

/** `channelId` null: all channels. Throws 404 `not_found` for a channel of another account. */
export async function listAccountDeliveries(
  world: World,
  caller: Caller,
  { channelId, ...question }: DeliveryQuestion & { channelId: string | null },
  page: TwoWayPageRequest,
): Promise<DeliveryPage> {
  const found = await findChannels(world, caller, channelId);
  return world.searches.run(caller.accountId, () => listTwoWay(world, found, question, page));
}

async function listTwoWay(
  world: World,
  { channels, areAll }: FoundChannels,
  question: DeliveryQuestion,
  page: TwoWayPageRequest,
): Promise<DeliveryPage> {
  const share = Math.ceil(lookedAt.together / Math.max(1, channels.length));
  const lookAt = Math.min(lookedAt.most, Math.max(lookedAt.least, share));
  const read: ReadLog = (channel, cursor, limit) =>
    readLog(world, channel, question, { ...page, limit, cursor }, lookAt);
  const found = await merge(channels, read, page);
  const { items, nextCursor } = found;
  const first = cursorAt(items[0]) ?? page.cursor;
  if (!page.isBack)
    return { items, nextCursor, previousCursor: page.cursor === null ? null : first, areAllChannels: areAll };
  if (nextCursor === null)
    // No newer items are left: return the full newest page, not a partial one.
    return listTwoWay(world, { channels, areAll }, question, newest(page));
  return { items: items.toReversed(), nextCursor: first, previousCursor: nextCursor, areAllChannels: areAll };
}

const newest = ({ limit }: TwoWayPageRequest): TwoWayPageRequest => ({ limit, cursor: null, isBack: false });

interface FoundChannels {
  channels: readonly Channel[];
  areAll: boolean;
}

/** `channelId` null: the first channels of the account; `areAll` false: it has more. Throws 404 `not_found`. */
export async function findChannels(
  world: World,
  caller: Caller,
  channelId: string | null,
): Promise<FoundChannels> {
  if (channelId !== null) return { channels: [await findChannel(world, caller, channelId)], areAll: true };
  const page = { limit: maxChannels, cursor: null };
  const { items, nextCursor } = await world.stores.channels.list(caller.accountId, page);
  return { channels: items, areAll: nextCursor === null };
}

type ReadLog = (channel: Channel, cursor: PagePosition | null, limit: number) => Promise<Page<ShownDelivery>>;

/** `next` null: the log is read to its end. */
interface Stream {
  channel: Channel;
  found: ShownDelivery[];
  next: PagePosition | null;
}

/** Reads a little of each log, then more of the log whose read part ends first, until a page is complete before every such end. */
async function merge(
  channels: readonly Channel[],
  read: ReadLog,
  { limit, cursor, isBack }: TwoWayPageRequest,
): Promise<Page<ShownDelivery>> {
  const inOrder = isBack ? oldestFirst : newestFirst;
  const isBefore = (a: PagePosition, b: PagePosition): boolean => inOrder(a, b) < 0;
  const slice = Math.min(limit, Math.max(leastPerChannel, Math.ceil((2 * limit) / channels.length)));
  const streams: Stream[] = [];
  for (let at = 0; at < channels.length; at += channelsAtOnce) {
    const some = channels.slice(at, at + channelsAtOnce);
    const pages = await Promise.all(some.map((channel) => read(channel, cursor, slice)));
    for (const [n, channel] of some.entries())
      streams.push({ channel, found: pages[n]?.items ?? [], next: pages[n]?.nextCursor ?? null });
  }
  for (let reads = 0; ; reads += 1) {
    const cut = firstCut(streams, isBefore);
    const known = streams
      .flatMap(({ found }) => found)
      .filter((each) => cut === null || !isBefore(cut.next, each))
      .toSorted(inOrder);
    const items = known.slice(0, limit);
    const isWhole = known.length > limit || (known.length === limit && cut !== null);
    if (isWhole) return { items, nextCursor: cursorAt(items.at(-1)) };
    if (cut === null || reads === moreReads) return { items, nextCursor: cut?.next ?? null };
    const more = await read(cut.stream.channel, cut.next, limit);
    cut.stream.found.push(...more.items);
    cut.stream.next = more.nextCursor;
  }
}

/** The first position whose successors may be unread in some log: order beyond it is uncertain. */
function firstCut(
  streams: readonly Stream[],
  isBefore: (a: PagePosition, b: PagePosition) => boolean,
): { stream: Stream; next: PagePosition } | null {
  let first: { stream: Stream; next: PagePosition } | null = null;
  for (const stream of streams) {
    const { next } = stream;
    if (next !== null && (first === null || isBefore(next, first.next))) first = { stream, next };
  }
  return first;
}
