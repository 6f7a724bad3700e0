declare const accepts: unique symbol;

/**
 * JSON Schema 2020-12 of values of type `T`. One schema serves ajv, the types of requests and `/openapi.json`; `title` names it there. A
 * schema written out, rather than made of those below, says its `T` itself, or is one of `unknown`.
 */
export interface JsonSchema<T = unknown> {
  readonly [keyword: string]: unknown;
  /** No schema has it: it carries `T` for the compiler. */
  readonly [accepts]?: T;
}

/** The type of the values that a schema accepts. */
type ValueOf<S> = S extends JsonSchema<infer T> ? T : never;

type Keywords = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, JsonSchema>>;
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- no members, so that an intersection keeps the others
type None = Record<never, never>;
type ObjectOf<Required, Optional> = { [K in keyof Required]: ValueOf<Required[K]> } & {
  [K in keyof Optional]?: ValueOf<Optional[K]>;
};

/** Rules that JSON Schema can't express, by name; see rules.ts. */
export type RuleName = 'text' | 'webhook-url' | 'media-url' | 'timestamp' | 'email';

/** A string without NUL and lone surrogates, which no store and no upstream keeps intact. [faults 71] */
export function text(more: Keywords = {}): JsonSchema<string> {
  return { type: 'string', 'x-rule': 'text' satisfies RuleName, ...more };
}

export const webhookUrl: JsonSchema<string> = {
  type: 'string',
  format: 'uri',
  'x-rule': 'webhook-url' satisfies RuleName,
};

/** An address that a person opens. */
export const webUrl: JsonSchema<string> = {
  type: 'string',
  format: 'uri',
  pattern: '^https?://[^\\s]+$',
  minLength: 10,
  maxLength: 2000,
};

export const mediaUrl: JsonSchema<string> = {
  type: 'string',
  format: 'uri',
  'x-rule': 'media-url' satisfies RuleName,
};

/** Adds keywords that the contract shows and that another check enforces, with a better message. */
export function shown<T>(schema: JsonSchema<T>, members: Keywords): JsonSchema<T> {
  return { ...schema, 'x-shown': members };
}

/** ajv checks `schema`, whose errors read best; the contract shows `inContract`, which suits client generators. */
export function shownAs<T>(schema: JsonSchema<T>, inContract: JsonSchema): JsonSchema<T> {
  return { ...schema, 'x-shown-as': inContract };
}

/** A timestamp in a request. */
export const givenTimestamp: JsonSchema<string> = {
  type: 'string',
  format: 'date-time',
  maxLength: 40,
  'x-rule': 'timestamp' satisfies RuleName,
};

export const flag: JsonSchema<boolean> = { type: 'boolean' };
export const count: JsonSchema<number> = { type: 'integer' };
export const string: JsonSchema<string> = { type: 'string' };
/** One of our ids, in an answer. */
export const ourId: JsonSchema<string> = { type: 'string', format: 'uuid' };
/** One of our ids, in a request: another text is answered like an unknown id. */
export const givenId: JsonSchema<string> = shown(text(), { format: 'uuid' });
/** An object of upstream's, or one of any content. */
export const openObject: JsonSchema<Record<string, unknown>> = { type: 'object', additionalProperties: true };
export const timestamp: JsonSchema<string> = { type: 'string', format: 'date-time' };

export function oneOfWords<const Word extends string>(words: readonly Word[]): JsonSchema<Word> {
  return { type: 'string', enum: words };
}

/** An open set in an answer: clients must accept words that are added later. [spec: Versioning 2, 5] */
export function openWords(words: readonly string[]): JsonSchema<string> {
  return { anyOf: [oneOfWords(words), string] };
}

export function listOf<T>(items: JsonSchema<T>, more: Keywords = {}): JsonSchema<T[]> {
  return { type: 'array', items, ...more };
}

/** Most items of any list in a request. [operator-interface §4] */
export const maxListItems = 100;

/** A list in a request. */
export function givenList<T>(items: JsonSchema<T>): JsonSchema<T[]> {
  return listOf(items, { maxItems: maxListItems });
}

/** The schema or null. */
export function orNull<T>(schema: JsonSchema<T>): JsonSchema<T | null> {
  if (Array.isArray(schema['anyOf']) && !('title' in schema))
    return { ...schema, anyOf: [...schema['anyOf'], { type: 'null' }] };
  if (typeof schema['type'] !== 'string' || 'title' in schema) return { anyOf: [schema, { type: 'null' }] };
  const words = Array.isArray(schema['enum']) ? { enum: [...schema['enum'], null] } : {};
  return { ...schema, type: [schema['type'], 'null'], ...words };
}

/** A request body: unknown fields are ignored. [operator-interface §4] */
export function requestObject<Required extends Properties, Optional extends Properties = None>(
  title: string,
  required: Required,
  optional?: Optional,
): JsonSchema<ObjectOf<Required, Optional>> {
  return { title, type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) };
}

/** Adds an example body that can be sent as it is: shown in the contract and prefilled on the docs page. */
export function withExample<T>(schema: JsonSchema<T>, example: NoInfer<T>): JsonSchema<T> {
  return { ...schema, examples: [example] };
}

/** A response: every field is present, unless it is in `optional`. */
export const responseObject = requestObject;
