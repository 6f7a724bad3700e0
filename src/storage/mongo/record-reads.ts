/** Reads of records. */
import type { Collection } from 'mongodb';
import type { Reads, Records } from '../records.ts';
import type { MongoContext } from './collections.ts';
import { matching, indexed, listing } from './conditions.ts';
import type { Condition } from './conditions.ts';
import type { GroupCommitQueue } from './group-commit-queue.ts';
import type { Items, Picked } from './items.ts';

export type RecordDocument = Record<string, unknown> & { _id: string };

/** The collection of an entity, with what its reads and writes need. */
export interface RecordCollection<T extends object> {
  items: Items<T>;
  collection: Collection<RecordDocument>;
  retryPolicy: MongoContext['retryPolicy'];
  /** Set for entities that are written with every send or fact: their writes are gathered. */
  queue: GroupCommitQueue | undefined;
}

export function recordCollection<T extends object>(
  items: Items<T>,
  { db, retryPolicy }: Pick<MongoContext, 'db' | 'retryPolicy'>,
  queue?: GroupCommitQueue,
): RecordCollection<T> {
  return { items, collection: db.collection<RecordDocument>(items.entity.name), retryPolicy, queue };
}

/** A taken item stays, marked, until it expires, so that a repeated take whose answer was lost finds its mark. */
export const isOpen = { taker: { $exists: false } };

function isTakeable<T extends object>({ items }: RecordCollection<T>): boolean {
  return items.entity.isTaken === true;
}

function openTo<T extends object>(source: RecordCollection<T>, filter: Condition): Condition {
  return isTakeable(source) ? { ...filter, ...isOpen } : filter;
}

/** Documents per reply: fetches a page in one reply, where the server's default first batch is 101. */
const maxBatch = 1_000;

export function makeReads<T extends object, V>(source: RecordCollection<T>, part: Part<V>): Reads<T, V> {
  const { items, collection, retryPolicy } = source;
  const { name } = items.entity;
  const { projection, of } = part;
  return {
    async one(which, range) {
      const filter = openTo(source, matching(items, which, range));
      const found = await retryPolicy.run(`read ${name}`, () => collection.findOne(filter, projection));
      return found === null ? null : of(found);
    },
    async some(keys, equal = {}) {
      const filter = { ...matching(items, equal), _id: { $in: [...keys] } };
      const found = await retryPolicy.run(`read ${name}`, () =>
        collection.find(filter, projection).toArray(),
      );
      return found.map(of);
    },
    async list(listed) {
      const { filter, sort, hint } = listing(items, listed);
      const { skip = 0, limit } = listed;
      const along = { ...projection, sort, ...hint };
      const batch = limit === null ? {} : { batchSize: Math.min(limit, maxBatch) };
      const found = await retryPolicy.run(`list ${name}`, () =>
        collection
          .find(openTo(source, filter), { ...along, ...batch })
          .skip(skip)
          .limit(limit ?? 0)
          .toArray(),
      );
      return found.map(of);
    },
  };
}

/** The projection, and the conversion of its documents. */
interface Part<V> {
  projection: { projection?: Picked<V>['projection'] };
  of: Picked<V>['of'];
}

type Counts = 'count' | 'firsts';

export function makeCounts<T extends object>(source: RecordCollection<T>): Pick<Records<T>, Counts> {
  const { items, collection, retryPolicy } = source;
  const { name } = items.entity;
  return {
    count({ limit, ...counted }) {
      const { filter, hint } = listing(items, { ...counted, limit });
      const most = limit === null ? {} : { limit };
      return retryPolicy.run(`count ${name}`, () =>
        collection.countDocuments(openTo(source, filter), { ...hint, ...most }),
      );
    },
    async firsts(by, after, limit) {
      const index = items.entity.indexes[by];
      const on = (index?.on ?? []).map((field) => items.memberName(field));
      const only = index === undefined ? {} : indexed(items, index, {});
      const [first = ''] = on;
      const found = await retryPolicy.run(`list ${name}`, () =>
        collection
          .aggregate<{ _id: string }>(
            [
              { $match: { [first]: { $gt: after }, ...only } },
              // Sorted as the index is, so that the server can step from one value to the next.
              { $sort: Object.fromEntries(on.map((member) => [member, 1])) },
              { $group: { _id: `$${first}`, any: { $first: `$${on[1] ?? '_id'}` } } },
              { $sort: { _id: 1 } },
              { $limit: limit },
            ],
            { hint: index?.database ?? '_id_' },
          )
          .toArray(),
      );
      return found.map(({ _id }) => _id);
    },
  };
}
