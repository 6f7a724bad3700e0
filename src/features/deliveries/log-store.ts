/** The delivery log: the deliveries themselves, read along an index of its own. */
import { yieldToLoop } from '../../kernel/clock.ts';
import { newestFirst, oldestFirst } from '../../kernel/paging.ts';
import type { Page, PagePosition, TwoWayPageRequest } from '../../kernel/paging.ts';
import { insertNew } from '../../storage/records.ts';
import type { InChannel, Reads, Records, RecordsOf } from '../../storage/records.ts';
import { ownerOf, readOwner } from '../../rules/webhooks/endpoints.ts';
import type { OwnerParts } from '../../rules/webhooks/endpoints.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import { deliveries as deliveriesEntity } from '../../storage/entities/deliveries.ts';
import type { DeliveryEvent } from '../../rules/events/table.ts';

/** Most deliveries that one page looks at: finding a rare event among a million takes several calls, none of them long. */
const maxLookedAt = 5_000;
const perRead = 500;
const channelsAtOnce = 20;

interface HoursAsked {
  channelId: string;
  limit: number;
}

export function deliveryLogStore(recordsOf: RecordsOf) {
  const deliveries = recordsOf(deliveriesEntity);
  const logged = withEndpoint(deliveries.only(...loggedFields));
  const waiting = withEndpoint(deliveries.only(...loggedFields, 'payload'));
  const kept = withEndpoint(deliveries.only('id', 'channelId', 'createdAt', 'event', 'keptSince'));
  return {
    ...listOf(deliveries, logged),
    /** Deliveries created after `place`, oldest first. */
    async after({
      channelId,
      accountId,
      place,
      limit,
    }: {
      accountId: string;
      channelId: string;
      place: PagePosition;
      limit: number;
    }): Promise<WaitingDelivery[]> {
      await yieldToLoop();
      const after = [place.createdAt, place.id];
      return waiting.list({ by: 'log', equal: { channelId, accountId }, after, limit });
    },
    /** Kept deliveries of the account created after `place`, oldest first. */
    async keptAfter(accountId: string, place: PagePosition, limit: number): Promise<KeptOfAccount[]> {
      await yieldToLoop();
      const after = [place.createdAt, place.id];
      return kept.list({ by: 'keptOfAccount', equal: { accountId }, after, limit });
    },
    /** Number of pending deliveries of these channels; at most `limit`. */
    async countPending({
      channelIds,
      limit,
    }: {
      channelIds: readonly string[];
      limit: number;
    }): Promise<number> {
      let count = 0;
      for (let at = 0; at < channelIds.length && count < limit; at += channelsAtOnce) {
        const some = channelIds.slice(at, at + channelsAtOnce);
        const counts = await Promise.all(
          some.map((channelId) => deliveries.count({ by: 'pending', equal: { channelId }, limit })),
        );
        for (const each of counts) count += each;
      }
      return Math.min(count, limit);
    },
    ...timesOf(deliveries),
    ...singlesOf(deliveries, logged, waiting),
  };
}

function listOf(deliveries: Records<Delivery>, logged: Of<LoggedDelivery>) {
  const compared = deliveries.only(...comparedFields);
  return {
    /**
     * Reads in the page's direction. Each call examines a bounded number of deliveries: if few of them match, a page may be short or
     * empty, and its cursor says where to go on.
     */
    async list(query: DeliveryLogQuery): Promise<Page<LoggedDelivery>> {
      if (!isSearch(query)) return fillPage(inDirection(logged, query), query);
      const { items, nextCursor } = await fillPage(inDirection(compared, query), query);
      const whole = await logged.some(items.map(({ id }) => id));
      const inOrder = query.page.isBack === true ? oldestFirst : newestFirst;
      return { items: whole.filter((each) => isAskedFor(each, query)).toSorted(inOrder), nextCursor };
    },
  };
}

