/** Conditions as filters. */
import type { Index } from '../entities/entity.ts';
import { orderedFields } from '../records.ts';
import type { AnyRange, Listed } from '../records.ts';
import type { Items } from './items.ts';

export type Condition = Record<string, unknown>;

const comparisons = { above: '$gt', from: '$gte', below: '$lt', upTo: '$lte' } as const;

/** The filter of items with these values of their fields and, in one of them, a value in this range. */
export function matching<T extends object>(items: Items<T>, equal: object, range?: AnyRange): Condition {
  const id = items.idIn(equal);
  const members = Object.entries(items.toMembers(equal)).map(([member, value]) => [
    member,
    value === null ? { $exists: false } : value,
  ]);
  const filter: Condition = { ...Object.fromEntries(members), ...(id === null ? {} : { _id: id }) };
  if (id !== null) for (const key of keysBeside(items)) delete filter[key];
  return range === undefined ? filter : { ...filter, ...bounds(items, range) };
}

/** Key fields that the `_id` already covers; documents of older versions lack them as members. */
function keysBeside<T extends object>({ entity }: Items<T>): readonly string[] {
  return entity.key.length > 1 ? entity.key : [];
}

function bounds<T extends object>(items: Items<T>, range: AnyRange): Condition {
  const isInDates = isDate(items, range.on);
  const given = Object.entries(range).filter((entry): entry is [keyof typeof comparisons, number | string] =>
    Object.hasOwn(comparisons, entry[0]),
  );
  const compared = given.map(([bound, value]) => [
    comparisons[bound],
    isInDates ? new Date(Number(value)) : value,
  ]);
  return { [items.memberName(range.on)]: Object.fromEntries(compared) };
}

interface Listing {
  filter: Condition;
  sort: Record<string, 1 | -1>;
  hint: { hint?: string };
}

export function listing<T extends object>(items: Items<T>, listed: Listed<T>): Listing {
  const { by, equal = {}, range, after, isDescending = false } = listed;
  const index = items.entity.indexes[by];
  if (index === undefined) throw new Error(`${items.entity.name} has no index ${by}`);
  const order = orderedFields(index.on, equal).map((field) => items.memberName(field));
  const filter = matching(items, equal, range);
  const direction = isDescending ? -1 : 1;
  return {
    filter: {
      ...indexed(items, index, filter),
      ...filter,
      ...(after === undefined
        ? {}
        : beyond(order, toStoredPlace(items, index.on, equal, after), direction, filter)),
    },
    sort: Object.fromEntries(order.map((member) => [member, direction])),
    hint: index.database === undefined ? {} : { hint: index.database },
  };
}

/** Converts the position's values to those that documents hold. */
function toStoredPlace<T extends object>(
  items: Items<T>,
  on: readonly string[],
  equal: object,
  after: readonly (string | number)[],
): readonly unknown[] {
  const fields = orderedFields(on, equal);
  return after.map((value, at) => (isDate(items, fields[at] ?? '') ? new Date(Number(value)) : value));
}

function isDate<T extends object>({ entity }: Items<T>, field: string): boolean {
  return Reflect.get(entity.fields, field)?.isDate === true;
}

/** The condition under which documents are in a partial index. A filter on the indexed field implies that it exists. */
export function indexed<T extends object>(
  items: Items<T>,
  { where, filter: ofIndex }: Pick<Index<T>, 'where' | 'filter'>,
  filter: Condition,
): Condition {
  if (ofIndex !== undefined) return { ...ofIndex };
  if (where === undefined) return {};
  if ('absent' in where) return { [items.memberName(where.absent)]: { $exists: false } };
  if ('is' in where) return items.toMembers(where.is);
  const member = items.memberName(where.present);
  return member in filter ? {} : { [member]: { $exists: true } };
}

/** The first field of the order bounds the index scan by itself; `$or` only separates documents with the same first value. */
function beyond(
  order: readonly string[],
  after: readonly unknown[],
  direction: 1 | -1,
  filter: Condition,
): Condition {
  const past = direction === 1 ? '$gt' : '$lt';
  const [first = '', second] = order;
  const bound = Object(filter[first]);
  if (second === undefined) return { [first]: { ...bound, [past]: after[0] } };
  return {
    [first]: { ...bound, [`${past}e`]: after[0] },
    $or: [{ [first]: { [past]: after[0] } }, { [second]: { [past]: after[1] } }],
  };
}
