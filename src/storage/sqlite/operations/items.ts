/** Writes to items of an entity. Each is atomic, because there is one writer. */
import { systemClock } from '../../../kernel/clock.ts';
import type { AnyRange, Change, Joining } from '../../records.ts';
import type { SweptSlice } from '../../sweep.ts';
import { columnName } from '../columns.ts';
import type { Row } from '../columns.ts';
import { matching, assigning } from '../conditions.ts';
import type { Sql } from '../conditions.ts';
import { inSteps, stepRows } from './in-steps.ts';
import type { SliceClock } from './in-steps.ts';
import { changed, oncePerShape } from '../sqlite.ts';
import type { Database, Statement, Value } from '../sqlite.ts';
import type { Table } from '../table.ts';
import type { Tables } from '../tables.ts';

/** Rows per slice of a sweep, at most: they are short, and have few indexes. */
const sliceRows = 500;

/** Calls from the main thread name their entity by text; `Records` checks the types on the caller's side. */
interface AnyPatch {
  which: object;
  range?: AnyRange;
  change: Change<object>;
}

export function itemOperations(db: Database, tables: Tables, clock: SliceClock = systemClock) {
  const once = oncePerShape<Statement<unknown>>();
  const prepare: Prepare = (sql) => once(sql, () => db.prepare(sql));
  const tableOf = (name: string): Table<object> => {
    const table = tables.get(name);
    if (table === undefined) throw new Error(`the store has no table ${name}`);
    return table;
  };
  const items = (name: string): ItemWrites => makeWrites(tableOf(name), prepare);
  return {
    insertItems(name: string, all: readonly object[]): number {
      const { insert } = items(name);
      return all.reduce((count: number, item) => count + insert(item, 'on conflict do nothing'), 0);
    },
    insertTogether(all: readonly { of: string; item: object }[]): boolean {
      const last = all.at(-1);
      if (last === undefined || items(last.of).insert(last.item, 'on conflict do nothing') === 0)
        return false;
      for (const { of, item } of all.slice(0, -1)) items(of).insert(item, '');
      return true;
    },
    replaceItem(name: string, item: object): void {
      items(name).insert(item, '', 'insert or replace');
    },
    patchItem: (name: string, patch: AnyPatch): object | null => items(name).patch(patch),
    patchItemBoth: (name: string, patch: AnyPatch): { before: object; after: object } | null =>
      items(name).patchBoth(patch),
    patchItems(name: string, patches: readonly AnyPatch[]): void {
      const { patch } = items(name);
      for (const each of patches) patch(each);
    },
    takeItem: (name: string, which: object, range?: AnyRange): object | null =>
      items(name).take(which, range),
    upsertItems(
      name: string,
      all: readonly object[],
      joining: Readonly<Record<string, Joining | undefined>>,
    ): void {
      const { insert } = items(name);
      const orElse = joinedBy(tableOf(name).entity.key, Object.entries(joining));
      for (const item of all) insert(item, orElse);
    },
    removeItems: (name: string, which: object): number => items(name).remove(which),
    removeItemsByKey(name: string, keys: readonly string[]): void {
      const table = tableOf(name);
      const field = table.entity.key[0] ?? '';
      const drop = prepare(`delete from ${table.name} where ${columnName(field)} = ?`);
      for (const key of keys) drop.run(table.toColumn(field, key));
    },
    sweepItems(name: string, range: AnyRange, which: object = {}): SweptSlice {
      const { sweep } = items(name);
      const step = (): SweptSlice => {
        const dropped = sweep(range, which);
        return { dropped, isLast: dropped < stepRows };
      };
      return inSteps(clock, step, sliceRows);
    },
  };
}

type Prepare = (sql: string) => Statement<unknown>;

interface ItemWrites {
  insert: (item: object, orElse: string, how?: 'insert' | 'insert or replace') => number;
  patch: (patch: AnyPatch) => object | null;
  patchBoth: (patch: AnyPatch) => { before: object; after: object } | null;
  take: (which: object, range?: AnyRange) => object | null;
  remove: (which: object) => number;
  /** One step. */
  sweep: (range: AnyRange, which: object) => number;
}

function makeWrites(table: Table<object>, prepare: Prepare): ItemWrites {
  const { name } = table;

  function returned(sql: string, values: readonly Value[]): object | null {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement's columns define its rows
    const row = prepare(`${sql} returning ${table.returned}`).get(...values) as Row<object> | undefined;
    return row === undefined ? null : table.of(row);
  }

  function patch({ which, range, change }: AnyPatch): object | null {
    const where = matching(table, which, range);
    const { sql, values } = assigned(table, change);
    if (sql === '') return null;
    return returned(`update or ignore ${name} set ${sql} where ${where.sql}`, [...values, ...where.values]);
  }

  return {
    insert(item, orElse, how = 'insert') {
      const written = table.written(item);
      const marks = written.map(() => '?').join(', ');
      const sql = `${how} into ${name} (${written.map((column) => column.name).join(', ')}) values (${marks}) ${orElse}`;
      return changed(prepare(sql).run(...written.map(({ value }) => value)));
    },
    patch,
    /** The writer does one operation after the other: nothing comes between the two. */
    patchBoth(asked) {
      const { sql, values } = matching(table, asked.which, asked.range);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement's columns define its rows
      const row = prepare(`select ${table.returned} from ${name} where ${sql}`).get(...values) as
        | Row<object>
        | undefined;
      const after = row === undefined ? null : patch(asked);
      return row === undefined || after === null ? null : { before: table.of(row), after };
    },
    take(which, range) {
      const { sql, values } = matching(table, which, range);
      return returned(`delete from ${name} where ${sql}`, values);
    },
    remove(which) {
      const { sql, values } = matching(table, which);
      return changed(prepare(`delete from ${name} where ${sql}`).run(...values));
    },
    sweep(range, which) {
      const { sql, values } = matching(table, which, range);
      const key = table.entity.key.map(columnName).join(', ');
      const step = `select ${key} from ${name} where ${sql} limit ${stepRows}`;
      return changed(prepare(`delete from ${name} where (${key}) in (${step})`).run(...values));
    },
  };
}

function assigned(table: Table<object>, change: Change<object>): Sql {
  const sql: string[] = [];
  const values: Value[] = [];
  for (const how of ['set', 'max', 'min', 'add'] as const)
    for (const { name, value } of table.some(change[how] ?? {})) {
      sql.push(assigning[how](name));
      values.push(value);
    }
  return { sql: sql.join(', '), values };
}

/** SQLite's max() and min() return null if either argument is null. */
const joined: Record<Joining, (column: string) => string> = {
  put: (c) => `${c} = excluded.${c}`,
  given: (c) => `${c} = coalesce(excluded.${c}, ${c})`,
  max: (c) => `${c} = coalesce(max(${c}, excluded.${c}), excluded.${c}, ${c})`,
  min: (c) => `${c} = coalesce(min(${c}, excluded.${c}), excluded.${c}, ${c})`,
  add: (c) => `${c} = ${c} + excluded.${c}`,
};

function joinedBy(key: readonly string[], joining: readonly [string, Joining | undefined][]): string {
  const changes = joining.flatMap(([field, how]) =>
    how === undefined ? [] : joined[how](columnName(field)),
  );
  return `on conflict (${key.map(columnName).join(', ')}) do update set ${changes.join(', ')}`;
}
