/**
 * The interface of a storage engine over the items of an entity. A query has equality conditions, at most one range and, for a list, the
 * index that it follows: there is no query language. A call is durable when it resolves. The engine may repeat a call whose outcome it does
 * not know.
 */
import { cursorAt } from '../kernel/paging.ts';
import type { Page, PageRequest, PagePosition, TwoWayPage, TwoWayPageRequest } from '../kernel/paging.ts';
import type { Entity } from './entities/entity.ts';

/** null matches an item without the field. */
export type Equal<T> = { readonly [K in keyof T]?: T[K] };

export interface AnyRange {
  on: string;
  above?: number | string;
  from?: number | string;
  below?: number | string;
  upTo?: number;
}

type Range<T> = AnyRange & { on: keyof T & string };

/** What begins with `prefix` is below this: the last character sorts after every other one. */
export function endOfPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}

/** A list, ordered by the fields of the index `by` that are not in `equal`. */
export interface Listed<T> {
  by: string;
  equal?: Equal<T>;
  range?: Range<T>;
  /** Starts after the item that has these values in the fields of the order. */
  after?: readonly (string | number)[];
  isDescending?: boolean;
  /** Number of items to skip first. */
  skip?: number;
  /** null: no limit. */
  limit: number | null;
}

/** Undefined leaves a field unchanged. `max`, `min`: an absent field takes the value. */
export interface Change<T> {
  set?: { readonly [K in keyof T]?: T[K] | undefined };
  max?: { readonly [K in keyof T]?: number };
  min?: { readonly [K in keyof T]?: number };
  add?: { readonly [K in keyof T]?: number };
}

/** Changes the item with this key if it meets the other conditions. */
export interface Patch<T> {
  which: Equal<T>;
  range?: Range<T>;
  change: Change<T>;
}

export interface Patched<T> {
  before: T;
  after: T;
}

/** How an upsert merges a field: `put` overwrites, `given` overwrites unless the new value is null; `max`, `min`, `add` as in a Change. */
export type Joining = 'put' | 'given' | 'max' | 'min' | 'add';

/** Reads of whole items, or of their part V. */
export interface Reads<T, V = T> {
  one(which: Equal<T>, range?: Range<T>): Promise<V | null>;
  /** The existing items of these keys, in no order. For entities with one key field. */
  some(keys: readonly string[], equal?: Equal<T>): Promise<V[]>;
  list(listed: Listed<T>): Promise<V[]>;
}

export interface Records<T> extends Reads<T> {
  /** Reads of these fields alone; no others are fetched. For a list they must include the fields of its order. */
  only<K extends keyof T & string>(...fields: readonly K[]): Reads<T, Pick<T, K>>;
  /** False if the key, or the value of a unique field, is taken. */
  insert(item: T): Promise<boolean>;
  /** Skips items whose key is taken. */
  insertEach(items: readonly T[]): Promise<void>;
  /** Number of matching items along the index, at most `limit`. */
  count(counted: Pick<Listed<T>, 'by' | 'equal' | 'range' | 'limit'>): Promise<number>;
  /** Distinct values of an index's first field, after `after`. Costs one step per value, however many items share it. */
  firsts(by: string, after: string, limit: number): Promise<string[]>;
  /**
   * Returns the changed item; null if no item matched, or a unique value is taken. Of concurrent patches with a condition on the value that
   * they change, one succeeds.
   */
  patch(patch: Patch<T>): Promise<T | null>;
  /**
   * As `patch`, for a change that only sets: returns the item before and after this very write. They differ in the fields that it set.
   */
  patchBoth(patch: Patch<T> & { change: Pick<Change<T>, 'set'> }): Promise<Patched<T> | null>;
  /** Applies many patches without reporting which matched. Each may be applied twice. */
  patchEach(patches: readonly Patch<T>[]): Promise<void>;
  /** Inserts the item or replaces the one with its key. */
  replace(item: T): Promise<void>;
  /** Removes and returns the item: exactly one of concurrent callers gets it. Only for an entity that `isTaken`; of others, see `removeSeen`. */
  take(which: Equal<T>, range?: Range<T>): Promise<T | null>;
  /** Inserts each item or merges it into the one with its key; fields that `joining` does not name stay unchanged. */
  upsertEach(items: readonly T[], joining: { readonly [K in keyof T]?: Joining }): Promise<void>;
  remove(which: Equal<T>): Promise<number>;
  removeEach(keys: readonly string[]): Promise<void>;
  /** Removes the items in the range, of those with these values, in slices; none begins once the signal has aborted. Returns how many. */
  sweep(range: Range<T>, stopping?: AbortSignal, which?: Equal<T>): Promise<number>;
}

