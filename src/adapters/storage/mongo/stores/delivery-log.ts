/** The delivery log: the deliveries themselves, read along an index of their own. */
import type { Filter } from 'mongodb';
import type {
  DeliveryLogQuery,
  DeliveryLogStore,
  LoggedDelivery,
  WaitingDelivery,
} from '../../../../use-cases/ports/delivery-log.ts';
import { maxLookedAt, pageOfLog } from '../../delivery-page.ts';
import type { MongoContext } from '../collections.ts';
import { toTriedDelivery } from '../documents.ts';
import { bytesOf } from '../items.ts';
import type { DeliveryDocument } from '../documents.ts';

const docsPerBatch = 500;
const unread = { payload: 0, token: 0, epoch: 0 } as const;

export function deliveryLogStore({ deliveries, retryPolicy }: MongoContext): DeliveryLogStore {
  return {
    list: (query) =>
      retryPolicy.run('list deliveries', () => {
        const { state, event, page } = query;
        const isFiltered = state !== null || event !== null;
        const found = deliveries
          .find(makeFilter(query), {
            projection: unread,
            hint: state === 'failed' ? 'failed' : 'log',
            batchSize: isFiltered ? docsPerBatch : Math.min(page.limit + 1, docsPerBatch),
          })
          .sort({ createdAt: -1, _id: -1 })
          .limit(isFiltered ? maxLookedAt + 1 : page.limit + 1);
        return pageOfLog(found.map(toLoggedDelivery), query);
      }),
    after: (query) =>
      retryPolicy.run('list deliveries', async () => {
        const found = await deliveries
          .find(filterAfter(query), { projection: { token: 0, epoch: 0 }, hint: 'log' })
          .sort({ createdAt: 1, _id: 1 })
          .limit(query.limit)
          .toArray();
        return found.map(toWaitingDelivery);
      }),
    count: ({ channelId, from, until, limit }) =>
      retryPolicy.run('count deliveries', () =>
        deliveries.countDocuments(
          { channelId, createdAt: { $gte: new Date(from), $lt: new Date(until) } },
          { limit, hint: 'log' },
        ),
      ),
    async find({ id, channelId, accountId }) {
      const found = await retryPolicy.run('read a delivery', () =>
        deliveries.findOne({ _id: id, channelId, accountId }, { projection: unread }),
      );
      return found === null ? null : toLoggedDelivery(found);
    },
    async among({ accountId, channelId, ids }) {
      const which = { _id: { $in: ids }, channelId, accountId };
      const found = await retryPolicy.run('read deliveries', () =>
        deliveries.find(which, { projection: unread }).toArray(),
      );
      const byAge = (a: LoggedDelivery, b: LoggedDelivery): number =>
        a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
      return found.map(toLoggedDelivery).toSorted(byAge);
    },
  };
}

type After = Parameters<DeliveryLogStore['after']>[0];

function filterAfter({ channelId, accountId, place }: After): Filter<DeliveryDocument> {
  const from = new Date(place.createdAt);
  const behind = [{ createdAt: { $gt: from } }, { _id: { $gt: place.id } }];
  return { channelId, accountId, createdAt: { $gte: from }, $or: behind };
}

/** The time bounds the index by itself; the alternative only parts what the same ms holds. */
function makeFilter({
  channelId,
  since,
  state,
  page: { cursor },
}: DeliveryLogQuery): Filter<DeliveryDocument> {
  const from = new Date(since);
  const failed = state === 'failed' ? { state } : {};
  if (cursor === null) return { channelId, ...failed, createdAt: { $gte: from } };
  const until = new Date(cursor.createdAt);
  return {
    channelId,
    ...failed,
    createdAt: { $gte: from, $lte: until },
    $or: [{ createdAt: { $lt: until } }, { _id: { $lt: cursor.id } }],
  };
}

function toLoggedDelivery(document: DeliveryDocument): LoggedDelivery {
  const { channelId, accountId, person = null, messageType = null, state, lastResult = null } = document;
  const { claims: _claims, ...tried } = toTriedDelivery(document);
  const { keptSince = null } = document;
  return { ...tried, channelId, accountId, person, messageType, state, lastResult, keptSince };
}

function toWaitingDelivery(document: DeliveryDocument): WaitingDelivery {
  const { payload } = document;
  return { ...toLoggedDelivery(document), payload: payload === undefined ? null : bytesOf(payload) };
}
