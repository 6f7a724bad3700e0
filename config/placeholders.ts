/** Values that this repository publishes, in its files and pages: whoever knows them is not authenticated by them. */
import { isProduction } from './table.ts';
import type { Settings } from './table.ts';
import type { Env } from './value-types.ts';

const ofSimulator = 'is the published one of the simulator';
const ofManifests = 'is the placeholder of config/kubernetes';

/** By variable: each published value, and what it is. */
export const placeholders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ADMIN_TOKEN: { 'put-16-or-more-random-characters-here': ofManifests },
  CLUSTER_SECRET: { 'put-32-or-more-random-characters-here': ofManifests },
  ENCRYPTION_KEYS: {
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=':
      'has a key of zeros, the placeholder of config/kubernetes',
  },
  BASE_URL: { 'https://trunkline.example': ofManifests },
  UPSTREAM_APP_ID: { '700100200300400': ofSimulator },
  UPSTREAM_APP_SECRET: { 'example-app-secret-0001': ofSimulator, 'of-your-app': ofManifests },
  UPSTREAM_VERIFY_TOKEN: { 'my-verify-token': ofSimulator, 'any-word-you-gave-upstream': ofManifests },
  UPSTREAM_SIGNUP_CONFIG_ID: { 'example-signup-0001': ofSimulator },
  BILLING_WEBHOOK_SECRET: { 'whsec_of-your-endpoint': ofManifests },
  MAIL_FROM: { 'trunkline@trunkline.example': ofManifests },
};

/** What production refuses, as one line that names the variable; null: nothing. [operator-interface §4] */
export function productionProblem(settings: Settings, env: Env): string | null {
  if (!isProduction(env)) return null;
  if (settings.allowInsecure) return 'WEBHOOK_ALLOW_INSECURE must not be 1 when NODE_ENV=production';
  if ((env['BASE_URL']?.trim() ?? '') === '')
    return 'BASE_URL is required when NODE_ENV=production: people and upstream reach the service at it';
  if (!settings.baseUrl.startsWith('https:'))
    return 'BASE_URL must start with https:// when NODE_ENV=production: upstream refuses another scheme';
  return published(settings, env);
}

/** A default counts too: beside a simulator on this machine its app stands in. */
function published({ upstreamAppId }: Settings, env: Env): string | null {
  for (const [name, values] of Object.entries(placeholders))
    for (const given of (env[name] ?? '').split(',')) {
      const what = values[given.trim()];
      if (what !== undefined) return `${name} ${what}: NODE_ENV=production needs one of your own`;
    }
  return placeholders['UPSTREAM_APP_ID']?.[upstreamAppId] === undefined
    ? null
    : `UPSTREAM_APP_ID ${ofSimulator}: NODE_ENV=production needs one of your own`;
}
