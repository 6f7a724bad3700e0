/** All or some columns of a table: their parts of SQL statements, and the conversion of rows and items. */
import type { Apart } from '../entities/entity.ts';
import type { Field, Fields } from '../entities/fields.ts';
import { chooseColumnType } from './column-types.ts';
import { changed } from './sqlite.ts';
import type { Database, Value } from './sqlite.ts';

/** A row as `list` selects it, with the entity's property names. */
export type Row<T> = { readonly [K in keyof T]: Value };

export class Columns<T extends object> {
  readonly #table: string;
  readonly #columns: readonly Column<T>[];
  readonly #written: readonly Derived<T>[];
  readonly #byKey: ReadonlyMap<string, Column<T>>;
  /** For `select`: `t.id as id, t.account_id as accountId, …` */
  readonly list: string;
  /** For `returning`, where no table may be named. */
  readonly returned: string;
  /** For `update`: `id = :id, account_id = :accountId, …`, with the values of `values`. */
  readonly assignments: string;

  constructor(table: string, columns: readonly Column<T>[], derived: readonly Derived<T>[] = []) {
    this.#table = table;
    this.#columns = columns;
    this.#byKey = new Map(columns.map((column) => [column.key, column]));
    this.#written = [...derived, ...columns];
    this.list = columns.map((column) => `${readColumn(column, `${table}.`)} as ${column.key}`).join(', ');
    this.returned = columns.map((column) => `${readColumn(column, '')} as ${column.key}`).join(', ');
    this.assignments = columns.map(({ key, name }) => `${name} = :${key}`).join(', ');
  }

