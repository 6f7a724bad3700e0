/** What the columns of a table can be. A field says once what its column is and how a value gets in and out. */
import { LRUCache } from 'lru-cache';
import type { Value } from '../sqlite.ts';

export interface Field<V> {
  /** Type and constraints of the column. */
  readonly sql: string;
  readonly toColumn: (value: V) => Value;
  readonly fromColumn: (column: Value) => V;
}

/** One field per property of the entity, in the order of the columns. */
export type Fields<T> = { readonly [K in keyof T]-?: Field<T[K]> };

function same<V extends Value>(sql: string): Field<V> {
  // What is in a column was checked when it went in, by this field: it is not parsed a second time.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { sql, toColumn: (value) => value, fromColumn: (column) => column as V };
}

/** `before`: what rows written before this field have. A field that joins a table needs it, or may be null. */
interface Joined<V> {
  before: V;
}

export function text<V extends string>(joined?: Joined<V>): Field<V> {
  const otherwise = joined === undefined ? '' : ` default '${joined.before.replaceAll("'", "''")}'`;
  return same(`text not null${otherwise}`);
}

export function textOrNull<V extends string>(): Field<V | null> {
  return same('text');
}

/** The table's own key. */
export function id(): Field<string> {
  return same('text primary key');
}

/** Text that no two rows share. It can't join a table that is there: that takes a unique index. */
export function uniqueText(): Field<string> {
  return same('text not null unique');
}

/** Numbers, and times in ms. */
export function integer(joined?: Joined<number>): Field<number> {
  return same(`integer not null${joined === undefined ? '' : ` default ${joined.before}`}`);
}

export function integerOrNull(): Field<number | null> {
  return same('integer');
}

export function flag(joined?: Joined<boolean>): Field<boolean> {
  return {
    sql: `integer not null${joined === undefined ? '' : ` default ${bit(joined.before)}`}`,
    toColumn: bit,
    fromColumn: (column) => column === 1,
  };
}

export function bit(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** Sealed bytes. Last in the table: reading the columns before them never touches their overflow pages. */
export function bytes<V extends Uint8Array>(): Field<V> {
  return same('blob not null');
}

export function bytesOrNull<V extends Uint8Array>(): Field<V | null> {
  return same('blob');
}

/** Lists and objects, as JSON. */
export function json<V extends object>(joined?: Joined<V>): Field<V> {
  const { sql } = text(joined === undefined ? undefined : { before: JSON.stringify(joined.before) });
  return {
    sql,
    toColumn: (value) => JSON.stringify(value),
    fromColumn: (column) => JSON.parse(String(column)),
  };
}

/**
 * Lists and objects that are read far more often than they change: of the texts read last, what they said is remembered, at most
 * `maxCharacters` of them together. Two rows with the same text share one value.
 */
export function jsonReadOften<V extends object>(maxCharacters: number): Field<V> {
  const { sql, toColumn, fromColumn } = json<V>();
  const read = new LRUCache<string, V>({ maxSize: maxCharacters, sizeCalculation: (_, text) => text.length });
  return {
    sql,
    toColumn,
    fromColumn(column) {
      const text = String(column);
      const known = read.get(text);
      if (known !== undefined) return known;
      const value = fromColumn(text);
      read.set(text, value);
      return value;
    },
  };
}

export function jsonOrNull<V extends object>(): Field<V | null> {
  return {
    sql: 'text',
    toColumn: (value) => (value === null ? null : JSON.stringify(value)),
    fromColumn: (column) => (column === null ? null : JSON.parse(String(column))),
  };
}
