/**
 * Carries out the journal's rules. There is one writer, so an item is read and only its changes are written: a fact that says nothing new
 * writes no page, and no index is written without need.
 */
import type { AnyRule } from '../../journal/rule.ts';
import { columnName, placeKey } from '../columns.ts';
import { assigning } from '../conditions.ts';
import { packToBind } from '../packed-ids.ts';
import { oncePerShape } from '../sqlite.ts';
import type { Database, Statement, Value } from '../sqlite.ts';
import type { Table } from '../table.ts';

type Fields = Record<string, Value>;

/**
 * Carries out a rule on an item of a channel. Returns the fields that changed; null if the channel has no such item or the rule's conditions
 * are not met.
 */
export type Ruled = (channelId: string, id: string, rule: AnyRule) => readonly string[] | null;

export function makeRuled<T extends object>(db: Database, table: Table<T>): Ruled {
  const derived = Object.entries(table.entity.inFile?.derived ?? {});
  const find = makeFind(db, table);
  const write = makeUpdate(db, table.name);

  function applyTo(item: Fields, rule: AnyRule): string[] {
    const changed: string[] = [];
    const put = (key: string, value: Value | undefined): void => {
      if (value === undefined || value === item[key]) return;
      item[key] = value;
      changed.push(key);
    };
    if (rule.set !== undefined)
      for (const { key, value } of table.some(rule.set)) if (rule.keep?.[key] !== item[key]) put(key, value);
    putNumbers(item, rule, put);
    for (const key in rule.join) put(key, joined(item[key], rule.join[key]));
    for (const key in rule.entries) put(key, withEntries(item[key], rule.entries[key]));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an index needs texts and numbers, which a row and an item share
    for (const [name, { derive }] of derived) put(name, derive(item as T));
    // Most redelivered statuses change nothing else, and then no page is written.
    if (changed.length > 0) raise(item, rule.beside, put);
    return changed;
  }

  return function carryOut(channelId, id, rule) {
    const found = find(channelId, id, rule);
    if (found === undefined || !fits(found.item, rule)) return null;
    const changed = applyTo(found.item, rule);
    if (changed.length > 0) write(found.row, found.item, changed);
    return changed;
  };
}

const ruleParts = ['when', 'atMost', 'set', 'max', 'min', 'add', 'beside', 'join', 'entries'] as const;

/**
 * Reads what a rule may change or asks for, and no more: a column that is read costs as much as one that is written. One statement per set
 * of fields. Bytes are read only as present or absent: rules clear them, and reading them costs pages.
 */
function makeFind<T extends object>(db: Database, { name: table, entity }: Table<T>) {
  const kinds: Readonly<Record<string, { kind: string }>> = entity.fields;
  const { derived = {}, apart } = entity.inFile ?? {};
  const always = Object.entries(derived).flatMap(([name, { from }]) => [name, ...from]);
  const once = oncePerShape<{ keys: readonly string[]; read: Statement<Value[]> }>();

  function prepare(named: string): { keys: readonly string[]; read: Statement<Value[]> } {
    const fields = named.split(' ').filter(Boolean);
    const places = fields.filter((key) => key === apart?.field).map(placeKey);
    const keys = [...new Set([...fields, ...places, ...always])];
    const parts = keys.map((key) => {
      const name = columnName(key);
      return kinds[key]?.kind === 'bytes' ? `iif(${name} is null, null, 1)` : name;
    });
    const read = db.prepare<Value[]>(
      `select rowid, ${parts.join(', ')} from ${table} where id = ? and channel_id = ?`,
    );
    read.setReturnArrays(true);
    return { keys, read };
  }

  return function find(
    channelId: string,
    id: string,
    rule: AnyRule,
  ): { row: number; item: Fields } | undefined {
    let named = '';
    for (const part of ruleParts) for (const key in rule[part]) named += `${key} `;
    const { keys, read } = once(named, () => prepare(named));
    const found = read.get(packToBind(id), packToBind(channelId));
    if (found === undefined) return undefined;
    const item: Fields = {};
    for (let at = 0; at < keys.length; at += 1) item[keys[at] ?? ''] = found[at + 1] ?? null;
    return { row: Number(found[0]), item };
  };
}

