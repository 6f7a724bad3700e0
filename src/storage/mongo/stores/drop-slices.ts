/** Erases old documents in slices. */
import type { Collection, Filter } from 'mongodb';
import { sweep } from '../../sweep.ts';
import type { RetryPolicy } from '../retry-policy.ts';

/** Documents per delete: few enough for the socket timeout and for the operations behind it. */
const sliceSize = 1_000;

/** Returns the number of erased documents. Takes no further slice once the signal has aborted. */
export function dropSlices<D extends { _id: string }>(
  collection: Collection<D>,
  filter: Filter<D>,
  retryPolicy: RetryPolicy,
  stopping?: AbortSignal,
): Promise<number> {
  const { collectionName } = collection;
  return sweep(async () => {
    const slice = await retryPolicy.run(`find old ${collectionName}`, () =>
      collection
        .find(filter, { projection: { _id: 1 } })
        .limit(sliceSize)
        .toArray(),
    );
    const [dropped, isLast] = [slice.length, slice.length < sliceSize];
    if (dropped === 0) return { dropped, isLast };
    const ids = slice.map(({ _id }) => _id);
    await retryPolicy.run(`drop old ${collectionName}`, () =>
      collection.deleteMany({ ...filter, _id: { $in: ids } }),
    );
    return { dropped, isLast };
  }, stopping);
}
