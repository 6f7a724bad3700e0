/** Items as upserts of documents. */
import type { Joining } from '../records.ts';
import type { Condition } from './conditions.ts';
import type { Items } from './items.ts';

const operators = { max: '$max', min: '$min', add: '$inc' } as const;

/** The upsert of an item. A null field changes nothing, except with `put`. */
export function joinedBy<T extends object>(
  items: Items<T>,
  item: T,
  joining: { readonly [K in keyof T]?: Joining },
): { filter: { _id: string }; update: Condition } {
  const { _id, ...all } = items.toDocument(item);
  const parts: Record<string, Record<string, unknown>> = {
    $set: {},
    $unset: {},
    $max: {},
    $min: {},
    $inc: {},
  };
  for (const [field, how] of Object.entries<Joining | undefined>({ ...joining })) {
    const member = items.memberName(field);
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
  // An item without values still creates its document.
  return { filter: { _id }, update: Object.keys(update).length > 0 ? update : { $setOnInsert: { _id } } };
}

/** The server rejects an operator without fields. */
function withoutEmpty(parts: Readonly<Record<string, object>>): Condition {
  const all: Condition = {};
  for (const name in parts) if (Object.keys(parts[name] ?? {}).length > 0) all[name] = parts[name];
  return all;
}
