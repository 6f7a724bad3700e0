/** Erases old documents in slices. */
import type { Collection, Filter } from 'mongodb';
import type { RetryPolicy } from '../retry-policy.ts';

/** Documents per delete: few enough for the socket timeout and for the operations behind it. */
const sliceSize = 1_000;

/** Returns the number of erased documents. Takes no further slice once the signal has aborted. */
export async function dropSlices<D extends { _id: string }>(
  collection: Collection<D>,
  filter: Filter<D>,
  retryPolicy: RetryPolicy,
  stopping?: AbortSignal,
): Promise<number> {
  const { collectionName } = collection;
  for (let dropped = 0; ;) {
    if (stopping?.aborted === true) return dropped;
    const slice = await retryPolicy.run(`find old ${collectionName}`, () =>
      collection
        .find(filter, { projection: { _id: 1 } })
        .limit(sliceSize)
        .toArray(),
    );
    if (slice.length === 0) return dropped;
    const ids = slice.map(({ _id }) => _id);
    await retryPolicy.run(`drop old ${collectionName}`, () =>
      collection.deleteMany({ ...filter, _id: { $in: ids } }),
    );
    dropped += slice.length;
  }
}