/** Along the index of the log: no delivery itself is read. */
function timesOf(deliveries: Records<Delivery>) {
  const times = deliveries.only('createdAt', 'id');
  return {
    /** When the newest deliveries of a channel of the account began, at most `limit`, from `since` on. */
    async timesSince({ channelId, since, limit }: HoursAsked & { since: number }): Promise<number[]> {
      const range = { on: 'createdAt', from: since } as const;
      const found = await times.list({ by: 'log', equal: { channelId }, range, isDescending: true, limit });
      return found.map(({ createdAt }) => createdAt);
    },
    /** Their number in a span; at most `limit`. */
    countBetween({
      channelId,
      from,
      below,
      limit,
    }: HoursAsked & { from: number; below: number }): Promise<number> {
      const range = { on: 'createdAt', from, below } as const;
      return deliveries.count({ by: 'log', equal: { channelId }, range, limit });
    },
  };
}

function singlesOf(deliveries: Records<Delivery>, logged: Of<LoggedDelivery>, waiting: Of<WaitingDelivery>) {
  return {
    /** Adds a webhook test, whose outcome is known already. */
    async addTest({ endpointId, ...test }: LoggedDelivery): Promise<void> {
      const channelId = ownerOf(test.channelId, endpointId);
      const unsent = {
        payload: null,
        keptBytes: null,
        sequence: null,
        upstreamId: null,
        claims: 0,
        epoch: 0,
      };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readers of pending or kept deliveries never meet one: it has ended
      await insertNew(deliveries, { ...test, channelId, ...unsent } as Delivery);
    },
    /** Of the channel or of an endpoint of it, with its payload. */
    whole: (which: InChannel): Promise<WaitingDelivery | null> => oneOf(waiting, which),
    /** Of the channel or of an endpoint of it. */
    find: (which: InChannel): Promise<LoggedDelivery | null> => oneOf(logged, which),
    /** The channel of the account's delivery with this id. */
    async channelOf(accountId: string, id: string): Promise<string | null> {
      return (await logged.one({ id, accountId }))?.channelId ?? null;
    },
    /** The existing ones among a few ids, oldest first; `channelId` null: of any channel of the account. */
    async among({
      accountId,
      channelId,
      ids,
    }: {
      accountId: string;
      channelId: string | null;
      ids: string[];
    }): Promise<LoggedDelivery[]> {
      const found = await logged.some(ids, { accountId, ...(channelId === null ? {} : { channelId }) });
      return found.toSorted(oldestFirst);
    },
  };
}

type Of<V> = Pick<Reads<Delivery, V>, 'one' | 'some' | 'list'>;

/** What is stored names the owner of a delivery; what is read, the channel and the endpoint. */
function withEndpoint<V extends { channelId: string }>(reads: Reads<Delivery, V>): Of<V & OwnerParts> {
  const read = (stored: V): V & OwnerParts => ({ ...stored, ...readOwner(stored.channelId) });
  return {
    one: async (...which) => {
      const found = await reads.one(...which);
      return found === null ? null : read(found);
    },
    some: async (...which) => (await reads.some(...which)).map(read),
    list: async (listed) => (await reads.list(listed)).map(read),
  };
}

/** The channel's own first: few channels have endpoints. */
async function oneOf<V extends OwnerParts>(
  reads: Of<V>,
  { id, channelId, accountId }: InChannel,
): Promise<V | null> {
  const own = await reads.one({ id, channelId, accountId });
  if (own !== null) return own;
  const found = await reads.one({ id, accountId });
  return found?.channelId === channelId ? found : null;
}

/** Few of those that it examines may be asked for: it reads what it compares, and then the few. */
function isSearch({ event, state }: DeliveryLogQuery): boolean {
  return event !== null || (state !== null && state !== 'failed');
}

