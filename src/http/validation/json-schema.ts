/** JSON Schema 2020-12. One schema serves ajv and `/openapi.json`; `title` names it there. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

type Properties = Readonly<Record<string, JsonSchema>>;

/** Rules that JSON Schema can't express, by name; see rules.ts. */
export type RuleName = 'text' | 'webhook-url' | 'media-url' | 'timestamp' | 'email';

/** A string without NUL and lone surrogates, which no store and no upstream keeps intact. [faults 71] */
export function text(more: JsonSchema = {}): JsonSchema {
  return { type: 'string', 'x-rule': 'text' satisfies RuleName, ...more };
}

export const webhookUrl: JsonSchema = {
  type: 'string',
  format: 'uri',
  'x-rule': 'webhook-url' satisfies RuleName,
};

export const mediaUrl: JsonSchema = {
  type: 'string',
  format: 'uri',
  'x-rule': 'media-url' satisfies RuleName,
};

/** Adds keywords that the contract shows and that another check enforces, with a better message. */
export function shown(schema: JsonSchema, members: JsonSchema): JsonSchema {
  return { ...schema, 'x-shown': members };
}

/** ajv checks `schema`, whose errors read best; the contract shows `inContract`, which suits client generators. */
export function shownAs(schema: JsonSchema, inContract: JsonSchema): JsonSchema {
  return { ...schema, 'x-shown-as': inContract };
}

/** A timestamp in a request. */
export const givenTimestamp: JsonSchema = {
  type: 'string',
  format: 'date-time',
  maxLength: 40,
  'x-rule': 'timestamp' satisfies RuleName,
};

export const flag: JsonSchema = { type: 'boolean' };
export const count: JsonSchema = { type: 'integer' };
export const string: JsonSchema = { type: 'string' };
/** One of our ids, in an answer. */
export const ourId: JsonSchema = { type: 'string', format: 'uuid' };
/** One of our ids, in a request: another text is answered like an unknown id. */
export const givenId: JsonSchema = shown(text(), { format: 'uuid' });
/** An object of upstream's, or one of any content. */
export const openObject: JsonSchema = { type: 'object', additionalProperties: true };
export const timestamp: JsonSchema = { type: 'string', format: 'date-time' };

export function oneOfWords(words: readonly string[], more: JsonSchema = {}): JsonSchema {
  return { type: 'string', enum: words, ...more };
}

/** An open set in an answer: clients must accept words that are added later. [spec: Versioning 2, 5] */
export function openWords(words: readonly string[], more: JsonSchema = {}): JsonSchema {
  return { anyOf: [oneOfWords(words, more), string] };
}

export function listOf(items: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return { type: 'array', items, ...more };
}

/** Most items of any list in a request. [operator-interface §4] */
export const maxListItems = 100;

/** A list in a request. */
export function givenList(items: JsonSchema): JsonSchema {
  return listOf(items, { maxItems: maxListItems });
}

/** The schema or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema['anyOf']) && !('title' in schema))
    return { ...schema, anyOf: [...schema['anyOf'], { type: 'null' }] };
  if (typeof schema['type'] !== 'string' || 'title' in schema) return { anyOf: [schema, { type: 'null' }] };
  const words = Array.isArray(schema['enum']) ? { enum: [...schema['enum'], null] } : {};
  return { ...schema, type: [schema['type'], 'null'], ...words };
}

/** A request body: unknown fields are ignored. [operator-interface §4] */
export function requestObject(title: string, required: Properties, optional: Properties = {}): JsonSchema {
  return { title, type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) };
}

/** Adds an example body that can be sent as it is: shown in the contract and prefilled on the docs page. */
export function withExample(schema: JsonSchema, example: Readonly<Record<string, unknown>>): JsonSchema {
  return { ...schema, examples: [example] };
}

/** A response: every field is present, unless it is in `optional`. */
export function responseObject(title: string, required: Properties, optional: Properties = {}): JsonSchema {
  return requestObject(title, required, optional);
}
