/** How the text of a variable becomes a value, and what is asked of the value. One maker per kind of setting. */
import { isIP } from 'node:net';
import type { AnySchema, FormatDefinition } from 'ajv/dist/2020.js';
import { dayMs } from '../src/kernel/clock.ts';
import { isLoopback } from '../src/kernel/loopback.ts';
import { mongodbHosts } from '../src/kernel/mongodb-uri.ts';
import { parseRedisUrl } from '../src/kernel/redis-url.ts';

export type Env = Record<string, string | undefined>;

/** A setting: `read` turns text into a value that may still be wrong, `schema` says what is right, `must` says it in words. */
export interface Setting<T> {
  name: string;
  read(given: string): unknown;
  schema: AnySchema;
  must: string;
  /** Value of an unset variable; undefined: it must be set. */
  fallback(env: Env): T | undefined;
  why: string;
}

type Fallback<T> = T | ((env: Env) => T | undefined);

/** The parts that every maker takes in the same order: variable, value when unset, one-line reason. */
type Parts<T> = [name: string, fallback: Fallback<T>, why: string];

function setting<T>(
  [name, fallback, why]: Parts<T>,
  read: (given: string) => unknown,
  schema: object,
  must: string,
) {
  const made: Setting<T> = {
    name,
    read,
    schema,
    must,
    fallback: isFunction(fallback) ? fallback : () => fallback,
    why,
  };
  return made;
}

function isFunction<T>(fallback: Fallback<T>): fallback is (env: Env) => T | undefined {
  return typeof fallback === 'function';
}

/** Fallback of what has none. */
export const unset = (): undefined => undefined;

/** The same setting, null when it is unset. */
export function optional<T>(row: Setting<T>): Setting<T | null> {
  const schema = { anyOf: [row.schema, { type: 'null' }] };
  return { ...row, schema, fallback: (env) => row.fallback(env) ?? null };
}

/** Text that is no plain number stays text, and the schema refuses it. `Number` alone would take '', '0x10' and '1e3'. */
function parseNumber(given: string): unknown {
  return /^\d+(\.\d+)?$/.test(given) ? Number(given) : given;
}

function parseList(given: string): string[] {
  return given.split(',').map((item) => item.trim());
}

const parseNumbers = (given: string): unknown => parseList(given).map(parseNumber);

function parseFlag(given: string): unknown {
  if (given === '1') return true;
  return given === '0' ? false : given;
}

/** A base is joined with paths that begin with a slash. */
const dropTrailingSlashes = (given: string): string => given.replace(/\/+$/, '');

export function whole(parts: Parts<number>, max = Number.MAX_SAFE_INTEGER): Setting<number> {
  const must = max === Number.MAX_SAFE_INTEGER ? 'a whole number' : `a whole number from 0 to ${max}`;
  return setting(parts, parseNumber, { type: 'integer', minimum: 0, maximum: max }, must);
}

/** A century at most: an end that is further ahead has a year of more than four digits, which no client reads. */
const mostDays = 36_525;
const mostMs = mostDays * dayMs;

/** A duration. */
export function ms(...parts: Parts<number>): Setting<number> {
  return msFrom(0, ...parts);
}

/** A duration of at least `least` ms. */
export function msFrom(least: number, ...parts: Parts<number>): Setting<number> {
  const must = `a whole number of milliseconds from ${least} to ${mostMs}`;
  return setting(parts, parseNumber, { type: 'integer', minimum: least, maximum: mostMs }, must);
}

export function msList(...parts: Parts<readonly number[]>): Setting<readonly number[]> {
  const schema = { type: 'array', maxItems: 100, items: { type: 'integer', minimum: 0, maximum: mostMs } };
  const must = `a comma-separated list of whole milliseconds, each from 0 to ${mostMs}`;
  return setting(parts, parseNumbers, schema, must);
}

export function amount(...parts: Parts<number>): Setting<number> {
  return setting(parts, parseNumber, { type: 'number', minimum: 0 }, 'a number of 0 or more');
}

export function days(...parts: Parts<number>): Setting<number> {
  const schema = { type: 'number', minimum: 0, maximum: mostDays };
  return setting(parts, parseNumber, schema, `a number of days from 0 to ${mostDays}`);
}

export function flag(...parts: Parts<boolean>): Setting<boolean> {
  return setting(parts, parseFlag, { type: 'boolean' }, '0 or 1');
}

export function oneOf<T extends string>(values: readonly T[], ...parts: Parts<T>): Setting<T> {
  return setting(parts, asIs, { enum: values }, `one of ${values.join(', ')}`);
}

export function text(...parts: Parts<string>): Setting<string> {
  return setting(
    parts,
    asIs,
    { type: 'string', minLength: 1, maxLength: 4_096 },
    'a text of at most 4096 characters',
  );
}

/** Texts without commas and blanks, such as secrets. */
export function textList(...parts: Parts<readonly string[]>): Setting<readonly string[]> {
  const item = { type: 'string', minLength: 1, maxLength: 4_096, pattern: String.raw`^\S+$` };
  const schema = { type: 'array', minItems: 1, maxItems: 8, items: item };
  return setting(parts, parseList, schema, 'up to 8 texts without blanks, separated by commas');
}

