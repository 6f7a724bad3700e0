/**
 * Kept payloads of given-up deliveries, in the documents of the deliveries. Not over records: they are counted by a set of events in one
 * round trip.
 */
import type { Filter } from 'mongodb';
import type { KeptQuery } from '../../journal/channel-journal.ts';
import { eventTypes } from '../../../rules/events/table.ts';
import type { RecordsOf } from '../../records.ts';
import { sweep, sweepAtOnce } from '../../sweep.ts';
import type { SweptSlice } from '../../sweep.ts';
import type { MongoContext } from '../collections.ts';
import type { DeliveryDocument } from '../documents.ts';
import type { KeptDeliveryStore } from '../../kept-deliveries.ts';
import { deliveries as deliveriesEntity } from '../../entities/deliveries.ts';

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
  async function eraseSlice(channelId: string, upTo: number): Promise<SweptSlice> {
    const old = { channelId, keptSince: { $lte: upTo } };
    const slice = await retryPolicy.run('find kept deliveries', () =>
      deliveries
        .find(old, { projection: { _id: 1 }, hint: 'kept_by_age' })
        .limit(sliceSize)
        .toArray(),
    );
    const [dropped, isLast] = [slice.length, slice.length < sliceSize];
    if (dropped === 0) return { dropped, isLast };
    const ids = slice.map(({ _id }) => _id);
    await retryPolicy.run('erase kept deliveries', () =>
      deliveries.updateMany(
        { ...old, _id: { $in: ids } },
        { $unset: { payload: '', keptSince: '', keptBytes: '' }, $set: { isFinished: true } },
      ),
    );
    return { dropped, isLast };
  }

  return {
    channels: (after, limit) => recordsOf(deliveriesEntity).firsts('keptByAge', after, limit),
    count: (channelId, query) =>
      retryPolicy.run('count kept deliveries', () =>
        deliveries.countDocuments(keptFilter(channelId, query), { hint: 'kept_by_age' }),
      ),
    erase: (channelId, upTo) => sweepAtOnce(() => eraseSlice(channelId, upTo)),
    sweep: (channelId, upTo, stopping) => sweep(() => eraseSlice(channelId, upTo), stopping),
  };
}
