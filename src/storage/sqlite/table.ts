/** The table of an entity: its DDL and its columns. The property `createdAt` is the column `created_at`. */
import type { Apart, Entity, Index, Where } from '../entities/entity.ts';
import { literal } from './column-types.ts';
import { Columns, columnName, makeColumns, placeOf } from './columns.ts';
import type { Column, Derived } from './columns.ts';
import type { Database } from './sqlite.ts';

export class Table<T extends object> extends Columns<T> {
  readonly name: string;
  readonly entity: Entity<T>;
  readonly #columns: readonly Column<T>[];
  readonly #derived: readonly Derived<T>[];

  constructor(entity: Entity<T>) {
    const id = isById(entity) ? 'id' : null;
    const columns = makeColumns(entity.fields, id, entity.inFile?.apart);
    const derived = Object.entries(entity.inFile?.derived ?? {}).map(([name, { derive }]) => ({
      name,
      sql: 'integer',
      put: derive,
    }));
    super(entity.name, columns, derived);
    this.name = entity.name;
    this.entity = entity;
    this.#columns = columns;
    this.#derived = derived;
  }

  pick<K extends keyof T & string>(...keys: readonly K[]): Columns<Pick<T, K>> {
    const picked = this.#columns.filter(({ key }) => keys.some((each) => each === key));
    return new Columns<Pick<T, K>>(this.name, picked);
  }

  /**
   * Creates what the file lacks of the table: the table itself, added columns, indexes. What exists stays unchanged, except columns of
   * another type.
   */
  complete(db: Database): void {
    const { name, entity } = this;
    const apart = entity.inFile?.apart;
    const places = apart === undefined ? [] : [{ name: placeOf(apart).place, sql: 'integer' }];
    const columns = [...this.#derived, ...places, ...this.#columns];
    completeColumns(db, entity, columns);
    for (const sql of listIndexes(entity)) db.exec(sql);
    if (apart !== undefined) db.exec(writeApart(name, apart));
  }
}

function isById<T>({ key }: Entity<T>): boolean {
  return key.length === 1 && String(key[0]) === 'id';
}

function createTable<T>(entity: Entity<T>, columns: readonly { name: string; sql: string }[]): string {
  const { name, key } = entity;
  const parts = columns.map((column) => `${column.name} ${column.sql}`);
  // With another key than an id, the table is stored in the order of its key.
  return isById(entity)
    ? `create table ${name} (${parts.join(', ')}) strict`
    : `create table ${name} (${parts.join(', ')}, primary key (${key.map(columnName).join(', ')})) strict, without rowid`;
}

type Wanted = Pick<Column<never>, 'name' | 'sql' | 'earlierSql'>;

function completeColumns<T>(db: Database, entity: Entity<T>, columns: readonly Wanted[]): void {
  const { name } = entity;
  const found = db.prepare<{ name: string; type: string }>(
    `select name, type from pragma_table_info('${name}')`,
  );
  const types = new Map(found.all().map((column) => [column.name, column.type.toLowerCase()]));
  const isOther = (column: Wanted): boolean => !column.sql.startsWith(types.get(column.name) ?? '');
  if (types.size === 0) return db.exec(createTable(entity, columns));
  const kept = columns.filter((column) => types.has(column.name));
  if (kept.some(isOther)) return db.exec(remakeTable(entity, columns, kept, isOther));
  for (const column of columns)
    if (!types.has(column.name)) db.exec(`alter table ${name} add column ${column.name} ${column.sql}`);
}

/**
 * SQLite cannot change a column's type, so all rows are copied to a new table, in order. Indexes and triggers are dropped with the old one.
 */
function remakeTable<T>(
  entity: Entity<T>,
  columns: readonly Wanted[],
  kept: readonly Wanted[],
  isOther: (column: Wanted) => boolean,
): string {
  const { name } = entity;
  const read = (column: Wanted): string =>
    (isOther(column) ? column.earlierSql?.(column.name) : undefined) ?? column.name;
  return `
    alter table ${name} rename to ${name}_before;
    ${createTable(entity, columns)};
    insert into ${name} (${kept.map((column) => column.name).join(', ')})
      select ${kept.map(read).join(', ')} from ${name}_before ${isById(entity) ? 'order by rowid' : ''};
    drop table ${name}_before`;
}

/**
 * The columns of an index, without a final id: the id only orders items of the same millisecond, and SQLite sorts those few when it reads
 * them. This saves 17 bytes per entry. Indexes of older versions may include the id, and work as well.
 */
function indexed<T>(entity: Entity<T>, { on, isUnique }: Index<T>): readonly string[] {
  return isById(entity) && isUnique !== true && on.length > 2 && on.at(-1) === 'id' ? on.slice(0, -1) : on;
}

/** Triggers delete separately stored bytes when their row ends them or is deleted, so that no write needs to do it. */
function writeApart<T>(name: string, apart: Apart<T>): string {
  const { table, place } = placeOf(apart);
  const drop = `begin delete from ${table} where place = old.${place}; end`;
  return `
    create table if not exists ${table} (place integer primary key, bytes blob not null) strict;
    create trigger if not exists ${table}_ended after update of ${place} on ${name}
      when old.${place} is not null and new.${place} is not old.${place} ${drop};
    create trigger if not exists ${table}_dropped after delete on ${name} when old.${place} is not null ${drop};`;
}

function listIndexes<T>(entity: Entity<T>): string[] {
  const { name: table, indexes, inFile = {} } = entity;
  const make = (unique: string, [name, what]: readonly [string, string]): string =>
    `create ${unique}index if not exists ${name} on ${table} ${what}`;
  const named = Object.values<Index<T>>(indexes).flatMap((index) => {
    const { file, isUnique, where } = index;
    const what = `(${indexed(entity, index).map(columnName).join(', ')})${where === undefined ? '' : ` where ${writeCondition(where)}`}`;
    return file === undefined ? [] : [make(isUnique === true ? 'unique ' : '', [file, what])];
  });
  const others = Object.entries(inFile.indexes ?? {}).map((index) => make('', index));
  const unique = Object.entries(inFile.uniqueIndexes ?? {}).map((index) => make('unique ', index));
  return [...named, ...others, ...unique];
}

/** Also used in queries: SQLite uses a partial index only if the query repeats its condition. */
export function writeCondition<T>(where: Where<T>): string {
  if ('present' in where) return `${columnName(where.present)} is not null`;
  if ('absent' in where) return `${columnName(where.absent)} is null`;
  return Object.entries(where.is)
    .map(([key, value]) => `${columnName(key)} = ${literal(value)}`)
    .join(' and ');
}
