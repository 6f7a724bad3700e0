/**
 * Conversion of items to documents and back. A null field is absent in the document, so that partial indexes contain only what they need;
 * so is an empty list where the entity says it. Times are ms, except Dates for TTL indexes.
 */
import type { AnyEntity, Entity } from '../entities/entity.ts';
import type { Field, Fields } from '../entities/fields.ts';

/** Name of a field in documents; a single key field is the `_id`. */
export function memberName({ key, fields }: Pick<AnyEntity, 'key' | 'fields'>, field: string): string {
  return key.length === 1 && key[0] === field ? '_id' : (fields[field]?.inDocument ?? field);
}

/** Account and channel ids contain no colon, so joined ids stay unique. */
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

  /** The `_id` of the item with these key values; null if they do not identify one item. */
  idIn(which: object): string | null {
    const parts = this.entity.key.map((key): unknown => Reflect.get(which, key));
    return parts.every((part) => typeof part === 'string') ? parts.join(between) : null;
  }

  /** Converts an item; nulls are left out. */
  toDocument(item: T): Record<string, unknown> & { _id: string } {
    const document: Record<string, unknown> & { _id: string } = { _id: this.idIn(item) ?? '' };
    const beside = this.besideFields(item);
    for (const { key, member, field } of this.#kept) {
      const value: unknown = item[key];
      const stored = value === undefined || value === null ? null : storedValue(field, value);
      if (stored !== null && !(member in beside)) document[member] = stored;
    }
    for (const member in beside) if (beside[member] !== null) document[member] = beside[member];
    return document;
  }

  /** Extra members that follow from an item or a change; null removes a member. */
  besideFields(part: object): Readonly<Record<string, unknown>> {
    return this.entity.besideInDocument?.(part) ?? {};
  }

  /** Converts part of an item; null stays null. */
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

  /** The projection for some fields, and the conversion of the documents it returns. */
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
  // The compiler cannot see that the loop sets every property.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return item as T;
}

function listFields<T>(fields: Fields<T>): [keyof T & string, Field<unknown>][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entity's own keys are its fields
  return Object.entries(fields) as [keyof T & string, Field<unknown>][];
}

/** Documents of older versions have their key only in the `_id`. */
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

/** A copy, because the driver's bytes may be a view of a whole reply, which they would keep in memory. */
export function copyBytes(value: Binary): Uint8Array {
  return new Uint8Array(value instanceof Uint8Array ? value : value.buffer);
}
