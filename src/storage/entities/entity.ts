/** An entity: one sort of stored item. Both engines derive tables, collections, indexes and the conversion of items from it. */
import type { Field, Fields } from './fields.ts';

export interface Entity<T> {
  /** Name of the table and of the collection. */
  readonly name: string;
  readonly fields: Fields<T>;
  /** Fields of the primary key; `id` by default. */
  readonly key: readonly (keyof T & string)[];
  readonly indexes: Readonly<Record<string, Index<T>>>;
  /** Items are taken by one caller and are gone then. In a database the document stays, marked as taken, until it expires. */
  readonly isTaken?: true;
  /** What a file holds beside the fields, where a document holds it in another form. */
  readonly inFile?: InFile<T>;
  /** Members of a document beside the fields, derived from an item or from a change. null removes the member. */
  readonly besideInDocument?: (part: Partial<T>) => Readonly<Record<string, unknown>>;
  /** Indexes over such members, or replacements for indexes of the same name whose key differs in documents. */
  readonly inDatabase?: Readonly<Record<string, DocumentIndex>>;
}

export interface Index<T> {
  /** The fields in order: those that lists compare for equality, then those that order lists. */
  readonly on: readonly (keyof T & string)[];
  /** The index contains only items that meet this. */
  readonly where?: Where<T>;
  readonly isUnique?: true;
  /** Names of the index in files and databases. An engine without a name has no such index. */
  readonly file?: string;
  readonly database?: string;
  /** Items expire this long after the indexed time. In files a sweep does this. */
  readonly expiresAfterMs?: number;
  /** Filter of the index in databases, if it differs from `where`. */
  readonly filter?: object;
}

/** An index of a database can leave out only documents without a field; with any other condition it contains all documents. */
export type Where<T> =
  | { present: keyof T & string }
  | { absent: keyof T & string }
  | { is: { readonly [K in keyof T]?: T[K] } };

interface InFile<T> {
  /** Columns that an index needs: written with an item, never read back into it. */
  readonly derived?: Readonly<Record<string, DerivedValue<T>>>;
  /** SQL: the part of `create index` after the table's name. */
  readonly indexes?: Readonly<Record<string, string>>;
  readonly uniqueIndexes?: Readonly<Record<string, string>>;
  /**
   * A field of bytes that is erased long before its item. It has a table of its own, because in the item's row it would leave a hole that
   * nothing fills. In files of older versions it is in the row: both places are read.
   */
  readonly apart?: Apart<T>;
}

interface DerivedValue<T> {
  /** The fields that the value follows from. */
  readonly from: readonly (keyof T & string)[];
  readonly derive: (item: T) => number | string | null;
}

export interface Apart<T> {
  readonly field: keyof T & string;
  readonly table: string;
  /** Shorter values stay in the row: later updates of the row fill their room, and a second table costs writes. */
  readonly from?: number;
}

export interface DocumentIndex {
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly isUnique?: true;
  readonly filter?: object;
  readonly expiresAfterMs?: number;
}

/** An entity without the type of its items. */
export interface AnyEntity {
  readonly name: string;
  readonly key: readonly string[];
  readonly fields: Readonly<Record<string, Pick<Field<unknown>, 'inDocument'>>>;
  readonly indexes: Readonly<Record<string, Index<Record<string, unknown>>>>;
  readonly inDatabase?: Readonly<Record<string, DocumentIndex>>;
}

type Parts<T> = Omit<Entity<T>, 'name' | 'key'>;

/** An entity whose key is `id`. */
export function entity<T extends { id: string }>(name: string, parts: Parts<T>): Entity<T> {
  return { name, key: ['id'], ...parts };
}

/** An entity with another key. */
export function entityBy<T>(name: string, key: readonly (keyof T & string)[], parts: Parts<T>): Entity<T> {
  return { name, key, ...parts };
}
