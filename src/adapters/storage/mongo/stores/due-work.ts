/** Channels whose work is due, and erasing what is finished. */
import type { Collection, Filter } from 'mongodb';
import type { DueWorkStore } from '../../../../use-cases/ports/operating.ts';
import type { MongoContext } from '../collections.ts';

/** Documents per delete: short enough for the socket's time-out and for those who wait behind it. */
const sliceSize = 1_000;

interface Identified {
  _id: string;
}

export function dueWorkStore({ messages, deliveries, unmatched, retryPolicy }: MongoContext): DueWorkStore {
  return {
    async channelsWithDueWork(now, limit) {
      const due = () => [
        { $match: { dueAt: { $gte: 0, $lte: now } } },
        // Sorted as the index is: the server may step from channel to channel instead of reading all that is due.
        { $sort: { channelId: 1, dueAt: 1 } },
        { $group: { _id: '$channelId', dueAt: { $first: '$dueAt' } } },
        { $limit: limit },
      ];
      const found = await Promise.all([
        retryPolicy.run('find due messages', () =>
          messages.aggregate<Identified>(due(), { hint: 'open' }).toArray(),
        ),
        retryPolicy.run('find due deliveries', () =>
          deliveries.aggregate<Identified>(due(), { hint: 'pending' }).toArray(),
        ),
        retryPolicy.run('find due facts', () =>
          unmatched.aggregate<Identified>(due(), { hint: 'due' }).toArray(),
        ),
      ]);
      return [...new Set(found.flat().map(({ _id }) => _id))].slice(0, limit);
    },
    async dropFinished(before) {
      const dropped = await Promise.all([
        dropSlices(messages, { createdAt: { $lt: before }, dueAt: { $exists: false } }),
        dropSlices(deliveries, { createdAt: { $lt: new Date(before) }, isFinished: true }),
      ]);
      await retryPolicy.run('drop unmatched facts', () =>
        unmatched.deleteMany({ expiresAt: { $lt: new Date(before) } }),
      );
      return dropped.reduce((sum, count) => sum + count, 0);
    },
  };

  async function dropSlices<D extends Identified>(
    collection: Collection<D>,
    filter: Filter<D>,
  ): Promise<number> {
    for (let dropped = 0; ;) {
      const slice = await retryPolicy.run(`find finished ${collection.collectionName}`, () =>
        collection
          .find(filter, { projection: { _id: 1 } })
          .limit(sliceSize)
          .toArray(),
      );
      if (slice.length === 0) return dropped;
      const ids = slice.map(({ _id }) => _id);
      await retryPolicy.run(`drop finished ${collection.collectionName}`, () =>
        collection.deleteMany({ ...filter, _id: { $in: ids } }),
      );
      dropped += slice.length;
    }
  }
}
