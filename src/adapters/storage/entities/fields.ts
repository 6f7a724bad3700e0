/** What a field of an entity can be. A column and the member of a document follow from it. */

type Kind = 'id' | 'text' | 'integer' | 'flag' | 'bytes' | 'json';

export interface Field<V> {
  readonly kind: Kind;
  readonly isNullable: boolean;
  /** No two items share it. */
  readonly isUnique?: true;
  /** What items have that were kept before this field; a field that joins an entity needs it, or may be null. */
  readonly before?: V;
  /** Of JSON that is read far more often than it changes: so many characters of what was read last are remembered. */
  readonly readOften?: number;
  /** Its name in a document, where that is another. */
  readonly inDocument?: string;
  /** What it is in an item whose document doesn't have it at times. */
  readonly whenAbsent?: V;
  /** In a document it is a Date, for an index that lets items expire. */
  readonly isDate?: true;
  /** In a document it is JSON as text: its members' names are not ours. */
  readonly isForeign?: true;
  /** In a document an empty list is left out, as null is: an index holds only what has some. */
  readonly isAbsentWhenEmpty?: true;
  /** What was stored means this: where a part of it may be missing. */
  readonly asRead?: (stored: NonNullable<V>) => V;
  /** Only says what V is. */
  readonly of?: (value: V) => V;
}

/** One field per property of the entity, in the order of the columns. */
export type Fields<T> = { readonly [K in keyof T]-?: Field<T[K]> };

type More<V> = Omit<Field<V>, 'kind' | 'isNullable' | 'isUnique' | 'of'>;

/** An id of ours: a UUID, which is less than half of its text in a file. */
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

/** Sealed bytes. Last in the entity: reading the columns before them never touches their overflow pages. */
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
