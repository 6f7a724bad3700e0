/** Conditions and changes as SQL. */
import type { Index } from '../entities/entity.ts';
import type { AnyRange, Listed } from '../records.ts';
import { orderedFields } from '../records.ts';
import { columnName } from './columns.ts';
import type { Value } from './sqlite.ts';
import { writeCondition } from './table.ts';
import type { Table } from './table.ts';

export interface Sql {
  sql: string;
  values: Value[];
}

/** Later than any stored time. */
const endOfTime = Number.MAX_SAFE_INTEGER;

/** SQL of each kind of change to a column. */
export const assigning = {
  set: (column: string) => `${column} = ?`,
  max: (column: string) => `${column} = max(coalesce(${column}, 0), ?)`,
  min: (column: string) => `${column} = min(coalesce(${column}, ${endOfTime}), ?)`,
  add: (column: string) => `${column} = coalesce(${column}, 0) + ?`,
};

const comparisons = { above: '>', from: '>=', below: '<', upTo: '<=' } as const;

/** The condition of rows with these values in their columns and, in one of them, a value in this range; `true` without any. */
export function matching<T extends object>(table: Table<T>, equal: object, range?: AnyRange): Sql {
  const values: Value[] = [];
  const conditions = table.some(equal).map(({ name, value }) => {
    if (value === null) return `${name} is null`;
    values.push(value);
    return `${name} = ?`;
  });
  for (const [bound, sign] of Object.entries(comparisons)) {
    const value = Object.entries(range ?? {}).find(([name]) => name === bound)?.[1];
    if (range === undefined || value === undefined) continue;
    conditions.push(`${columnName(range.on)} ${sign} ?`);
    values.push(table.toColumn(range.on, value));
  }
  return { sql: conditions.join(' and ') || 'true', values };
}

/** `indexed by` makes SQLite reject a list whose index does not fit. `columns`: the columns to select. */
export function listing<T extends object>(table: Table<T>, listed: Listed<T>, columns: string): Sql {
  const { by, equal = {}, range, after, isDescending = false } = listed;
  const index = namedIndex(table, by);
  const { sql, values } = matching(table, equal, range);
  const fields = orderedFields(index.on, equal);
  const order = fields.map(columnName);
  const conditions = [...(index.where === undefined ? [] : [writeCondition(index.where)]), sql];
  if (after !== undefined) {
    conditions.push(`(${order.join(', ')}) ${isDescending ? '<' : '>'} (${after.map(() => '?').join(', ')})`);
    values.push(...after.map((value, at) => table.toColumn(fields[at] ?? '', value)));
  }
  const inOrder = order.map((name) => (isDescending ? `${name} desc` : name)).join(', ');
  const along = index.file === undefined ? '' : ` indexed by ${index.file}`;
  return {
    sql: `select ${columns} from ${table.name}${along} where ${conditions.join(' and ')}${order.length > 0 ? ` order by ${inOrder}` : ''} limit ?${(listed.skip ?? 0) > 0 ? ` offset ${listed.skip}` : ''}`,
    values,
  };
}

export function namedIndex<T extends object>({ entity }: Table<T>, by: string): Index<T> {
  const index = entity.indexes[by];
  if (index === undefined) throw new Error(`${entity.name} has no index ${by}`);
  return index;
}
