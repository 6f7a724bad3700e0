/** The column of each kind of field, and the conversion of its values. */
import { LRUCache } from 'lru-cache';
import type { Field } from '../entities/fields.ts';
import { packToBind, packIdSql, unpackId } from './packed-ids.ts';
import type { Value } from './sqlite.ts';

interface ColumnType<V> {
  /** Type and constraints of the column. */
  readonly sql: string;
  readonly toColumn: (value: V) => Value;
  readonly fromColumn: (column: Value) => V;
  /** SQL that converts a column of another type, as an older version made it. */
  readonly earlierSql?: (column: string) => string;
}

const types = {
  id: 'any',
  text: 'text',
  integer: 'integer',
  flag: 'integer',
  bytes: 'blob',
  json: 'text',
} as const;

/** `isId`: the column is the primary key. */
export function chooseColumnType<V>(field: Field<V>, isId: boolean): ColumnType<V> {
  const sql = `${types[field.kind]}${isId ? ' primary key' : writeConstraints(field)}`;
  switch (field.kind) {
    case 'flag':
      return { sql, ...flagType(field.isNullable) };
    case 'id':
      return { sql, ...idType(field.isNullable), earlierSql: packIdSql };
    case 'json':
      return { sql, ...jsonType(field) };
    default:
      return { sql, ...sameType() };
  }
}

function writeConstraints<V>({ kind, isNullable, isUnique, before }: Field<V>): string {
  if (isNullable) return '';
  const otherwise =
    before === undefined ? '' : ` default ${literal(kind === 'json' ? JSON.stringify(before) : before)}`;
  return ` not null${isUnique === true ? ' unique' : ''}${otherwise}`;
}

export function literal(value: unknown): string {
  if (typeof value === 'boolean') return String(bit(value));
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`;
}

type Codec<V> = Pick<ColumnType<V>, 'toColumn' | 'fromColumn'>;

/** No conversion or check: the value was checked when it was written. */
function sameType<V>(): Codec<V> {
  const same = (value: unknown): unknown => value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { toColumn: same as (value: V) => Value, fromColumn: same as (column: Value) => V };
}

function idType<V>(isNullable: boolean): Codec<V> {
  return {
    toColumn: (value) => (value === null ? null : packToBind(String(value))),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    fromColumn: (column) => (isNullable && column === null ? null : unpackId(column)) as V,
  };
}

/** Null, 0 or 1. */
function flagType<V>(isNullable: boolean): Codec<V> {
  return {
    toColumn: (value) => (value === null ? null : Number(value)),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    fromColumn: (column) => (isNullable && column === null ? null : column === 1) as V,
  };
}

function jsonType<V>({ isNullable, readOften, asRead = (value) => value }: Field<V>): Codec<V> {
  const parse = readOften === undefined ? parsed : remembering(readOften);
  return {
    toColumn: (value) => (isNullable && value === null ? null : JSON.stringify(value)),
    fromColumn: (column) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      isNullable && column === null ? (null as V) : asRead(parse(String(column)) as NonNullable<V>),
  };
}

function parsed(text: string): unknown {
  return JSON.parse(text);
}

/** Caches parsed values; rows with the same text share one value. */
function remembering(maxCharacters: number): (text: string) => unknown {
  const read = new LRUCache<string, object>({
    maxSize: maxCharacters,
    sizeCalculation: (_, text) => text.length,
  });
  return (text) => {
    const known = read.get(text);
    if (known !== undefined) return known;
    const value: object = JSON.parse(text);
    read.set(text, value);
    return value;
  };
}

function bit(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
