/** Kinds of fields of an entity. The column and the member of a document follow from them. */

type Kind = 'id' | 'text' | 'integer' | 'flag' | 'bytes' | 'json';

export interface Field<V> {
  readonly kind: Kind;
  readonly isNullable: boolean;
  /** No two items have the same value. */
  readonly isUnique?: true;
  /** Value of items that were stored before the field existed. A new field needs it unless it may be null. */
  readonly before?: V;
  /** For JSON that is read far more often than it changes: parsed values are cached, up to this many characters of JSON. */
  readonly readOften?: number;
  /** Name of the member in a document, if it differs. */
  readonly inDocument?: string;
  /** Value for items whose document lacks the member at times. */
  readonly whenAbsent?: V;
  /** In a document the value is a Date, as a TTL index requires. */
  readonly isDate?: true;
  /** In a document the value is JSON text, because the names of its members are not ours. */
  readonly isForeign?: true;
  /** In a document an empty list is absent, as null is, so that an index contains only items with entries. */
  readonly isAbsentWhenEmpty?: true;
  /** Completes a stored value that may lack parts. */
  readonly asRead?: (stored: NonNullable<V>) => V;
  /** Holds the type V; never called. */
  readonly of?: (value: V) => V;
}

/** One field per property of the entity, in the order of the columns. */
export type Fields<T> = { readonly [K in keyof T]-?: Field<T[K]> };

type More<V> = Omit<Field<V>, 'kind' | 'isNullable' | 'isUnique' | 'of'>;

/** An id of this service, a UUID. A file packs it into less than half the size of its text. */
export function id(): Field<string> {
  return { kind: 'id', isNullable: false };
}

export function idOrNull(): Field<string | null> {
  return { kind: 'id', isNullable: true };
}

export function text<V extends string>(more: More<V> = {}): Field<V> {
  return { kind: 'text', isNullable: false, ...more };
}

export function textOrNull<V extends string>(more: More<V | null> = {}): Field<V | null> {
  return { kind: 'text', isNullable: true, ...more };
}

export function uniqueText(): Field<string> {
  return { kind: 'text', isNullable: false, isUnique: true };
}

/** Numbers, and times in ms. */
export function integer(more: More<number> = {}): Field<number> {
  return { kind: 'integer', isNullable: false, ...more };
}

export function integerOrNull(more: More<number | null> = {}): Field<number | null> {
  return { kind: 'integer', isNullable: true, ...more };
}

export function flag(more: More<boolean> = {}): Field<boolean> {
  return { kind: 'flag', isNullable: false, ...more };
}

export function flagOrNull(): Field<boolean | null> {
  return { kind: 'flag', isNullable: true };
}

/** Sealed bytes. Must come last in an entity, so that reading the columns before never touches their overflow pages. */
export function bytes<V extends Uint8Array>(more: More<V> = {}): Field<V> {
  return { kind: 'bytes', isNullable: false, ...more };
}

export function bytesOrNull<V extends Uint8Array>(): Field<V | null> {
  return { kind: 'bytes', isNullable: true };
}

/** Lists and objects. */
export function json<V>(more: More<V> = {}): Field<V> {
  return { kind: 'json', isNullable: false, ...more };
}

export function jsonOrNull<V>(more: More<V | null> = {}): Field<V | null> {
  return { kind: 'json', isNullable: true, ...more };
}
