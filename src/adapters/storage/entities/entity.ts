/** Everything of one sort that is kept: both engines make tables, collections and indexes of it, and items of what they hold. */
import type { Field, Fields } from './fields.ts';

export interface Entity<T> {
  /** Of the table, and of the collection. */
  readonly name: string;
  readonly fields: Fields<T>;
  /** The fields that name one item: `id` unless said. */
  readonly key: readonly (keyof T & string)[];
  readonly indexes: Readonly<Record<string, Index<T>>>;
  /** One caller takes an item, and then it is gone: a document stays, marked, until it expires. */
  readonly isTaken?: true;
  /** What the item is beside its fields in a file, where a document holds the same otherwise. */
  readonly inFile?: InFile<T>;
  /** Members that a document has beside its fields, as they follow from an item or from what is set of one. null: it has none any more. */
  readonly besideInDocument?: (part: Partial<T>) => Readonly<Record<string, unknown>>;
  /** Indexes of what a document holds otherwise, or of one named above whose key is another there. */
  readonly inDatabase?: Readonly<Record<string, DocumentIndex>>;
  /** By which a collection may be divided: what is asked of it for each message names the first member. Without one it stays whole. */
  readonly shardKey?: ShardKey;
}

export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

export interface Index<T> {
  /** A list along it has these in order, after those that are asked for. */
  readonly on: readonly (keyof T & string)[];
  /** It holds only items where this is so. */
  readonly where?: Where<T>;
  readonly isUnique?: true;
  /** What files and databases call it. An engine without a name for it has none. */
  readonly file?: string;
  readonly database?: string;
  /** An item goes this long after the time it is on. A file is swept instead. */
  readonly expiresAfterMs?: number;
  /** The filter of the index in databases, where it is not `where` said their way. */
  readonly filter?: object;
}

/** A database can leave out only what lacks a field: by another condition it holds everything. */
export type Where<T> =
  | { present: keyof T & string }
  | { absent: keyof T & string }
  | { is: { readonly [K in keyof T]?: T[K] } };

interface InFile<T> {
  /** Columns that are written with an item and never read back into one: an index needs them. */
  readonly derived?: Readonly<Record<string, (item: T) => number | string | null>>;
  /** SQL: what stands between `on table` and the end. */
  readonly indexes?: Readonly<Record<string, string>>;
  readonly uniqueIndexes?: Readonly<Record<string, string>>;
  /**
   * A field of bytes that is erased long before its item, and the table that they stand in meanwhile: within the item's row they would
   * leave a hole that nothing ever fills. Files of an earlier build have them in the row: both are read.
   */
  readonly apart?: Apart<T>;
}

export interface Apart<T> {
  readonly field: keyof T & string;
  readonly table: string;
  /** Shorter ones stand in the row: what it is told later takes their room, and a second table costs its writes. */
  readonly from?: number;
}

export interface DocumentIndex {
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly isUnique?: true;
  readonly filter?: object;
  readonly expiresAfterMs?: number;
}

/** What there is to say of an entity whatever its items are. */
export interface AnyEntity {
  readonly name: string;
  readonly key: readonly string[];
  readonly fields: Readonly<Record<string, Pick<Field<unknown>, 'inDocument'>>>;
  readonly indexes: Readonly<Record<string, Index<Record<string, unknown>>>>;
  readonly inDatabase?: Readonly<Record<string, DocumentIndex>>;
  readonly shardKey?: ShardKey;
}

type Parts<T> = Omit<Entity<T>, 'name' | 'key'>;

/** An entity whose items have an id. */
export function entity<T extends { id: string }>(name: string, parts: Parts<T>): Entity<T> {
  return { name, key: ['id'], ...parts };
}

/** An entity whose items are named by something else. */
export function entityBy<T>(name: string, key: readonly (keyof T & string)[], parts: Parts<T>): Entity<T> {
  return { name, key, ...parts };
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
