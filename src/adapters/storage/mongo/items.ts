/**
 * An item as its document. What is null there is absent here, so that partial indexes hold only what they need; an empty list where
 * the entity says so. Times are ms, except where an index that lets documents expire needs a Date.
 */
import type { AnyEntity, Entity } from '../entities/entity.ts';
import type { Field, Fields } from '../entities/fields.ts';

/** What a document calls a field: what alone names an item is its `_id`. */
export function memberName({ key, fields }: Pick<AnyEntity, 'key' | 'fields'>, field: string): string {
  return key.length === 1 && key[0] === field ? '_id' : (fields[field]?.inDocument ?? field);
}

/** Account ids and channel ids have no colon: no two items share an id. */
const between = ':';

export class Items<T extends object> {
  readonly entity: Entity<T>;
  readonly #kept: readonly Kept<T>[];
  readonly #byKey: ReadonlyMap<string, Kept<T>>;

  constructor(entity: Entity<T>) {
    this.entity = entity;
    this.#kept = listFields(entity.fields).map(([key, field]) => ({
      key,
      member: memberName(entity, key),
      field,
    }));
    this.#byKey = new Map(this.#kept.map((each) => [each.key, each]));
  }

  memberName(field: string): string {
    return memberName(this.entity, field);
  }

  /** The `_id` of what has these values; null: they don't name one item. */
  idIn(which: object): string | null {
    const parts = this.entity.key.map((key): unknown => Reflect.get(which, key));
    return parts.every((part) => typeof part === 'string') ? parts.join(between) : null;
  }

  /** Without its nulls. Assigned, not spread: a spread costs 1.3 µs for each member that joins. [performance §4] */
  toDocument(item: T): Record<string, unknown> & { _id: string } {
    const document: Record<string, unknown> & { _id: string } = { _id: this.idIn(item) ?? '' };
    const members = Object.assign(this.toMembers(item), this.besideFields(item));
    for (const member in members) if (members[member] !== null) document[member] = members[member];
    return document;
  }

  /** What follows from an item, or from what is set of one; null: it has none any more. */
  besideFields(part: object): Readonly<Record<string, unknown>> {
    return this.entity.besideInDocument?.(part) ?? {};
  }

  /** Of what is there of an item; null stays null. */
  toMembers(part: object): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(part)) {
      const found = value === undefined ? undefined : this.#byKey.get(key);
      if (found !== undefined)
        members[found.member] = value === null ? null : storedValue(found.field, value);
    }
    return members;
  }

  readonly toItem = (document: object): T => {
    const item = readItem(this.#kept, document);
    const { key } = this.entity;
    if (key.length > 1)
      key.forEach((name, at) => Reflect.set(item, name, readKeyPart(document, at, key.length)));
    return item;
  };

  /** Of some fields: what to ask a server for, and what its documents are then. */
  pick<K extends keyof T & string>(...keys: readonly K[]): Picked<Pick<T, K>> {
    const kept = keys.flatMap((key) => {
      const found = this.#byKey.get(key);
      return found === undefined ? [] : [{ ...found, key }];
    });
    return {
      projection: Object.fromEntries(kept.map(({ member }) => [member, 1])),
      of: (document) => readItem<Pick<T, K>>(kept, document),
    };
  }
}

export interface Picked<T> {
  readonly projection: Readonly<Record<string, 1>>;
  readonly of: (document: object) => T;
}

interface Kept<T> {
  readonly key: keyof T & string;
  readonly member: string;
  readonly field: Field<unknown>;
}

function readItem<T extends object>(kept: readonly Kept<T>[], document: object): T {
  const item: Partial<T> = {};
  for (const { key, member, field } of kept) {
    const value: unknown = Reflect.get(document, member);
    Reflect.set(item, key, value === undefined ? absent(field) : readValue(field, value));
  }
  // The compiler can't follow that a loop over all fields leaves no property out.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return item as T;
}

function listFields<T>(fields: Fields<T>): [keyof T & string, Field<unknown>][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entity is only looked at by its fields
  return Object.entries(fields) as [keyof T & string, Field<unknown>][];
}

/** Documents of earlier versions hold what names them in their `_id` alone. */
function readKeyPart(document: object, at: number, count: number): string {
  const parts = String(Reflect.get(document, '_id')).split(between);
  return at === count - 1 ? parts.slice(at).join(between) : (parts[at] ?? '');
}

function storedValue({ isDate, isForeign, isAbsentWhenEmpty }: Field<unknown>, value: unknown): unknown {
  if (isDate === true) return new Date(Number(value));
  if (isForeign === true) return JSON.stringify(value);
  return isAbsentWhenEmpty === true && Array.isArray(value) && value.length === 0 ? null : value;
}

function readValue({ kind, isForeign, asRead }: Field<unknown>, value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  if (isForeign === true) return JSON.parse(String(value));
  if (kind === 'bytes' && isBinary(value)) return copyBytes(value);
  return asRead === undefined || value == null ? value : asRead(value);
}

function absent({ before, whenAbsent = before, isAbsentWhenEmpty }: Field<unknown>): unknown {
  if (isAbsentWhenEmpty === true) return [];
  return whenAbsent === undefined ? null : whenAbsent;
}

type Binary = { buffer: Uint8Array } | Uint8Array;

function isBinary(value: unknown): value is Binary {
  return typeof value === 'object' && value !== null && 'buffer' in value;
}

/** Our own bytes: the driver's may be a view of a whole reply, which they would keep in memory. */
export function copyBytes(value: Binary): Uint8Array {
  return new Uint8Array(value instanceof Uint8Array ? value : value.buffer);
}
