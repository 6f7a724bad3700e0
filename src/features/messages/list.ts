/**
 * The messages of an account, newest first: a merge of two lists, sent messages by their records, and received messages and echoes
 * by the deliveries of their events. [operator-interface §3]
 */
import type { MessageListQuery } from './list-store.ts';
import { personIn } from '../../rules/channels/recipient.ts';
import { listedDelivered, listedSent } from './listed.ts';
import type { Direction, ListedMessage } from './listed.ts';
import { yieldToLoop } from '../../kernel/clock.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { isNewer, newestFirst, defaultLimit } from '../../kernel/paging.ts';
import type { Page, PagePosition, PageRequest } from '../../kernel/paging.ts';
import type { MessageFilter, MessageOnChannel } from './types.ts';
import { findChannel } from '../channels/index.ts';
import { findNames } from '../person-names/index.ts';

/** Messages examined per page: bounds the duration of a call whose filter matches few. */
const maxLookedAt = 1_000;
/** Takes about 2 ms between two event-loop turns. [faults: I9] */
const maxSlice = 200;
/** Within the range of `Date`. */
export const endOfTime = Date.UTC(9999, 0);

/**
 * Covers the delivery log's retention. A page with a cursor may be short or empty. Throws 404 `not_found` for a channel
 * of another account.
 */
export async function listMessages(
  world: World,
  caller: Caller,
  filter: MessageFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<MessageOnChannel>> {
  const { accountId } = caller;
  const { channelId, since, until } = filter;
  if (channelId !== null) await findChannel(world, caller, channelId);
  const kept = world.clock.now() - world.settings.deliveryLogMs;
  const first = { createdAt: until ?? endOfTime, id: '' };
  const before = cursor !== null && isNewer(first, cursor) ? cursor : first;
  const along = filter.person === null ? channelId : null;
  const asked = { accountId, channelId: along, since: Math.max(since ?? kept, kept), before };
  const most = limit ?? defaultLimit;
  const direction = filter.direction ?? directionOf(filter.status);
  // Few of many may have a status, or be of the channel: they are not looked for by the handful.
  const isSearch = filter.status !== null || along !== channelId;
  const slice = isSearch ? maxSlice : Math.min(most + 1, maxSlice);
  const page = await world.searches.run(accountId, async () => {
    const people = filter.person === null ? null : await findNames(world, caller, personIn(filter.person));
    return readPage(placedMessages(world, { ...asked, people }, slice, direction), most, filter);
  });
  return { ...page, items: await withChannelTypes(world, accountId, page.items) };
}

/** The only direction with this status; null if there are several. */
function directionOf(status: MessageFilter['status']): Direction | null {
  if (status === 'received') return 'inbound';
  return status === 'queued' ? 'outbound' : null;
}

/** Looks up each channel once. */
async function withChannelTypes(
  world: World,
  accountId: string,
  items: readonly ListedMessage[],
): Promise<MessageOnChannel[]> {
  const ids = [...new Set(items.map(({ channelId }) => channelId))];
  const found = await Promise.all(ids.map((id) => world.channelCache.inAccount(id, accountId)));
  const types = new Map(
    found.flatMap((each) => (each === null ? [] : [[each.channel.id, each.channel.channelType]])),
  );
  return items.flatMap((item) => {
    const channelType = types.get(item.channelId);
    return channelType === undefined ? [] : [{ ...item, channelType }];
  });
}

/** A position with its message; null: a record that the list skips. */
interface Placed {
  place: PagePosition;
  message: ListedMessage | null;
}

async function readPage(
  placed: AsyncIterable<Placed>,
  limit: number,
  filter: MessageFilter,
): Promise<Page<ListedMessage>> {
  const items: ListedMessage[] = [];
  let last: PagePosition | null = null;
  let lookedAt = 0;
  for await (const { place, message } of placed) {
    if (items.length === limit || lookedAt === maxLookedAt) return { items, nextCursor: last };
    lookedAt += 1;
    last = place;
    if (message !== null && fits(message, filter)) items.push(message);
  }
  return { items, nextCursor: null };
}

function fits({ channelId, direction, status }: ListedMessage, filter: MessageFilter): boolean {
  return (
    (filter.channelId === null || filter.channelId === channelId) &&
    (filter.direction === null || filter.direction === direction) &&
    (filter.status === null || filter.status === status)
  );
}

/** `people`: the names of one person; null: everybody. */
type Query = Omit<MessageListQuery, 'limit' | 'person'> & { people: readonly string[] | null };

/** Merges both lists, of each name, slice by slice. */
async function* placedMessages(
  world: World,
  query: Query,
  limit: number,
  direction: Direction | null,
): AsyncGenerator<Placed> {
  for (let { before } = query; ; await yieldToLoop()) {
    const lists = await Promise.all(
      (query.people ?? [null]).flatMap((person) => {
        const slice = { ...query, person, before, limit };
        return [
          ...(direction === null || direction === 'outbound' ? [readSent(world, slice)] : []),
          ...(direction === 'outbound' ? [] : [readDelivered(world, slice)]),
        ];
      }),
    );
    const ends = lists.flatMap((list) => (list.length < limit ? [] : list.slice(-1)));
    const newestEnd = ends.map(({ place }) => place).toSorted(newestFirst)[0];
    // Past the end of a list's slice, its unread part may be newer than items of the other list.
    const known = lists
      .flat()
      .filter(({ place }) => newestEnd === undefined || !isNewer(newestEnd, place))
      .toSorted((a, b) => newestFirst(a.place, b.place));
    yield* known;
    if (newestEnd === undefined) return;
    before = newestEnd;
  }
}

async function readSent({ stores }: World, query: MessageListQuery): Promise<Placed[]> {
  const found = await stores.messageList.sent(query);
  return found.map((message) => ({ place: pickPosition(message), message: listedSent(message) }));
}

async function readDelivered({ stores }: World, query: MessageListQuery): Promise<Placed[]> {
  const found = await stores.messageList.delivered(query);
  const echoIds = found.filter(({ event }) => event === 'message.echo').map(({ messageId }) => messageId);
  const tracked = echoIds.length === 0 ? [] : await stores.messageList.among(query.accountId, echoIds);
  const byId = new Map(tracked.map((message) => [message.id, message]));
  return found.map((delivery) => ({
    place: pickPosition(delivery),
    message: listedDelivered(delivery, byId.get(delivery.messageId)),
  }));
}

function pickPosition({ createdAt, id }: PagePosition): PagePosition {
  return { createdAt, id };
}
