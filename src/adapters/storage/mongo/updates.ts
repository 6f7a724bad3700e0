/** What is to become of an item, as an update of its document. */
import type { Change, Joining } from '../records.ts';
import type { Condition } from './conditions.ts';
import type { Items } from './items.ts';

export function updateBy<T extends object>(
  items: Items<T>,
  { set = {}, max = {}, min = {}, add = {} }: Change<T>,
  mark: object = {},
): Condition {
  const members = Object.entries(items.membersOf(set));
  const given = members.filter(([, value]) => value !== null);
  const gone = members.filter(([, value]) => value === null).map(([member]) => [member, '']);
  return withoutEmpty({
    $set: { ...Object.fromEntries(given), ...mark },
    $unset: Object.fromEntries(gone),
    $max: items.membersOf(max),
    $min: items.membersOf(min),
    $inc: items.membersOf(add),
  });
}

const operators = { max: '$max', min: '$min', add: '$inc' } as const;

/** Null joins nothing, but where it takes the place of what stands. */
export function joinedBy<T extends object>(
  items: Items<T>,
  item: T,
  joining: { readonly [K in keyof T]?: Joining },
): { filter: { _id: string }; update: Condition } {
  const { _id, ...all } = items.documentOf(item);
  const parts: Record<string, Record<string, unknown>> = {
    $set: {},
    $unset: {},
    $max: {},
    $min: {},
    $inc: {},
  };
  for (const [field, how] of Object.entries<Joining | undefined>({ ...joining })) {
    const member = items.memberOf(field);
    const value = all[member];
    delete all[member];
    if (value === undefined) {
      if (how === 'put') Object.assign(parts['$unset'] ?? {}, { [member]: '' });
    } else if (how !== undefined) {
      const operator = how === 'put' || how === 'given' ? '$set' : operators[how];
      Object.assign(parts[operator] ?? {}, { [member]: value });
    }
  }
  const update = withoutEmpty({ ...parts, $setOnInsert: all });
  // An item without a value still makes its document.
  return { filter: { _id }, update: Object.keys(update).length > 0 ? update : { $setOnInsert: { _id } } };
}

/** A server refuses an operator that has nothing to do. */
function withoutEmpty(parts: Record<string, object>): Condition {
  return Object.fromEntries(Object.entries(parts).filter(([, fields]) => Object.keys(fields).length > 0));
}
