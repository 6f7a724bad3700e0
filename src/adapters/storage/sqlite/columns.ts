/** Some of a table's columns, or all: their part of the statements, and the object that a row stands for. */
import type { Apart } from '../entities/entity.ts';
import type { Field, Fields } from '../entities/fields.ts';
import { chooseColumnType } from './column-types.ts';
import { changed } from './sqlite.ts';
import type { Database, Value } from './sqlite.ts';

/** A row as `list` selects it: its columns are named as the entity's properties. */
export type Row<T> = { readonly [K in keyof T]: Value };

export class Columns<T extends object> {
  readonly #table: string;
  readonly #columns: readonly Column<T>[];
  readonly #written: readonly Derived<T>[];
  readonly #byKey: ReadonlyMap<string, Column<T>>;
  /** `t.id as id, t.account_id as accountId, …` */
  readonly list: string;
  /** As `list`, for `returning`: no table may be named there. */
  readonly returned: string;
  /** `id = :id, account_id = :accountId, …`; `values` fits it. */
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
    for (const column of this.#columns) column.take(row, item);
    // The compiler can't follow that a loop over all columns leaves no property out.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return item as T;
  };

  values(item: T): Record<string, Value> {
    return Object.fromEntries(this.#columns.map((column) => [column.key, column.put(item)]));
  }

  /** The columns of what is asked for or set, with their values. */
  some(part: object): { key: string; name: string; value: Value }[] {
    const some: { key: string; name: string; value: Value }[] = [];
    for (const key of Object.keys(part)) {
      const column = this.#byKey.get(key);
      const value = column?.some(part);
      if (column === undefined || value === undefined) continue;
      some.push({ key, name: column.name, value });
      // What is set takes the place of what stood apart.
      if (column.apart !== undefined)
        some.push({ key: placeKey(key), name: column.apart.place, value: null });
    }
    return some;
  }

  /** A property's value as its column has it. */
  toColumn(key: string, value: unknown): Value {
    return this.#byKey.get(key)?.some({ [key]: value }) ?? null;
  }

  /** Every column that is written with an item. */
  written(item: T): { name: string; value: Value }[] {
    return this.#written.map((column) => ({ name: column.name, value: column.put(item) }));
  }

  /**
   * Prepares an insert; it answers how many rows went in: none where `orElse` ignores a conflict. `instead` stands before the
   * item's own properties, as in a spread, which would cost 3 µs a message.
   */
  insert(db: Database, orElse = ''): Insert<T> {
    const apart = this.#columns.find((column) => column.apart !== undefined);
    return apart?.apart === undefined
      ? this.#adding(db, 'insert into', orElse)
      : this.#addingApart(db, orElse, apart, apart.apart);
  }

  /** Prepares an insert that takes the place of what has its key. */
  put(db: Database): (item: T) => number {
    return this.#adding(db, 'insert or replace into', '');
  }

  #adding(db: Database, into: string, orElse: string): Insert<T> {
    const columns = this.#written;
    const add = prepareInsert(db, `${into} ${this.#table}`, columns, orElse);
    return (item, instead) => changed(add.run(...columns.map((column) => column.put(item, instead))));
  }

  /** The bytes first, because the row says where they are. */
  #addingApart(db: Database, orElse: string, apart: Column<T>, { table, place, from }: Place): Insert<T> {
    const columns = this.#written;
    const add = prepareInsert(db, `insert into ${this.#table}`, [...columns, { name: place }], orElse);
    const keep = db.prepare(`insert into ${table} (bytes) values (?)`);
    const drop = db.prepare(`delete from ${table} where place = ?`);
    return (item, instead) => {
      const bytes = apart.put(item, instead);
      const isApart = bytes instanceof Uint8Array && bytes.byteLength >= from;
      const at = isApart ? Number(keep.run(bytes).lastInsertRowid) : null;
      const values = columns.map((column) =>
        isApart && column === apart ? null : column.put(item, instead),
      );
      const added = changed(add.run(...values, at));
      if (added === 0 && at !== null) drop.run(at);
      return added;
    };
  }
}

type Insert<T> = (item: T, instead?: Partial<T>) => number;

function prepareInsert(db: Database, into: string, columns: readonly { name: string }[], orElse: string) {
  const names = columns.map(({ name }) => name).join(', ');
  const marks = columns.map(() => '?').join(', ');
  return db.prepare(`${into} (${names}) values (${marks}) ${orElse}`);
}

/** Where the bytes of a column stand: a table, and the row's column that holds their key in it. */
interface Place {
  readonly table: string;
  readonly place: string;
  readonly from: number;
}

/** `of`: the table and a dot, or nothing. */
function readColumn({ name, apart }: { name: string; apart?: Place | undefined }, of: string): string {
  return apart === undefined
    ? `${of}${name}`
    : `coalesce(${of}${name}, (select bytes from ${apart.table} where place = ${of}${apart.place}))`;
}

/** A column that is written with the item and never read back into one: an index needs it. */
export interface Derived<T> {
  name: string;
  sql: string;
  put(item: T, instead?: Partial<T>): Value;
}

export interface Column<T> extends Derived<T> {
  key: string;
  apart?: Place | undefined;
  earlierSql?: ((column: string) => string) | undefined;
  /** As `put`, of a part of an item; undefined: it is not in it. */
  some(part: object): Value | undefined;
  take(row: Row<T>, into: Partial<T>): void;
}

/** `id`: the field that alone names an item. */
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

/** As a property beside the field that stands apart. */
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
    take: (row, into) => {
      into[key] = fromColumn(row[key]);
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
