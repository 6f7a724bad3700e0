/** Some of a table's columns, or all: their part of the statements, and the object that a row stands for. */
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
    this.list = columns.map(({ key, name }) => `${table}.${name} as ${key}`).join(', ');
    this.returned = columns.map(({ key, name }) => `${name} as ${key}`).join(', ');
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
      if (column !== undefined && value !== undefined) some.push({ key, name: column.name, value });
    }
    return some;
  }

  /** Every column that is written with an item. */
  written(item: T): { name: string; value: Value }[] {
    return this.#written.map((column) => ({ name: column.name, value: column.put(item) }));
  }

  /**
   * Prepares an insert; it answers how many rows went in: none where `orElse` ignores a conflict. `instead` stands before the
   * item's own properties, as in a spread, which would cost 3 µs a message.
   */
  insert(db: Database, orElse = ''): (item: T, instead?: Partial<T>) => number {
    return this.#adding(db, 'insert into', orElse);
  }

  /** Prepares an insert that takes the place of what has its key. */
  put(db: Database): (item: T) => number {
    return this.#adding(db, 'insert or replace into', '');
  }

  #adding(db: Database, into: string, orElse: string): (item: T, instead?: Partial<T>) => number {
    const columns = this.#written;
    const names = columns.map(({ name }) => name).join(', ');
    const marks = columns.map(() => '?').join(', ');
    const add = db.prepare(`${into} ${this.#table} (${names}) values (${marks}) ${orElse}`);
    return (item, instead) => changed(add.run(...columns.map((column) => column.put(item, instead))));
  }
}

/** A column that is written with the item and never read back into one: an index needs it. */
export interface Derived<T> {
  name: string;
  sql: string;
  put(item: T, instead?: Partial<T>): Value;
}

export interface Column<T> extends Derived<T> {
  key: string;
  /** As `put`, of a part of an item; undefined: it is not in it. */
  some(part: object): Value | undefined;
  take(row: Row<T>, into: Partial<T>): void;
}

/** `id`: the field that alone names an item. */
export function makeColumns<T extends object>(fields: Fields<T>, id: string | null): Column<T>[] {
  const columns: Column<T>[] = [];
  for (const key in fields) columns.push(makeColumn(key, fields[key], key === id));
  return columns;
}

function makeColumn<T extends object, K extends keyof T & string>(
  key: K,
  field: Field<T[K]>,
  isId: boolean,
): Column<T> {
  const { sql, toColumn, fromColumn } = chooseColumnType(field, isId);
  return {
    key,
    name: columnName(key),
    sql,
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