export type RecordsOf = <T extends object>(entity: Entity<T>) => Records<T>;

/** An item to insert, with its entity: hands both to `use`. */
export type NewItem = <R>(use: <T extends object>(entity: Entity<T>, item: T) => R) => R;

export function newItem<T extends object>(entity: Entity<T>, item: T): NewItem {
  return (use) => use(entity, item);
}

/** An item of a channel, asked for as its account does. */
export interface InChannel {
  accountId: string;
  channelId: string;
  id: string;
}

/** Reads a page of a list. Its index must end in `createdAt` and `id`. */
export async function readPage<T, V extends PagePosition>(
  records: Pick<Reads<T, V>, 'list'>,
  listed: Omit<Listed<T>, 'limit' | 'after'>,
  { limit, cursor }: PageRequest,
): Promise<Page<V>> {
  const after = cursor === null ? {} : { after: [cursor.createdAt, cursor.id] };
  // One item more than the page tells whether there is a next page.
  const found = await records.list({ ...listed, ...after, limit: limit === null ? null : limit + 1 });
  const hasMore = limit !== null && found.length > limit;
  const items = hasMore ? found.slice(0, limit) : found;
  const last = hasMore ? items.at(-1) : undefined;
  return { items, nextCursor: cursorAt(last) };
}

/** As `readPage`, forwards or backwards. */
export async function readTwoWayPage<T extends PagePosition>(
  records: Pick<Records<T>, 'list'>,
  listed: Omit<Listed<T>, 'limit' | 'after'>,
  { limit, cursor, isBack }: TwoWayPageRequest,
): Promise<TwoWayPage<T>> {
  const goesBack = isBack && cursor !== null;
  const isDescending = goesBack !== (listed.isDescending ?? false);
  const { items, nextCursor } = await readPage(records, { ...listed, isDescending }, { limit, cursor });
  if (!goesBack) return { items, nextCursor, previousCursor: cursor === null ? null : cursorAt(items.at(0)) };
  items.reverse();
  return { items, nextCursor: cursorAt(items.at(-1)), previousCursor: nextCursor };
}

/** Inserts an item with a newly generated id. Throws if the id is taken. */
export async function insertNew<T>(records: Pick<Records<T>, 'insert'>, item: T): Promise<void> {
  if (!(await records.insert(item))) throw new Error('an id that was made for an item is taken');
}

/**
 * Removes the item with this key and returns it as the removal found it, as far as the values go that `seen` names; null if it is gone. Of
 * concurrent callers one gets it.
 */
export async function removeSeen<T>(
  records: Pick<Records<T>, 'one' | 'remove'>,
  key: Equal<T>,
  seen: (item: T) => Equal<T>,
): Promise<T | null> {
  for (;;) {
    const item = await records.one(key);
    if (item === null) return null;
    if ((await records.remove({ ...key, ...seen(item) })) > 0) return item;
  }
}

/** The fields of an index by which a list is ordered. */
export function orderedFields(on: readonly string[], equal: object): readonly string[] {
  return on.filter((field) => !(field in equal));
}
