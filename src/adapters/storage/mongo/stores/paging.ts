/** Pages of a list that is ordered by time and id. */
import type { Collection, Document, Filter, WithId } from 'mongodb';
import type { Page, PageRequest } from '../../../../use-cases/ports.ts';

interface Listed extends Document {
  _id: string;
  createdAt: number;
}

/**
 * A page of what `filter` finds, oldest (1) or newest (-1) first. One document more than asked for tells whether there is
 * more. A cursor that names nothing (removed meanwhile, or another account's) starts from the beginning: an item may come
 * twice, none is missed.
 */
export async function pageOf<D extends Listed, T>(
  collection: Collection<D>,
  filter: Filter<D>,
  { limit, cursor }: PageRequest,
  direction: 1 | -1,
  item: (document: WithId<D>) => T,
): Promise<Page<T>> {
  const after = cursor === null ? {} : await placeAfter(collection, filter, cursor, direction);
  const found = collection.find({ ...filter, ...after }).sort({ createdAt: direction, _id: direction });
  const documents = await (limit === null ? found : found.limit(limit + 1)).toArray();
  const hasMore = limit !== null && documents.length > limit;
  const shown = hasMore ? documents.slice(0, limit) : documents;
  return { items: shown.map(item), nextCursor: hasMore ? (shown.at(-1)?._id ?? null) : null };
}

async function placeAfter<D extends Listed>(
  collection: Collection<D>,
  filter: Filter<D>,
  cursor: string,
  direction: 1 | -1,
): Promise<Document> {
  const named = await collection.findOne({ ...filter, _id: cursor });
  if (named === null) return {};
  const beyond = direction === 1 ? '$gt' : '$lt';
  const { createdAt } = named;
  return {
    $or: [{ createdAt: { [beyond]: createdAt } }, { createdAt, _id: { [beyond]: cursor } }],
  };
}