export function matching<T extends string | null>(
  pattern: RegExp,
  must: string,
  ...parts: Parts<T>
): Setting<T> {
  return setting(parts, asIs, { type: 'string', pattern: pattern.source }, must);
}

export function url(schemes: UrlFormat, ...parts: Parts<string>): Setting<string> {
  const isBase = schemes === 'http';
  const starts = `a URL that starts with ${urlFormats[schemes].join(' or ')}`;
  const encoded = `${starts}, in which user and password are percent-encoded (@ as %40, / as %2F, : as %3A)`;
  return setting(
    parts,
    isBase ? dropTrailingSlashes : asIs,
    { type: 'string', format: schemes },
    isBase ? `${starts}, without user name, query and fragment` : encoded,
  );
}

export function redisUrl(...parts: Parts<string>): Setting<string> {
  return setting(
    parts,
    asIs,
    { type: 'string', format: 'redis' },
    'redis://host:6379, rediss://host:6379 or redis+sentinel://host:26379,host:26379/name, each with parameters that it knows, user and password percent-encoded',
  );
}

/** Sealing keys by what a sealed value says of them. */
export function keyIds(...parts: Parts<readonly string[]>): Setting<readonly string[]> {
  const schema = { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[0-9a-f]{8}$' } };
  return setting(parts, parseList, schema, 'a comma-separated list of key ids, each of eight hex digits');
}

export function keyList(...parts: Parts<readonly string[]>): Setting<readonly string[]> {
  const schema = {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { type: 'string', format: 'sealing-key' },
  };
  return setting(
    parts,
    parseList,
    schema,
    'a comma-separated list of different keys, each base64 of 32 bytes',
  );
}

/** Networks in CIDR notation, both families. */
export function cidrList(...parts: Parts<readonly string[]>): Setting<readonly string[]> {
  const schema = { type: 'array', minItems: 1, maxItems: 100, items: { type: 'string', format: 'cidr' } };
  return setting(parts, parseList, schema, 'a comma-separated list of networks like 10.0.0.0/8');
}

/** The text of a JSON object, kept as it is. */
export function jsonObject(...parts: Parts<string>): Setting<string> {
  return setting(parts, asIs, { type: 'string', format: 'json-object', maxLength: 4_096 }, 'a JSON object');
}

/** Names of upstream's permissions. */
export function permissionList(...parts: Parts<readonly string[]>): Setting<readonly string[]> {
  const schema = {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: { type: 'string', pattern: '^[a-z0-9_]+$' },
  };
  return setting(parts, parseList, schema, 'a comma-separated list of permissions like pages_messaging');
}

/** Host names; one with a dot in front stands for everything below it. */
export function hostList(...parts: Parts<readonly string[]>): Setting<readonly string[]> {
  const host = { type: 'string', pattern: '^\\.?[a-z0-9-]+(\\.[a-z0-9-]+)*$' };
  const schema = { type: 'array', minItems: 1, maxItems: 100, items: host };
  return setting(
    parts,
    parseList,
    schema,
    'a comma-separated list of host names, where a leading dot includes all subdomains',
  );
}

const asIs = (given: string): string => given;

const urlFormats = {
  http: ['http://', 'https://'],
  mongodb: ['mongodb://', 'mongodb+srv://'],
  smtp: ['smtp://', 'smtps://'],
} as const;

type UrlFormat = keyof typeof urlFormats;

/** A replica set is a list of hosts, which no URL parser takes: only the driver can judge the rest of such a URI. */
function isUrl(given: string, schemes: readonly string[]): boolean {
  const scheme = schemes.find((start) => given.startsWith(start));
  if (scheme === undefined || given.length === scheme.length || /\s/.test(given)) return false;
  if (scheme.startsWith('mongodb')) return mongodbHosts(given) !== null;
  if (!URL.canParse(given)) return false;
  return scheme.startsWith('http') ? isPlain(given) : !/[@:]/.test(new URL(given).pathname);
}

/** A path that is put behind a query or a fragment would be part of it, and a name with a password would go out with every link. */
function isPlain(given: string): boolean {
  const { username, password } = new URL(given);
  return username + password === '' && !/[?#]/.test(given);
}

const isSealingKey = (given: string): boolean => {
  const bytes = Buffer.from(given, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === given;
};

const isCidr = (given: string): boolean => {
  const [address = '', prefix = '', ...rest] = given.split('/');
  const family = isIP(address);
  if (rest.length > 0 || family === 0 || !/^\d{1,3}$/.test(prefix)) return false;
  return Number(prefix) <= (family === 4 ? 32 : 128);
};

function isJsonObject(given: string): boolean {
  try {
    const value: unknown = JSON.parse(given);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return false;
    throw thrown;
  }
}

/** Whether the URL names this very machine; what is no URL does not. */
export function isLoopbackUrl(given: string): boolean {
  return URL.canParse(given) && isLoopback(new URL(given).hostname);
}

/** For ajv. */
export const formats: Record<string, FormatDefinition<string>> = {
  'sealing-key': { validate: isSealingKey },
  cidr: { validate: isCidr },
  'json-object': { validate: isJsonObject },
  redis: { validate: (given) => parseRedisUrl(given) !== null },
  ...Object.fromEntries(
    Object.entries(urlFormats).map(([name, schemes]) => [
      name,
      { validate: (given: string) => isUrl(given, schemes) },
    ]),
  ),
};
