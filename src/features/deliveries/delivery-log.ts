/** The delivery log: the deliveries themselves, read along an index of its own. */
import { yieldToLoop } from '../../kernel/clock.ts';
import type { DeliveryLogQuery, DeliveryLogStore, LoggedDelivery } from './port.ts';
import { oldestFirst } from '../../kernel/paging.ts';
import type { Page, PagePosition } from '../../kernel/paging.ts';
import { insertNew } from '../../storage/records.ts';
import type { Reads, RecordsOf } from '../../storage/records.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import { deliveries as deliveriesEntity } from '../../storage/entities/deliveries.ts';

/** Most deliveries that one page looks at: finding a rare event among a million takes several calls, none of them long. */
const maxLookedAt = 5_000;
const perRead = 500;
const channelsAtOnce = 20;

export function deliveryLogStore(recordsOf: RecordsOf): DeliveryLogStore {
  const deliveries = recordsOf(deliveriesEntity);
  const logged = deliveries.only(...loggedFields);
  const waiting = deliveries.only(...loggedFields, 'payload');
  return {
    list: (query) => fillPage(inDirection(logged, query), query),
    async after({ channelId, accountId, place, limit }) {
      await yieldToLoop();
      const after = [place.createdAt, place.id];
      return waiting.list({ by: 'log', equal: { channelId, accountId }, after, limit });
    },
    async countPending({ channelIds, limit }) {
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
    async addTest(test) {
      const unsent = { payload: null, keptBytes: null, claims: 0, epoch: 0 };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- readers of pending or kept deliveries never meet one: it has ended
      await insertNew(deliveries, { ...test, ...unsent } as Delivery);
    },
    whole: ({ id, channelId, accountId }) => waiting.one({ id, channelId, accountId }),
    find: ({ id, channelId, accountId }) => logged.one({ id, channelId, accountId }),
    async among({ accountId, channelId, ids }) {
      const found = await logged.some(ids, { channelId, accountId });
      return found.toSorted(oldestFirst);
    },
  };
}

/** Reads as many items at a time as the page needs; if a filter applies, as many as one read may take. */
async function* inDirection(
  logged: Reads<Delivery, LoggedDelivery>,
  { channelId, since, until = null, state, event, page, lookAt = maxLookedAt }: DeliveryLogQuery,
): AsyncGenerator<LoggedDelivery> {
  const by = state === 'failed' ? 'failed' : 'log';
  const wanted = state === null && event === null ? page.limit : lookAt;
  const limit = Math.min(wanted + 1, perRead);
  const range = { on: 'createdAt', from: since, ...(until === null ? {} : { below: until }) } as const;
  const asked = { by, equal: { channelId }, range, isDescending: page.isBack !== true, limit } as const;
  for (let place = page.cursor; ; await yieldToLoop()) {
    const after = place === null ? {} : { after: [place.createdAt, place.id] };
    const found = await logged.list({ ...asked, ...after });
    yield* found;
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return;
    place = last;
  }
}

async function fillPage(
  log: AsyncIterable<LoggedDelivery>,
  { accountId, event, state, page, lookAt = maxLookedAt }: DeliveryLogQuery,
): Promise<Page<LoggedDelivery>> {
  const items: LoggedDelivery[] = [];
  let place: PagePosition | null = null;
  let lookedAt = 0;
  for await (const delivery of log) {
    if (items.length === page.limit || lookedAt === lookAt) return { items, nextCursor: place };
    lookedAt += 1;
    place = { createdAt: delivery.createdAt, id: delivery.id };
    const isAskedFor =
      delivery.accountId === accountId &&
      (event === null || delivery.event === event) &&
      (state === null || delivery.state === state);
    if (isAskedFor) items.push(delivery);
  }
  return { items, nextCursor: null };
}

/** A delivery as its account sees it. */
const loggedFields = [
  'id', 'channelId', 'accountId', 'event', 'messageId', 'requestId', 'state', 'attempts', 'firstTriedAt', 'nextDueAt', 'lastResult',
  'attemptLog', 'person', 'messageType', 'createdAt', 'keptSince',
] as const satisfies (keyof LoggedDelivery)[]; // oxfmt-ignore
