/**
 * What an engine can do with the items of an entity: all that the stores ask for. A question names what is equal, at most one range,
 * and, where it lists, the index that it goes along: no query language. Each call is durable when it resolves, and safe to be
 * repeated by the engine when it does not know whether it was.
 */
import { cursorAt } from '../../use-cases/ports/paging.ts';
import type {
  Page,
  PageRequest,
  PagePosition,
  TurnedPage,
  TurnRequest,
} from '../../use-cases/ports/paging.ts';
import type { EntityName, ItemOf } from './entities/index.ts';

/** null: the item has none. */
export type Equal<T> = { readonly [K in keyof T]?: T[K] };

export interface AnyRange {
  on: string;
  above?: number | string;
  from?: number | string;
  below?: number | string;
  upTo?: number;
}

type Range<T> = AnyRange & { on: keyof T & string };

/** In the order of those fields of the index that are not in `equal`. */
export interface Listed<T> {
  by: string;
  equal?: Equal<T>;
  range?: Range<T>;
  /** Begins behind the item that has these values of the fields of the order. */
  after?: readonly (string | number)[];
  isDescending?: boolean;
  /** So many of the first are left out. */
  skip?: number;
  /** null: all of them. */
  limit: number | null;
}

/** Undefined leaves a field as it is. `max`, `min`: a field that has none takes the value. */
export interface Change<T> {
  set?: { readonly [K in keyof T]?: T[K] | undefined };
  max?: { readonly [K in keyof T]?: number };
  min?: { readonly [K in keyof T]?: number };
  add?: { readonly [K in keyof T]?: number };
}

/** The item of this key, when what else is asked for is so. */
export interface Patch<T> {
  which: Equal<T>;
  range?: Range<T>;
  change: Change<T>;
}

/** `put`: takes the place of what stands; `given`: so does what is not null; `max`, `min`, `add`: as in a change. */
export type Joining = 'put' | 'given' | 'max' | 'min' | 'add';

/** Reads of an item, or of a part V of it. */
export interface Reads<T, V = T> {
  one(which: Equal<T>, range?: Range<T>): Promise<V | null>;
  /** Of those keys that are there, in no order. For entities with one field as key. */
  some(keys: readonly string[], equal?: Equal<T>): Promise<V[]>;
  list(listed: Listed<T>): Promise<V[]>;
}

export interface Records<T> extends Reads<T> {
  /** Of these fields alone: what the others hold is not fetched. A list along an index has those of its order among them. */
  only<K extends keyof T & string>(...fields: readonly K[]): Reads<T, Pick<T, K>>;
  /** False when the key, or a value that is unique, is taken. */
  insert(item: T): Promise<boolean>;
  /** Those whose key is taken are left out. */
  insertEach(items: readonly T[]): Promise<void>;
  /** How many there are along the index, at most `limit`. */
  count(counted: Pick<Listed<T>, 'by' | 'equal' | 'range' | 'limit'>): Promise<number>;
  /** The values of an index's first field, from one to the next: many items of one value cost one step. */
  firsts(by: string, after: string, limit: number): Promise<string[]>;
  /** The item after it; null when it was not so, or what it would have is unique and taken. Of any rivals that ask for what it was before, one gets it. */
  patch(patch: Patch<T>): Promise<T | null>;
  /** Many at once; nobody learns which were so. Each may be done twice. */
  patchEach(patches: readonly Patch<T>[]): Promise<void>;
  /** In the place of whatever has its key. */
  replace(item: T): Promise<void>;
  /** Ends the item: exactly one caller gets it. */
  take(which: Equal<T>, range?: Range<T>): Promise<T | null>;
  /** Inserts each, or joins it to the one of its key: fields that are not named stay as they are. */
  upsertEach(items: readonly T[], joining: { readonly [K in keyof T]?: Joining }): Promise<void>;
  remove(which: Equal<T>): Promise<number>;
  removeEach(keys: readonly string[]): Promise<void>;
  /** What is in the range goes, some at a time. Answers how many went. */
  sweep(range: Range<T>): Promise<number>;
}

export type RecordsOf = <N extends EntityName>(name: N) => Records<ItemOf<N>>;

/** An item, and of which entity it is. */
type NewItem = {
  readonly [N in EntityName]: { readonly of: N; readonly item: ItemOf<N> };
}[EntityName];

export interface Engine {
  readonly recordsOf: RecordsOf;
  /**
   * Items that belong together. The last decides: false, and none is kept, when its key or what must be unique of it is taken. In a file
   * they are one commit; in a database a crash leaves the first of them, so whatever finds one looks for the last.
   */
  insertTogether: (items: readonly NewItem[]) => Promise<boolean>;
}

/** A page of a list whose index ends in `createdAt` and `id`. */
export async function readPage<T, V extends PagePosition>(
  records: Pick<Reads<T, V>, 'list'>,
  listed: Omit<Listed<T>, 'limit' | 'after'>,
  { limit, cursor }: PageRequest,
): Promise<Page<V>> {
  const after = cursor === null ? {} : { after: [cursor.createdAt, cursor.id] };
  // One more than asked for tells whether there is more.
  const found = await records.list({ ...listed, ...after, limit: limit === null ? null : limit + 1 });
  const hasMore = limit !== null && found.length > limit;
  const items = hasMore ? found.slice(0, limit) : found;
  const last = hasMore ? items.at(-1) : undefined;
  return { items, nextCursor: cursorAt(last) };
}

/** As `readPage`, either way. */
export async function turnPage<T extends PagePosition>(
  records: Pick<Records<T>, 'list'>,
  listed: Omit<Listed<T>, 'limit' | 'after'>,
  { limit, cursor, isBack }: TurnRequest,
): Promise<TurnedPage<T>> {
  const turned = isBack && cursor !== null;
  const isDescending = turned !== (listed.isDescending ?? false);
  const { items, nextCursor } = await readPage(records, { ...listed, isDescending }, { limit, cursor });
  if (!turned) return { items, nextCursor, previousCursor: cursor === null ? null : cursorAt(items.at(0)) };
  items.reverse();
  return { items, nextCursor: cursorAt(items.at(-1)), previousCursor: nextCursor };
}

/** An item with an id of its own. */
export async function insertNew<T>(records: Pick<Records<T>, 'insert'>, item: T): Promise<void> {
  if (!(await records.insert(item))) throw new Error('an id that was made for an item is taken');
}

/** The fields of an index that a list is in order of. */
export function orderedFields(on: readonly string[], equal: object = {}): readonly string[] {
  return on.filter((field) => !(field in equal));
}
