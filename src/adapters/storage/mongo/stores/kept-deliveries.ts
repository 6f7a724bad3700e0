/**
 * Kept payloads of given-up deliveries, in the documents of the deliveries. Not over records: they are counted by a set of events in one
 * round trip.
 */
import type { Filter } from 'mongodb';
import type { KeptQuery } from '../../../../../actors/channel/ports/store.ts';
import { eventTypes } from '../../../../domain/events/table.ts';
import type { KeptDeliveryStore } from '../../../../use-cases/ports/deliveries.ts';
import type { RecordsOf } from '../../records.ts';
import type { MongoContext } from '../collections.ts';
import type { DeliveryDocument } from '../documents.ts';

/** What a channel gave up in that time. The channel's owner uses it too, with event names as plain text. */
export function keptFilter(channelId: string, { since, until, events }: KeptQuery): Filter<DeliveryDocument> {
  const ofThese = filterByEvents(events);
  return { channelId, keptSince: { $gte: since, $lte: until }, ...ofThese };
}

function filterByEvents(events: KeptQuery['events']): Filter<DeliveryDocument> {
  return events === null ? {} : { event: { $in: eventTypes.filter((event) => events.includes(event)) } };
}

/** Documents per update: few enough for the socket timeout and for the operations behind it. */
const sliceSize = 1_000;

export function keptDeliveryStore(
  recordsOf: RecordsOf,
  { deliveries, retryPolicy }: MongoContext,
): KeptDeliveryStore {
  return {
    channels: (after, limit) => recordsOf('deliveries').firsts('keptByAge', after, limit),
    count: (channelId, query) =>
      retryPolicy.run('count kept deliveries', () =>
        deliveries.countDocuments(keptFilter(channelId, query), { hint: 'kept_by_age' }),
      ),
    async erase(channelId, upTo) {
      const old = { channelId, keptSince: { $lte: upTo } };
      for (let erased = 0; ;) {
        const slice = await retryPolicy.run('find kept deliveries', () =>
          deliveries
            .find(old, { projection: { _id: 1 }, hint: 'kept_by_age' })
            .limit(sliceSize)
            .toArray(),
        );
        if (slice.length === 0) return erased;
        const ids = slice.map(({ _id }) => _id);
        await retryPolicy.run('erase kept deliveries', () =>
          deliveries.updateMany(
            { ...old, _id: { $in: ids } },
            { $unset: { payload: '', keptSince: '', keptBytes: '' }, $set: { isFinished: true } },
          ),
        );
        erased += slice.length;
      }
    },
  };
}
