/**
 * Carries out a rule on an item that is probably known, without reading it: one statement, which changes nothing if the item is another.
 * To read it and to compare each field takes a tenth of the time of a send in the writing thread.
 */
import type { AnyRule } from '../../journal/rule.ts';
import { columnName } from '../columns.ts';
import { literal } from '../column-types.ts';
import { assigning } from '../conditions.ts';
import { packToBind } from '../packed-ids.ts';
import { changed } from '../sqlite.ts';
import type { Database, Value } from '../sqlite.ts';
import type { Table } from '../table.ts';

/** False, and nothing is done, if the channel has no item with this id and these values. */
type RuledLikely<T> = (channelId: string, id: string, rule: AnyRule, likely: Partial<T>) => boolean;

export function makeRuledLikely<T extends object>(db: Database, table: Table<T>): RuledLikely<T> {
  const known = new WeakMap<Partial<T>, ReturnType<typeof prepare>>();

  function prepare(likely: Partial<T>, rule: AnyRule) {
    const conditions = table.some(likely).map(({ name, value }) => `${name} is ${writeLiteral(value)}`);
    const given = [rule.min, rule.beside, rule.join].flatMap((part) => Object.keys(part ?? {}));
    const assignments = [
      ...listConstants(table, likely, rule),
      ...given.map((key) => assigning.set(columnName(key))),
    ];
    return db.prepare(
      `update ${table.name} set ${assignments.join()} where id = ? and channel_id = ? and ${conditions.join(' and ')}`,
    );
  }

  return function carryOutLikely(channelId, id, rule, likely) {
    let update = known.get(likely);
    if (update === undefined) known.set(likely, (update = prepare(likely, rule)));
    const values: Value[] = [];
    for (const key in rule.min) values.push(rule.min[key] ?? null);
    for (const key in rule.beside) values.push(rule.beside[key] ?? null);
    for (const key in rule.join) values.push(JSON.stringify(rule.join[key] == null ? [] : [rule.join[key]]));
    return changed(update.run(...values, packToBind(id), packToBind(channelId))) === 1;
  };
}

/** Assignments of the values that are the same for each rule, as far as they are not the likely ones. */
function listConstants<T extends object>(
  table: Table<T>,
  likely: Partial<T>,
  { set, max }: AnyRule,
): string[] {
  const after = { ...likely, ...set, ...max };
  const before = new Map(table.some(likely).map(({ name, value }) => [name, value]));
  const constants = table.some({ ...set, ...max });
  for (const [name, { derive }] of Object.entries(table.entity.inFile?.derived ?? {})) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `likely` has the fields from which an index is derived
    before.set(name, derive(likely as T));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    constants.push({ key: name, name, value: derive(after as T) });
  }
  return constants
    .filter(({ name, value }) => before.get(name) !== value)
    .map(({ name, value }) => `${name} = ${writeLiteral(value)}`);
}

function writeLiteral(value: Value): string {
  return value === null ? 'null' : literal(value);
}
