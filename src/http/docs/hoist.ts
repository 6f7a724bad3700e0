import type { JsonSchema } from '../validation/json-schema.ts';

export interface Hoist {
  /** The schema with every titled part replaced by a reference. */
  ref: (schema: JsonSchema) => JsonSchema;
  /** The titled parts, by title. */
  schemas: Record<string, JsonSchema>;
}

/** Keywords that hold values: a `title` there is a client's word. */
const valueKeywords = new Set(['examples', 'default', 'const', 'enum']);

/**
 * Moves titled schemas to `components`: the code nests them, as ajv needs, but readers and client generators want them by name. Drops our
 * own keywords (`x-…`), except that the contents of `x-shown` and `x-shown-as` are shown. A null among the words of a request is accepted, but
 * not shown: generators make a word of it.
 */
export function makeHoist(): Hoist {
  const schemas: Record<string, JsonSchema> = {};
  const partOf = (keyword: string, item: unknown): unknown => {
    if (keyword === 'enum' && Array.isArray(item)) return item.filter((word) => word !== null);
    if (valueKeywords.has(keyword)) return item;
    if (keyword !== 'properties') return hoisted(item);
    // A property may be called like a keyword.
    return Object.fromEntries(Object.entries(Object(item)).map(([name, schema]) => [name, hoisted(schema)]));
  };
  const hoisted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hoisted);
    if (typeof value !== 'object' || value === null) return value;
    if ('x-shown-as' in value) return hoisted(value['x-shown-as']);
    const all = Object.entries('x-shown' in value ? { ...value, ...Object(value['x-shown']) } : value);
    const entries = all.filter(([key]) => !key.startsWith('x-'));
    const copy: JsonSchema = Object.fromEntries(entries.map(([key, item]) => [key, partOf(key, item)]));
    const title = copy['title'];
    if (typeof title !== 'string') return copy;
    schemas[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  };
  const ref = (schema: JsonSchema): JsonSchema => {
    const result = hoisted(schema);
    return typeof result === 'object' && result !== null ? { ...result } : {};
  };
  return { ref, schemas };
}
