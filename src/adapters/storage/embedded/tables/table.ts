/** A table by its fields: what makes it, fills it and reads it. The property `createdAt` is the column `created_at`. */
import type { Database } from '../sqlite.ts';
import { Columns, columnsOf } from './columns.ts';
import type { Column, Derived } from './columns.ts';
import type { Fields } from './fields.ts';

export type { Row } from './columns.ts';

interface Options<T> {
  /** A key that is no `id()`. The table is kept in its order. */
  key?: readonly string[];
  /** By name: what stands between `on table` and the end. */
  indexes?: Readonly<Record<string, string>>;
  uniqueIndexes?: Readonly<Record<string, string>>;
  derived?: readonly Derived<T>[];
}

export class Table<T extends object> extends Columns<T> {
  readonly name: string;
  readonly #columns: readonly Column<T>[];
  readonly #options: Options<T>;

  constructor(name: string, fields: Fields<T>, options: Options<T> = {}) {
    const columns = columnsOf(fields);
    super(name, columns, options.derived);
    this.name = name;
    this.#columns = columns;
    this.#options = options;
  }

  pick<K extends keyof T & string>(...keys: readonly K[]): Columns<Pick<T, K>> {
    const picked = this.#columns.filter(({ key }) => keys.some((each) => each === key));
    return new Columns<Pick<T, K>>(this.name, picked);
  }

  /** The columns of these fields. */
  part<K extends keyof T & string>(fields: Fields<Pick<T, K>>): Columns<Pick<T, K>> {
    const picked = this.#columns.filter(({ key }) => key in fields);
    return new Columns<Pick<T, K>>(this.name, picked);
  }

  /** Makes what the file lacks of the table: itself, columns that joined it, indexes. What is there stays as it is. */
  complete(db: Database): void {
    const { key, indexes = {}, uniqueIndexes = {}, derived = [] } = this.#options;
    const columns = [...derived, ...this.#columns];
    const there = db.prepare<{ name: string }>(`select name from pragma_table_info('${this.name}')`).all();
    if (there.length === 0) db.exec(createTable(this.name, columns, key));
    else {
      const missing = columns.filter(({ name }) => there.every((column) => column.name !== name));
      for (const { name, sql } of missing) db.exec(`alter table ${this.name} add column ${name} ${sql}`);
    }
    const on = (name: string, what: string) => `index if not exists ${name} on ${this.name} ${what}`;
    for (const [name, what] of Object.entries(indexes)) db.exec(`create ${on(name, what)}`);
    for (const [name, what] of Object.entries(uniqueIndexes)) db.exec(`create unique ${on(name, what)}`);
  }
}

/** What `schema.ts` needs of a table, whatever it holds. */
export type AnyTable = Pick<Table<never>, 'name' | 'complete'>;

function createTable(
  name: string,
  columns: readonly { name: string; sql: string }[],
  key: readonly string[] | undefined,
): string {
  const parts = columns.map((column) => `${column.name} ${column.sql}`);
  return key === undefined
    ? `create table ${name} (${parts.join(', ')}) strict`
    : `create table ${name} (${parts.join(', ')}, primary key (${key.join(', ')})) strict, without rowid`;
}
