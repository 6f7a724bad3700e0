import { accessSync, constants } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { toErrorCode } from '../src/kernel/faults.ts';
import { parseRedisUrl } from '../src/kernel/redis-url.ts';
import { formats } from './value-types.ts';
import type { Env, Setting } from './value-types.ts';
import { productionProblem } from './placeholders.ts';
import { exampleSecret, table } from './table.ts';
import type { Settings } from './table.ts';

export type { Settings } from './table.ts';

/** The environment can't be used; `message` is one line that names the variable, never its value when that is secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** The system's word for why a file can't be read or written, for a SettingsError. */
export function readErrorCode(error: unknown): string {
  return toErrorCode(error) ?? 'unknown error';
}

const rows: [key: string, row: Setting<unknown>][] = Object.entries(table);

/** Variables in the order of `example.env`. */
export const settingNames: readonly string[] = rows.map(([, row]) => row.name);

/**
 * What the environment asks for. An empty variable counts as unset. Throws SettingsError for the first variable that is
 * missing, ill-formed, or can't stand beside another. [operator-interface §2]
 */
export function readSettings(env: Env): Settings {
  const values = Object.fromEntries(rows.map(([key, row]) => [key, readValue(row, env)]));
  const settings = parse(
    values,
    rows.filter(([key, row]) => values[key] === undefined || readGiven(row, env) !== ''),
  );
  for (const [isBroken, sentence] of together) {
    if (isBroken(settings)) throw new SettingsError(sentence);
  }
  const refused = productionProblem(settings, env);
  if (refused !== null) throw new SettingsError(refused);
  return settings;
}

function readValue(row: Setting<unknown>, env: Env): unknown {
  const given = readGiven(row, env);
  return given === '' ? row.fallback(env) : row.read(given);
}

function readGiven({ name }: Setting<unknown>, env: Env): string {
  return env[name]?.trim() ?? '';
}

/**
 * The check of what is not the default: those are right, a test holds each to its schema. Every missing variable is named at once:
 * nobody should start four times to learn four names. Made for one use: all of the table, and optimized, it took an eighth of a start.
 */
function compileCheck(open: readonly [key: string, row: Setting<unknown>][]): ValidateFunction<Settings> {
  const rules = { strict: true, allErrors: true, formats, meta: false, validateSchema: false } as const;
  return new Ajv2020({ ...rules, code: { optimize: false } }).compile<Settings>({
    type: 'object',
    properties: Object.fromEntries(open.map(([key, row]) => [key, row.schema])),
    required: open.map(([key]) => key),
  });
}

/** `open`: the settings that are not known to be right. */
function parse(values: unknown, open: readonly [key: string, row: Setting<unknown>][]): Settings {
  const isSettings = compileCheck(open);
  if (isSettings(values)) return values;
  const errors = isSettings.errors ?? [];
  const wrong = errors.find((error) => error.keyword !== 'required');
  throw new SettingsError(
    wrong === undefined ? requiredSentence(errors.map((error) => findRow(error)?.name)) : mustSentence(wrong),
  );
}

/** Only the app registered upstream has no default, and has one while upstream is the simulator. */
function requiredSentence(missing: readonly (string | undefined)[]): string {
  const verb = missing.length === 1 ? 'is' : 'are';
  return `${missing.join(', ')} ${verb} required unless UPSTREAM_URL is a loopback address (the simulator)`;
}

function mustSentence(error: ErrorObject): string {
  const row = findRow(error);
  return row === undefined ? 'the environment cannot be read' : `${row.name} must be ${row.must}`;
}

function findRow(error: ErrorObject): Setting<unknown> | undefined {
  const key =
    error.keyword === 'required' ? String(error.params['missingProperty']) : error.instancePath.split('/')[1];
  return rows.find(([known]) => known === key)?.[1];
}

/** What must not stand together, and the sentence for it. */
const together: [isBroken: (settings: Settings) => boolean, sentence: string][] = [
  [
    (s) => s.redisUrl !== null && s.mongodbUri === null,
    'MONGODB_URI is required with REDIS_URL: several nodes cannot share the embedded store',
  ],
  [
    (s) => s.redisUrl !== null && s.clusterSecret === null,
    'CLUSTER_SECRET is required with REDIS_URL: nodes authenticate to each other with it',
  ],
  [
    (s) => s.redisUrl !== null && !canRead(parseRedisUrl(s.redisUrl)?.tls?.caFile ?? null),
    'REDIS_URL names a tlsCAFile that cannot be read',
  ],
  [
    (s) => s.mongodbUri !== null && s.encryptionKeys === null,
    'ENCRYPTION_KEYS is required with MONGODB_URI: keys are generated for the embedded store only',
  ],
  [
    (s) => s.mongodbUri !== null && s.adminToken === null,
    'ADMIN_TOKEN is required with MONGODB_URI: it is generated for the embedded store only',
  ],
  [
    (s) => (s.adminHost === null) !== (s.adminPort === null),
    'ADMIN_HOST and ADMIN_PORT must be set together: the listener for operators needs both',
  ],
  // The simulator speaks http: whoever has put a real upstream in its place signs with a secret that is printed here.
  [
    (s) => s.upstreamUrl.startsWith('https:') && s.upstreamAppSecrets.includes(exampleSecret),
    'UPSTREAM_APP_SECRET is the published secret of the simulator: with a real UPSTREAM_URL it must be the secret of your app',
  ],
];

function canRead(file: string | null): boolean {
  try {
    if (file !== null) accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
