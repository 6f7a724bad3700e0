/** Pages of the delivery log, in either direction, of deliveries that a filter fits. */
import { yieldToLoop } from '../../kernel/clock.ts';
import { newestFirst, oldestFirst } from '../../kernel/paging.ts';
import type { Page, PagePosition, TwoWayPageRequest } from '../../kernel/paging.ts';
import type { Reads, Records } from '../../storage/records.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import type { DeliveryEvent } from '../../rules/events/table.ts';
import type { LoggedDelivery, LoggedReads } from './logged.ts';

/** Most deliveries that one page looks at: finding a rare event among a million takes several calls, none of them long. */
const maxLookedAt = 5_000;
const perRead = 500;

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

export function logPages(deliveries: Records<Delivery>, logged: LoggedReads<LoggedDelivery>) {
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