/**
 * Writes only the changed columns, so that other columns' indexes are not written. One statement per set of columns. [performance §3, bench
 * 5]
 */
function makeUpdate(db: Database, table: string) {
  const once = oncePerShape<Statement<unknown>>();
  return function update(row: number, item: Fields, changed: readonly string[]): void {
    const statement = once(changed.join(), () => {
      const assignments = changed.map((field) => assigning.set(columnName(field)));
      return db.prepare(`update ${table} set ${assignments.join()} where rowid = ?`);
    });
    statement.get(...changed.map((field) => item[field] ?? null), row);
  };
}

/** For facts whose conditions make them apply once: one statement, without reading first. One per set of fields. */
export function makeUpdateWhere<T extends object>(db: Database, table: Table<T>) {
  const once = oncePerShape<Statement<unknown>>();
  return function updateWhere(channelId: string, id: string, rule: AnyRule): void {
    const { shape, values } = readShape(table, rule);
    const statement = once(shape, () => db.prepare(writeUpdateWhere(table, rule)));
    statement.get(...values, packToBind(id), packToBind(channelId));
  };
}

/** The fields that a rule names, in order, and its values for them. */
function readShape<T extends object>(table: Table<T>, rule: AnyRule): { shape: string; values: Value[] } {
  const values: Value[] = [];
  let shape = '';
  for (const { key, value } of table.some(rule.set ?? {})) {
    shape += `${key} `;
    values.push(value);
  }
  for (const part of ['max', 'min', 'atMost'] as const)
    for (const key in rule[part]) {
      shape += `${part} ${key} `;
      values.push(rule[part]?.[key] ?? null);
    }
  for (const key in rule.when) {
    const wanted = rule.when[key] ?? [];
    shape += `${wanted.length} ${key} `;
    values.push(...wanted);
  }
  return { shape, values };
}

function writeUpdateWhere<T extends object>(
  table: Table<T>,
  { set = {}, max = {}, min = {}, when = {}, atMost = {} }: AnyRule,
): string {
  const each = (part: object, write: (column: string) => string): string[] =>
    Object.keys(part).map((key) => write(columnName(key)));
  const setting = table.some(set).map(({ name }) => assigning.set(name));
  const assignments = [...setting, ...each(max, assigning.max), ...each(min, assigning.min)];
  const conditions = [
    ...each(atMost, (column) => `${column} <= ?`),
    ...Object.entries(when).map(([key, some]) => `${columnName(key)} in (${some?.map(() => '?').join()})`),
  ];
  return `update ${table.name} set ${assignments.join()} where ${conditions.join(' and ')} and id = ? and channel_id = ?`;
}

function fits(item: Fields, { when, atMost }: AnyRule): boolean {
  for (const key in when) if (when[key]?.some((value) => value === item[key]) !== true) return false;
  for (const key in atMost) if (Number(item[key]) > (atMost[key] ?? Infinity)) return false;
  return true;
}

type Put = (key: string, value: Value | undefined) => void;

function putNumbers(item: Fields, rule: AnyRule, put: Put): void {
  raise(item, rule.max, put);
  for (const key in rule.min) put(key, Math.min(Number(item[key] ?? Infinity), rule.min[key] ?? Infinity));
  for (const key in rule.add) put(key, Number(item[key]) + (rule.add[key] ?? 0));
}

function raise(item: Fields, numbers: AnyRule['max'], put: Put): void {
  for (const key in numbers) put(key, Math.max(Number(item[key] ?? -Infinity), numbers[key] ?? -Infinity));
}

/** Undefined if the value is in the list already. */
function joined(list: Value | undefined, value: string | null | undefined): string | undefined {
  const there: unknown[] = JSON.parse(String(list));
  return value == null || there.includes(value) ? undefined : JSON.stringify([...there, value]);
}

function withEntries(
  map: Value | undefined,
  entries: Readonly<Record<string, object>> | undefined,
): string | undefined {
  if (entries === undefined) return undefined;
  const there: Record<string, object> = map == null ? {} : JSON.parse(String(map));
  for (const [name, members] of Object.entries(entries)) there[name] = { ...there[name], ...members };
  return JSON.stringify(there);
}
