import type { AnyEntity } from '../entities/entity.ts';

/** What a document calls a field: what alone names an item is its `_id`. */
export function memberOf({ key, fields }: Pick<AnyEntity, 'key' | 'fields'>, field: string): string {
  return key.length === 1 && key[0] === field ? '_id' : (fields[field]?.inDocument ?? field);
}
