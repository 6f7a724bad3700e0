import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { formats } from './value-types.ts';
import type { Env, Setting } from './value-types.ts';
import { isProduction, table } from './table.ts';
import type { Settings } from './table.ts';

export type { Settings } from './table.ts';

/** The environment can't be used; `message` is one line that names the variable, never its value when that is secret. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const rows: [key: string, row: Setting<unknown>][] = Object.entries(table);

/** Variables in the order of `example.env`. */
export const settingNames: readonly string[] = rows.map(([, row]) => row.name);

/**
 * The one reader of the environment. An empty variable counts as unset. Throws SettingsError for the first variable that is
 * missing, ill-formed, or can't stand beside another. [operator-interface §2]
 */
export function readSettings(env: Env = process.env): Settings {
  const values: unknown = Object.fromEntries(rows.map(([key, row]) => [key, valueOf(row, env)]));
  const settings = parse(values, env);
  for (const [isBroken, sentence] of together) {
    if (isBroken(settings, env)) throw new SettingsError(sentence);
  }
  return settings;
}

function valueOf(row: Setting<unknown>, env: Env): unknown {
  const given = env[row.name]?.trim() ?? '';
  return given === '' ? row.fallback(env) : row.read(given);
}

const ajv = new Ajv2020({ strict: true, formats, meta: false, validateSchema: false });
const isSettings = ajv.compile<Settings>({
  type: 'object',
  properties: Object.fromEntries(rows.map(([key, row]) => [key, row.schema])),
  required: rows.map(([key]) => key),
});

function parse(values: unknown, env: Env): Settings {
  if (isSettings(values)) return values;
  throw new SettingsError(sentenceOf(isSettings.errors?.[0], env));
}

function sentenceOf(error: ErrorObject | undefined, env: Env): string {
  const missing = error?.keyword === 'required' ? String(error.params['missingProperty']) : null;
  const key = missing ?? error?.instancePath.split('/')[1];
  const row = rows.find(([known]) => known === key)?.[1];
  if (row === undefined) return 'the environment can not be read';
  if (missing !== null)
    return `${row.name} is required${isProduction(env) ? ' when NODE_ENV=production' : ''}`;
  return `${row.name} must be ${row.must}`;
}

/** What must not stand together, and the sentence for it. */
const together: [isBroken: (settings: Settings, env: Env) => boolean, sentence: string][] = [
  [
    (s) => s.redisUrl !== null && s.mongodbUri === null,
    'MONGODB_URI is required with REDIS_URL: several nodes can not share the embedded store',
  ],
  [
    (s) => s.redisUrl !== null && s.clusterSecret === null,
    'CLUSTER_SECRET is required with REDIS_URL: nodes authenticate to each other with it',
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
    (s, env) => s.webhookAllowInsecure && isProduction(env),
    'WEBHOOK_ALLOW_INSECURE must not be 1 when NODE_ENV=production',
  ],
];
