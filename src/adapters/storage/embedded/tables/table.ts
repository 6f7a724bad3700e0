/** A table by its fields: what makes it, fills it and reads it. The property `createdAt` is the column `created_at`. */
import { changed } from '../sqlite.ts';
import type { Database, Value } from '../sqlite.ts';
import type { Field, Fields } from './fields.ts';

/** A row as `Columns.list` selects it: its columns are named as the entity's properties. */
export type Row<T> = { readonly [K in keyof T]: Value };

/** Some of a table's columns: how to select and set them, and the object that a row stands for. */
export interface Columns<T> {
  /** `t.id as id, t.account_id as accountId, …` */
  readonly list: string;
  readonly of: (row: Row<T>) => T;
  /** `id = :id, account_id = :accountId, …`, and its values. */
  readonly assignments: string;
  readonly values: (item: T) => Record<string, Value>;
}

interface Options {
  /** A key that is no `id()`. The table is kept in its order. */
  key?: readonly string[];
  /** By name: what stands between `on table` and the end. */
  indexes?: Readonly<Record<string, string>>;
  uniqueIndexes?: Readonly<Record<string, string>>;
}

export class Table<T extends object> {
  readonly name: string;
  /** Of all columns. */
  readonly list: string;
  readonly of: (row: Row<T>) => T;
  readonly #columns: readonly Column<T>[];
  readonly #options: Options;

  constructor(name: string, fields: Fields<T>, options: Options = {}) {
    this.name = name;
    this.#columns = columnsOf(fields);
    this.#options = options;
    const { list, of } = columnsAs<T>(name, this.#columns);
    this.list = list;
    this.of = of;
  }

  pick<K extends keyof T & string>(...keys: readonly K[]): Columns<Pick<T, K>> {
    return columnsAs<Pick<T, K>>(
      this.name,
      this.#columns.filter(({ key }) => keys.some((each) => each === key)),
    );
  }

  /** The columns of these fields. */
  part<K extends keyof T & string>(fields: Fields<Pick<T, K>>): Columns<Pick<T, K>> {
    return columnsAs<Pick<T, K>>(
      this.name,
      this.#columns.filter(({ key }) => key in fields),
    );
  }

  /** Prepares an insert; it answers how many rows went in: none where `orElse` ignores a conflict. */
  insert(db: Database, orElse = ''): (item: T) => number {
    return this.#adding(db, 'insert into', orElse);
  }

  /** Prepares an insert that takes the place of what has its key. */
  put(db: Database): (item: T) => number {
    return this.#adding(db, 'insert or replace into', '');
  }

  #adding(db: Database, into: string, orElse: string): (item: T) => number {
    const columns = this.#columns;
    const names = columns.map(({ name }) => name).join(', ');
    const marks = columns.map(() => '?').join(', ');
    const add = db.prepare(`${into} ${this.name} (${names}) values (${marks}) ${orElse}`);
    return (item) => changed(add.run(...columns.map((column) => column.put(item))));
  }

  /** Makes what the file lacks of the table: itself, columns that joined it, indexes. What is there stays as it is. */
  complete(db: Database): void {
    const { key, indexes = {}, uniqueIndexes = {} } = this.#options;
    const there = db.prepare<{ name: string }>(`select name from pragma_table_info('${this.name}')`).all();
    if (there.length === 0) db.exec(createTable(this.name, this.#columns, key));
    else {
      const missing = this.#columns.filter(({ name }) => there.every((column) => column.name !== name));
      for (const { name, sql } of missing) db.exec(`alter table ${this.name} add column ${name} ${sql}`);
    }
    const on = (name: string, what: string) => `index if not exists ${name} on ${this.name} ${what}`;
    for (const [name, what] of Object.entries(indexes)) db.exec(`create ${on(name, what)}`);
    for (const [name, what] of Object.entries(uniqueIndexes)) db.exec(`create unique ${on(name, what)}`);
  }
}

/** What `schema.ts` needs of a table, whatever it holds. */
export type AnyTable = Pick<Table<never>, 'name' | 'complete'>;

interface Column<T> {
  key: string;
  name: string;
  sql: string;
  put(item: T): Value;
  take(row: Row<T>, into: Partial<T>): void;
}

function columnsOf<T extends object>(fields: Fields<T>): Column<T>[] {
  const columns: Column<T>[] = [];
  for (const key in fields) columns.push(columnOf(key, fields[key]));
  return columns;
}

function columnOf<T extends object, K extends keyof T & string>(key: K, field: Field<T[K]>): Column<T> {
  const { sql, toColumn, fromColumn } = field;
  return {
    key,
    name: columnName(key),
    sql,
    put: (item) => toColumn(item[key]),
    take: (row, into) => {
      into[key] = fromColumn(row[key]);
    },
  };
}

/** `createdAt` → `created_at`. */
export function columnName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function createTable(
  name: string,
  columns: readonly { name: string; sql: string }[],
  key: Options['key'],
): string {
  const parts = columns.map((column) => `${column.name} ${column.sql}`);
  return key === undefined
    ? `create table ${name} (${parts.join(', ')}) strict`
    : `create table ${name} (${parts.join(', ')}, primary key (${key.join(', ')})) strict, without rowid`;
}

function columnsAs<T extends object>(table: string, columns: readonly Column<T>[]): Columns<T> {
  return {
    list: columns.map(({ key, name }) => `${table}.${name} as ${key}`).join(', '),
    assignments: columns.map(({ key, name }) => `${name} = :${key}`).join(', '),
    of: (row) => {
      const item: Partial<T> = {};
      for (const column of columns) column.take(row, item);
      // The compiler can't follow that a loop over all columns leaves no property out.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return item as T;
    },
    values: (item) => Object.fromEntries(columns.map((column) => [column.key, column.put(item)])),
  };
}
