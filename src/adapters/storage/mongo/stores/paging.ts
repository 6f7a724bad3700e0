/** Pages of a list that is ordered by time and id. */
import type { Collection, Document, Filter, WithId } from 'mongodb';
import type { Page, PageRequest, PagePosition } from '../../../../use-cases/ports/paging.ts';

interface Listed extends Document {
  _id: string;
  createdAt: number;
}

/** A page of what `filter` finds, oldest (1) or newest (-1) first. One document more than asked for tells whether there is more. */
export async function readPage<D extends Listed, T>(
  collection: Collection<D>,
  filter: Filter<D>,
  { limit, cursor }: PageRequest,
  direction: 1 | -1,
  item: (document: WithId<D>) => T,
): Promise<Page<T>> {
  const after = cursor === null ? {} : beyond(cursor, direction);
  const found = collection.find({ ...filter, ...after }).sort({ createdAt: direction, _id: direction });
  const documents = await (limit === null ? found : found.limit(limit + 1)).toArray();
  const hasMore = limit !== null && documents.length > limit;
  const shown = hasMore ? documents.slice(0, limit) : documents;
  const last = hasMore ? shown.at(-1) : undefined;
  const nextCursor = last === undefined ? null : { createdAt: last.createdAt, id: last._id };
  return { items: shown.map(item), nextCursor };
}

function beyond({ createdAt, id }: PagePosition, direction: 1 | -1): Document {
  const past = direction === 1 ? '$gt' : '$lt';
  return { $or: [{ createdAt: { [past]: createdAt } }, { createdAt, _id: { [past]: id } }] };
}
