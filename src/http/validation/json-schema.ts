/** JSON Schema 2020-12. One schema serves ajv and `/openapi.json`; `title` names it there. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

type Properties = Readonly<Record<string, JsonSchema>>;

/** Rules that JSON Schema can't say, by name; see rules.ts. */
export type RuleName = 'text' | 'webhook-url' | 'media-url' | 'timestamp' | 'email';

/** A string without NUL and lone surrogates, which no store and no upstream takes unharmed. [faults 71] */
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

/** With members that stand in the contract and are checked elsewhere, in words that say more. */
export function shown(schema: JsonSchema, members: JsonSchema): JsonSchema {
  return { ...schema, 'x-shown': members };
}

/** Checked as it stands, and in the contract another: what client generators read, in place of what ajv reports best. */
export function shownAs(schema: JsonSchema, inContract: JsonSchema): JsonSchema {
  return { ...schema, 'x-shown-as': inContract };
}

/** A timestamp that a client gives us. */
export const givenTimestamp: JsonSchema = {
  type: 'string',
  format: 'date-time',
  maxLength: 40,
  'x-rule': 'timestamp' satisfies RuleName,
};

export const flag: JsonSchema = { type: 'boolean' };
export const count: JsonSchema = { type: 'integer' };
export const string: JsonSchema = { type: 'string' };
/** An id of ours, in an answer. */
export const ourId: JsonSchema = { type: 'string', format: 'uuid' };
/** In a request: one of another shape is answered as an absent one. */
export const givenId: JsonSchema = shown(text(), { format: 'uuid' });
/** Upstream's, or as it comes. */
export const openObject: JsonSchema = { type: 'object', additionalProperties: true };
export const timestamp: JsonSchema = { type: 'string', format: 'date-time' };

export function oneOfWords(words: readonly string[], more: JsonSchema = {}): JsonSchema {
  return { type: 'string', enum: words, ...more };
}

/** Of an answer: clients read a word that comes later, too. [spec: Versioning 2, 5] */
export function openWords(words: readonly string[], more: JsonSchema = {}): JsonSchema {
  return { anyOf: [oneOfWords(words, more), string] };
}

export function listOf(items: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return { type: 'array', items, ...more };
}

/** Of any list in a request. [operator-interface §4] */
export const maxListItems = 100;

/** A list that a client gives us. */
export function givenList(items: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return listOf(items, { maxItems: maxListItems, ...more });
}

/** The same or null. */
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

/** With a body that can be sent as it stands: shown in the contract and to begin from on the docs page. */
export function withExample(schema: JsonSchema, example: Readonly<Record<string, unknown>>): JsonSchema {
  return { ...schema, examples: [example] };
}

/** A response: every field is there, unless it is named in `optional`. */
export function responseObject(title: string, required: Properties, optional: Properties = {}): JsonSchema {
  return requestObject(title, required, optional);
}