/** Reads as many items at a time as the page needs; of a search, as many as one read may take. */
async function* inDirection<V extends PagePosition>(
  reads: Pick<Reads<Delivery, V>, 'list'>,
  query: DeliveryLogQuery,
): AsyncGenerator<V> {
  const { since, until = null, page, lookAt = maxLookedAt } = query;
  const wanted = isSearch(query) ? lookAt : page.limit;
  const limit = Math.min(wanted + 1, perRead);
  const range = { on: 'createdAt', from: since, ...(until === null ? {} : { below: until }) } as const;
  const asked = { ...placeOf(query), range, isDescending: page.isBack !== true, limit };
  for (let place = page.cursor; ; await yieldToLoop()) {
    const after = place === null ? {} : { after: [place.createdAt, place.id] };
    const found = await reads.list({ ...asked, ...after });
    yield* found;
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return;
    place = last;
  }
}

/** The index, and what is equal along it: of a channel's own, of an endpoint, or of the account. */
function placeOf({ accountId, channelId: ofChannel, endpointId = null, state }: DeliveryLogQuery) {
  const isFailed = state === 'failed';
  if (ofChannel === null) return { by: isFailed ? 'failedOfAccount' : 'ofAccount', equal: { accountId } };
  const channelId = ownerOf(ofChannel, endpointId);
  return { by: isFailed ? 'failed' : 'log', equal: { channelId } };
}

type Compared = Pick<LoggedDelivery, (typeof comparedFields)[number]>;

async function fillPage<V extends Compared>(
  log: AsyncIterable<V>,
  query: DeliveryLogQuery,
): Promise<Page<V>> {
  const { page, lookAt = maxLookedAt } = query;
  const items: V[] = [];
  let place: PagePosition | null = null;
  let lookedAt = 0;
  for await (const delivery of log) {
    if (items.length === page.limit || lookedAt === lookAt) return { items, nextCursor: place };
    lookedAt += 1;
    place = { createdAt: delivery.createdAt, id: delivery.id };
    if (isAskedFor(delivery, query)) items.push(delivery);
  }
  return { items, nextCursor: null };
}

function isAskedFor(delivery: Compared, { accountId, event, state }: DeliveryLogQuery): boolean {
  return (
    delivery.accountId === accountId &&
    (event === null || delivery.event === event) &&
    (state === null || delivery.state === state)
  );
}

const comparedFields = [
  'id',
  'accountId',
  'event',
  'state',
  'createdAt',
] as const satisfies (keyof Delivery)[];

/** A delivery as its account sees it. */
const loggedFields = [
  'id', 'channelId', 'accountId', 'event', 'messageId', 'requestId', 'state', 'attempts', 'firstTriedAt', 'nextDueAt', 'lastResult',
  'attemptLog', 'person', 'messageType', 'createdAt', 'keptSince',
] as const satisfies (keyof Delivery)[]; // oxfmt-ignore

/** A delivery as the log shows it. A webhook test exists in the log only. */
export type LoggedDelivery = Omit<
  Delivery,
  'event' | 'payload' | 'keptBytes' | 'sequence' | 'upstreamId' | 'epoch' | 'claims'
> &
  OwnerParts & {
    event: DeliveryEvent;
  };

export interface DeliveryLogQuery {
  accountId: string;
  /** null: all channels of the account, with their endpoints. */
  channelId: string | null;
  /** null or omitted: of a channel its own alone. */
  endpointId?: string | null;
  /** Earliest `createdAt` (ms). */
  since: number;
  /** `createdAt` must be before this (ms); null: no bound. */
  until?: number | null;
  /** null: any. */
  event: DeliveryEvent | null;
  state: Delivery['state'] | null;
  /** With `isBack` items come oldest first. */
  page: Pick<TwoWayPageRequest, 'limit' | 'cursor'> & Partial<Pick<TwoWayPageRequest, 'isBack'>>;
  /** Most deliveries that one call examines; default 5,000. */
  lookAt?: number;
}

export type KeptOfAccount = Pick<Delivery, 'id' | 'createdAt' | 'event' | 'keptSince'> & OwnerParts;

/** With the payload; null once the delivery has ended. */
export type WaitingDelivery = LoggedDelivery & Pick<Delivery, 'payload'>;