  readonly of = (row: Row<T>): T => {
    const item: Partial<T> = {};
    for (const column of this.#columns) column.take(column.find(row), item);
    // The compiler cannot see that the loop sets every property.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return item as T;
  };

  /** As `of`, for a row that is an array: its values from `from` on are those of `list`. */
  ofValues(values: readonly Value[], from = 0): T {
    const item: Partial<T> = {};
    let at = from;
    for (const column of this.#columns) column.take(values[at++] ?? null, item);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    return item as T;
  }

  values(item: T): Record<string, Value> {
    return Object.fromEntries(this.#columns.map((column) => [column.key, column.put(item)]));
  }

  /** The columns of the properties in `part`, with their values. */
  some(part: object): { key: string; name: string; value: Value }[] {
    const some: { key: string; name: string; value: Value }[] = [];
    for (const key of Object.keys(part)) {
      const column = this.#byKey.get(key);
      const value = column?.some(part);
      if (column === undefined || value === undefined) continue;
      some.push({ key, name: column.name, value });
      // A new value replaces the one in the separate table.
      if (column.apart !== undefined)
        some.push({ key: placeKey(key), name: column.apart.place, value: null });
    }
    return some;
  }

  /** Converts a property's value to its column's. */
  toColumn(key: string, value: unknown): Value {
    return this.#byKey.get(key)?.some({ [key]: value }) ?? null;
  }

  /** Every column that an insert writes, with its value. */
  written(item: T): { name: string; value: Value }[] {
    return this.#written.map((column) => ({ name: column.name, value: column.put(item) }));
  }

  /**
   * Prepares an insert. It returns the number of rows inserted: 0 if `orElse` ignores a conflict. `instead` overrides properties of the
   * item; a spread for that would cost 3 µs per message.
   */
  insert(db: Database, orElse = ''): Insert<T> {
    const apart = this.#columns.find((column) => column.apart !== undefined);
    return apart?.apart === undefined
      ? this.#adding(db, 'insert into', orElse)
      : this.#addingApart(db, orElse, apart, apart.apart);
  }

  /** Prepares an insert that replaces a row with the same key. */
  put(db: Database): (item: T) => number {
    return this.#adding(db, 'insert or replace into', '');
  }

  #adding(db: Database, into: string, orElse: string): Insert<T> {
    const columns = this.#written;
    const add = prepareInsert(db, `${into} ${this.#table}`, columns, orElse);
    return (item, instead) => changed(add.run(...columns.map((column) => column.put(item, instead))));
  }

  /** Inserts the bytes first, because the row holds their key, which is the row id that SQLite gave last. */
  #addingApart(db: Database, orElse: string, apart: Column<T>, { table, place, from }: Place): Insert<T> {
    const into = `insert into ${this.#table}`;
    const others = this.#written.filter((column) => column !== apart);
    const addWithin = this.#adding(db, 'insert into', orElse);
    const add = prepareInsert(db, into, others, orElse, { [place]: 'last_insert_rowid()' });
    const keep = db.prepare(`insert into ${table} (bytes) values (?)`);
    const drop = db.prepare(`delete from ${table} where place = last_insert_rowid()`);
    return (item, instead) => {
      const bytes = apart.put(item, instead);
      if (!(bytes instanceof Uint8Array) || bytes.byteLength < from) return addWithin(item, instead);
      keep.get(bytes);
      const added = changed(add.run(...others.map((column) => column.put(item, instead))));
      if (added === 0) drop.get();
      return added;
    };
  }
}

type Insert<T> = (item: T, instead?: Partial<T>) => number;

/** `more`: further columns, each with its SQL. */
function prepareInsert(
  db: Database,
  into: string,
  columns: readonly { name: string }[],
  orElse: string,
  more: Readonly<Record<string, string>> = {},
) {
  const names = [...columns.map(({ name }) => name), ...Object.keys(more)];
  const values = [...columns.map(() => '?'), ...Object.values(more)];
  return db.prepare(`${into} (${names.join(', ')}) values (${values.join(', ')}) ${orElse}`);
}

/** Where a field's bytes are stored: a table, the column of the row that holds their key in it, and the minimum length. */
interface Place {
  readonly table: string;
  readonly place: string;
  readonly from: number;
}

/** `of`: the table's name and a dot, or nothing. */
function readColumn({ name, apart }: { name: string; apart?: Place | undefined }, of: string): string {
  return apart === undefined
    ? `${of}${name}`
    : `coalesce(${of}${name}, (select bytes from ${apart.table} where place = ${of}${apart.place}))`;
}

/** A column that an index needs: written with the item, never read back into it. */
export interface Derived<T> {
  name: string;
  sql: string;
  put(item: T, instead?: Partial<T>): Value;
}

export interface Column<T> extends Derived<T> {
  key: string;
  apart?: Place | undefined;
  earlierSql?: ((column: string) => string) | undefined;
  /** As `put`, for a part of an item; undefined if the part lacks the property. */
  some(part: object): Value | undefined;
  find(row: Row<T>): Value;
  /** Sets the property to what the column's value means. */
  take(value: Value, into: Partial<T>): void;
}

/** `id`: the property that is the primary key, if there is one. */
export function makeColumns<T extends object>(
  fields: Fields<T>,
  id: string | null,
  apart?: Apart<T>,
): Column<T>[] {
  const columns: Column<T>[] = [];
  for (const key in fields) {
    const column = makeColumn(key, fields[key], key === id);
    columns.push(key === apart?.field ? { ...column, apart: placeOf(apart) } : column);
  }
  return columns;
}

export function placeOf<T>({ field, table, from = 0 }: Apart<T>): Place {
  return { table, place: columnName(placeKey(field)), from };
}

/** Property name of the key of separately stored bytes. */
export function placeKey(field: string): string {
  return `${field}Place`;
}

function makeColumn<T extends object, K extends keyof T & string>(
  key: K,
  field: Field<T[K]>,
  isId: boolean,
): Column<T> {
  const { sql, toColumn, fromColumn, earlierSql } = chooseColumnType(field, isId);
  return {
    key,
    name: columnName(key),
    sql,
    earlierSql,
    put: (item, instead) => {
      const value = instead?.[key];
      return toColumn(value === undefined ? item[key] : value);
    },
    some(part) {
      const value: T[K] | undefined = Reflect.get(part, key);
      return value === undefined ? undefined : toColumn(value);
    },
    find: (row) => row[key],
    take: (value, into) => {
      into[key] = fromColumn(value);
    },
  };
}

const names = new Map<string, string>();

/** `createdAt` → `created_at`. */
export function columnName(key: string): string {
  let name = names.get(key);
  if (name === undefined) {
    name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    names.set(key, name);
  }
  return name;
}
