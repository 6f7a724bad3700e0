import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';
import { placeholders } from '../../config/placeholders.ts';
import { SettingsError, readSettings, settingNames } from '../../config/settings.ts';
import { table } from '../../config/table.ts';
import { formats } from '../../config/value-types.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const token = 'admin-token-long-enough';
const otherKey = Buffer.alloc(32, 8).toString('base64');
const registered = {
  UPSTREAM_APP_ID: '1',
  UPSTREAM_APP_SECRET: 's',
  UPSTREAM_VERIFY_TOKEN: 't',
};
const production = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com', ...registered };
const pageScopes = [
  'pages_show_list',
  'pages_messaging',
  'pages_manage_metadata',
  'pages_read_engagement',
  'business_management',
];
const simulated = { UPSTREAM_URL: 'http://localhost:3001' };

function problem(env: Record<string, string>): string {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return 'no problem';
}

describe('every variable has a default [operator-interface §2]', () => {
  test('nodes that start at the same moment have different names', () => {
    const names = Array.from({ length: 100 }, () => readSettings(simulated).nodeId);

    expect(new Set(names).size).toBe(100);
  });

  test('beside a simulator everything has a default, its app too', () => {
    const { nodeId, ...settings } = readSettings(simulated);

    expect(nodeId).toMatch(/^node-[0-9a-f]{8}$/);
    expect(settings).toEqual({
      port: 3000,
      host: '127.0.0.1',
      internalPort: null,
      internalHost: '127.0.0.1',
      internalUrl: null,
      clusterSecret: null,
      baseUrl: 'http://localhost:3000',
      dataDir: './data',
      acceptOlderStore: false,
      mongodbUri: null,
      redisUrl: null,
      encryptionKeys: null,
      encryptionKeysLost: null,
      adminToken: null,
      upstreamUrl: 'http://localhost:3001',
      upstreamDialogUrl: 'https://www.facebook.com',
      upstreamVersion: 'v25.0',
      upstreamAppId: '700100200300400',
      upstreamAppSecrets: ['example-app-secret-0001'],
      upstreamInstagramSecret: null,
      upstreamAppWebhooks: 'manage',
      upstreamPinSecret: null,
      upstreamVerifyToken: 'my-verify-token',
      upstreamSignupConfigId: 'example-signup-0001',
      upstreamSignupExtras:
        '{"version":"v4","sessionInfoVersion":"3","featureType":"whatsapp_business_app_onboarding"}',
      upstreamPagesConfigId: null,
      upstreamPageScopes: pageScopes,
      upstreamPhotoScopes: ['instagram_basic', 'instagram_manage_messages', ...pageScopes],
      allowInsecure: false,
      webhookTimeoutMs: 5000,
      webhookRetryDelaysMs: [30000, 60000, 120000, 120000, 120000, 120000, 120000],
      webhookDeadlineMs: 1200000,
      sendQueuedAfterMs: 30000,
      sendResendAfterMs: 180000,
      sendGiveUpAfterMs: 600000,
      digestIntervalMs: 900000,
      mediaTtlMs: 3600000,
      mediaMaxBytes: 104857600,
      mediaChannelBytes: 2_147_483_648,
      mediaAccountBytes: 8_589_934_592,
      storeReserveBytes: 1_073_741_824,
      mediaRetryDelaysMs: [1_000, 5_000, 20_000, 60_000],
      upstreamMediaHosts: [
        'lookaside.fbsbx.com',
        '.fbsbx.com',
        '.fbcdn.net',
        '.whatsapp.net',
        '.cdninstagram.com',
      ],
      upstreamMediaTokenHosts: ['lookaside.fbsbx.com'],
      profileTtlMs: 300000,
      healthCheckIntervalMs: 3_600_000,
      tokenRenewBeforeMs: 1_728_000_000,
      profileMissTtlMs: 30000,
      exchangeCodeTtlMs: 300000,
      setupUrlTtlMs: 1800000,
      leaseTtlMs: 10000,
      channelsFollowSends: true,
      drainTimeoutMs: 25000,
      trustProxyHops: 0,
      webhookAllowCidrs: null,
      deliveryLogDays: 7,
      endpointDisabledAfterDays: 5,
      adminHost: null,
      adminPort: null,
      templateCreateWindowMs: 3600000,
      templateEditCooldownMs: 86400000,
      templateEditWindowMs: 2592000000,
      templateNameBlockMs: 2592000000,
      billingWebhookSecret: null,
      signup: true,
      trialDays: 14,
      trialTier: 'pro',
      graceMs: 259200000,
      rateLimitPerSecond: 100,
      rateLimitBurst: 500,
      maxQueueAgeMs: 5000,
      smtpUrl: null,
      tracesEndpoint: null,
      mailFrom: null,
      logLevel: 'info',
      metrics: true,
    });
  });

  const ajv = new Ajv2020({ strict: true, formats, allowUnionTypes: true });
  test.each(Object.values(table))(
    '$name: what is used when it is unset would be taken when it is set',
    (row) => {
      const fallback: unknown = row.fallback(simulated);
      const fits = ajv.compile(row.schema);

      expect(fits(fallback)).toBe(true);
    },
  );

  test('an app without a sign-up configuration starts: it connects pages and photo accounts', () => {
    expect(readSettings(registered).upstreamSignupConfigId).toBe(null);
  });

  test.each(['v4', '[]', 'null', '{"version":'])(
    'extras that are no JSON object are refused: %s',
    (extras) => {
      expect(problem({ ...simulated, UPSTREAM_SIGNUP_EXTRAS: extras })).toBe(
        'UPSTREAM_SIGNUP_EXTRAS must be a JSON object',
      );
    },
  );

  test('permissions are names in a list', () => {
    const given = { ...simulated, UPSTREAM_PAGE_SCOPES: 'pages_show_list, pages_messaging' };
    expect(readSettings(given).upstreamPageScopes).toEqual(['pages_show_list', 'pages_messaging']);
    expect(problem({ ...simulated, UPSTREAM_PHOTO_SCOPES: 'pages messaging' })).toMatch(
      /^UPSTREAM_PHOTO_SCOPES must be a comma-separated list of permissions/,
    );
  });

  test('the public address follows the port', () => {
    expect(readSettings({ ...simulated, PORT: '4000' }).baseUrl).toBe('http://localhost:4000');
    expect(readSettings({ ...simulated, PORT: '4000', BASE_URL: 'https://api.example.com/' }).baseUrl).toBe(
      'https://api.example.com',
    );
  });

  test('the sender of mails is an address, with a name or without', () => {
    for (const sender of [
      'trunkline@localhost',
      'Trunkline <mail@example.com>',
      '<mail@example.com>',
      'Bäckerei, Nord <b@bäcker.example>',
    ])
      expect(readSettings({ ...simulated, MAIL_FROM: sender }).mailFrom).toBe(sender);
  });

  test('an empty variable counts as unset', () => {
    expect(readSettings({ ...simulated, PORT: '', SMTP_URL: ' ' })).toMatchObject({
      port: 3000,
      smtpUrl: null,
    });
  });

  test('durations and lists are taken exactly as set', () => {
    const set = readSettings({
      ...simulated,
      WEBHOOK_RETRY_DELAYS_MS: '1, 2,3',
      WEBHOOK_DEADLINE_MS: '0',
      TRIAL_DAYS: '0.5',
    });

    expect(set).toMatchObject({ webhookRetryDelaysMs: [1, 2, 3], webhookDeadlineMs: 0, trialDays: 0.5 });
  });

  test('keys and a cluster are read', () => {
    const set = readSettings({
      ...simulated,
      MONGODB_URI: 'mongodb://user:word@a:1,b:2/?replicaSet=rs',
      REDIS_URL: 'redis://localhost:6379',
      CLUSTER_SECRET: 'between-us-and-nobody-else-at-all',
      ENCRYPTION_KEYS: `${key}, ${otherKey}`,
      ADMIN_TOKEN: 'let-me-in-please',
    });

    expect(set).toMatchObject({
      mongodbUri: 'mongodb://user:word@a:1,b:2/?replicaSet=rs',
      redisUrl: 'redis://localhost:6379',
      clusterSecret: 'between-us-and-nobody-else-at-all',
      encryptionKeys: [key, otherKey],
      adminToken: 'let-me-in-please',
    });
  });
});

const redisMust =
  'redis://host:6379, rediss://host:6379 or redis+sentinel://host:26379,host:26379/name, each with parameters that it knows, user and password percent-encoded';

const baseMust = 'a URL that starts with http:// or https://, without user name, query and fragment';
const msMust = (least: number) => `a whole number of milliseconds from ${least} to 3155760000000`;
const daysMust = 'a number of days from 0 to 36525';
const senderMust = 'an e-mail address, or a name with the address in angle brackets';

describe('unknown values fail at start with one clear line [operator-interface §2]', () => {
  test.each([
    ['PORT', '65536', 'a whole number from 0 to 65535'],
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['PORT', '0x10', 'a whole number from 0 to 65535'],
    ['BASE_URL', 'localhost:3000', baseMust],
    ['BASE_URL', 'http://', baseMust],
    ['BASE_URL', 'https://api.example.com?tenant=1', baseMust],
    ['BASE_URL', 'https://api.example.com/?', baseMust],
    ['BASE_URL', 'https://api.example.com#top', baseMust],
    ['BASE_URL', 'https://user:word@api.example.com', baseMust],
    ['UPSTREAM_DIALOG_URL', 'https://www.facebook.com/?x', baseMust],
    ['INTERNAL_URL', 'http://user@10.0.0.1:4000', baseMust],
    [
      'MONGODB_URI',
      'http://localhost',
      'a URL that starts with mongodb:// or mongodb+srv://, in which user and password are percent-encoded (@ as %40, / as %2F, : as %3A)',
    ],
    ['REDIS_URL', 'localhost:6379', redisMust],
    ['REDIS_URL', 'redis+sentinel://a:26379,b:26379', redisMust],
    ['REDIS_URL', 'redis+sentinel://a:26379/name?ssl=1', redisMust],
    ['NODE_ID', 'a b', 'at most 64 letters, digits, dots, dashes or underscores'],
    ['ENCRYPTION_KEYS_LOST', '1a2b3c4', 'a comma-separated list of key ids, each of eight hex digits'],
    ['ENCRYPTION_KEYS', 'c2hvcnQ=', 'a comma-separated list of different keys, each base64 of 32 bytes'],
    ['ENCRYPTION_KEYS', `${key},${key}`, 'a comma-separated list of different keys, each base64 of 32 bytes'],
    ['ADMIN_TOKEN', 'zwei Wörter, lang genug', 'at least 16 visible ASCII characters'],
    ['ADMIN_TOKEN', 'fifteen-letters', 'at least 16 visible ASCII characters'],
    ['CLUSTER_SECRET', 'a'.repeat(31), 'at least 32 visible ASCII characters'],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0', 'a comma-separated list of networks like 10.0.0.0/8'],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0/8,fd00::/129', 'a comma-separated list of networks like 10.0.0.0/8'],
    ['TRUST_PROXY_HOPS', '17', 'a whole number from 0 to 16'],
    ['SIGNUP', 'no', '0 or 1'],
    ['UPSTREAM_VERSION', '25', 'a version like v25.0'],
    ['UPSTREAM_APP_ID', 'my-app', 'digits'],
    ['WEBHOOK_ALLOW_INSECURE', 'true', '0 or 1'],
    ['WEBHOOK_TIMEOUT_MS', '5s', msMust(0)],
    ['WEBHOOK_TIMEOUT_MS', '1.5', msMust(0)],
    ['SETUP_URL_TTL_MS', '3155760000001', msMust(0)],
    ['SEND_RESEND_AFTER_MS', '0', msMust(1)],
    ['LEASE_TTL_MS', '499', msMust(500)],
    [
      'WEBHOOK_RETRY_DELAYS_MS',
      '1,,2',
      'a comma-separated list of whole milliseconds, each from 0 to 3155760000000',
    ],
    ['TRIAL_TIER', 'gold', 'one of starter, pro'],
    ['TRIAL_DAYS', 'ten', daysMust],
    ['TRIAL_DAYS', '36526', daysMust],
    ['DELIVERY_LOG_DAYS', '999999999', daysMust],
    ['RATE_LIMIT_BURST', 'many', 'a number of 0 or more'],
    [
      'SMTP_URL',
      'mail.example.com',
      'a URL that starts with smtp:// or smtps://, in which user and password are percent-encoded (@ as %40, / as %2F, : as %3A)',
    ],
    ['MAIL_FROM', 'Trunkline', senderMust],
    ['MAIL_FROM', 'mail@', senderMust],
    ['MAIL_FROM', 'a@example.com, b@example.com', senderMust],
    ['MAIL_FROM', 'Trunkline <mail@example.com', senderMust],
    ['MAIL_FROM', 'Trunk\nline <mail@example.com>', senderMust],
    ['LOG_LEVEL', 'loud', 'one of fatal, error, warn, info, debug, trace, silent'],
    ['METRICS', 'yes', '0 or 1'],
  ])('%s=%s', (name, value, must) => {
    expect(problem({ ...simulated, [name]: value })).toBe(`${name} must be ${must}`);
  });

  test.each([
    [{ REDIS_URL: 'redis://a' }, 'MONGODB_URI is required with REDIS_URL'],
    [
      { REDIS_URL: 'redis://a', MONGODB_URI: 'mongodb://a', ENCRYPTION_KEYS: key, ADMIN_TOKEN: token },
      'CLUSTER_SECRET is required with REDIS_URL',
    ],
    [
      {
        REDIS_URL: 'rediss://a?tlsCAFile=/no/such/ca.pem',
        MONGODB_URI: 'mongodb://a',
        CLUSTER_SECRET: 'x'.repeat(32),
      },
      'REDIS_URL names a tlsCAFile that cannot be read',
    ],
    [{ MONGODB_URI: 'mongodb://a', ADMIN_TOKEN: token }, 'ENCRYPTION_KEYS is required with MONGODB_URI'],
    [{ MONGODB_URI: 'mongodb://a', ENCRYPTION_KEYS: key }, 'ADMIN_TOKEN is required with MONGODB_URI'],
    [{ ADMIN_PORT: '9000' }, 'ADMIN_HOST and ADMIN_PORT must be set together'],
    [{ ADMIN_HOST: '::1' }, 'ADMIN_HOST and ADMIN_PORT must be set together'],
  ])('%j', (env, sentence) => {
    expect(problem({ ...simulated, ...env }).split(':')[0]).toBe(sentence);
  });

  test('no line repeats a value', () => {
    for (const name of settingNames)
      expect(problem({ ...simulated, [name]: 'hush hush\u0000' })).not.toContain('hush');
  });
});

describe('the app registered upstream [operator-interface §2]', () => {
  const names = Object.keys(registered);

  test.each(names)('%s is required beside a real upstream, whatever NODE_ENV says', (name) => {
    const sentence = `${name} is required unless UPSTREAM_URL is a loopback address (the simulator)`;
    expect(problem({ ...registered, [name]: '' })).toBe(sentence);
    expect(problem({ ...production, [name]: '' })).toBe(sentence);
  });

  test('the published secret is refused beside a real upstream, given by name too', () => {
    const example = { ...registered, UPSTREAM_APP_SECRET: 'example-app-secret-0001' };
    expect(problem(example)).toMatch(/^UPSTREAM_APP_SECRET is the published secret of the simulator/);
    expect(problem({ ...example, NODE_ENV: 'production' })).toMatch(
      /^UPSTREAM_APP_SECRET is the published secret of the simulator/,
    );
    // A simulator in a container of its own is no loopback address.
    expect(readSettings({ ...example, UPSTREAM_URL: 'http://simulator:3001' }).upstreamUrl).toContain(
      'simulator',
    );
  });

  test('one line names everything that is missing', () => {
    expect(problem({})).toBe(
      `${names.join(', ')} are required unless UPSTREAM_URL is a loopback address (the simulator)`,
    );
  });

  test.each(['http://localhost:3001', 'http://127.0.0.1:1', 'http://127.9.9.9', 'http://[::1]:3001'])(
    'the simulator’s stands in while upstream is %s',
    (UPSTREAM_URL) => {
      expect(readSettings({ UPSTREAM_URL }).upstreamAppSecrets).toEqual(['example-app-secret-0001']);
    },
  );

  test.each([
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'http://128.0.0.1',
  ])('and never while it is %s', (UPSTREAM_URL) => {
    expect(problem({ UPSTREAM_URL })).toMatch(/^UPSTREAM_APP_ID, .* are required/);
  });
});

describe('production [operator-interface §2]', () => {
  test('a whole one is taken', () => {
    expect(readSettings(production)).toMatchObject({ upstreamAppId: '1', allowInsecure: false });
  });

  test('insecure receivers are refused', () => {
    expect(problem({ ...production, WEBHOOK_ALLOW_INSECURE: '1' })).toBe(
      'WEBHOOK_ALLOW_INSECURE must not be 1 when NODE_ENV=production',
    );
  });

  test('the public address is one that upstream and people can reach', () => {
    expect(problem({ ...production, BASE_URL: '' })).toMatch(
      /^BASE_URL is required when NODE_ENV=production/,
    );
    expect(problem({ ...production, BASE_URL: 'http://api.example.com' })).toMatch(
      /^BASE_URL must start with https:\/\//,
    );
  });

  const published = Object.entries(placeholders).flatMap(([name, values]) =>
    Object.keys(values).map((value) => [name, value] as const),
  );

  test.each(published)('%s=%s is refused, since everybody can read it', (name, value) => {
    expect(problem({ ...production, [name]: value })).toMatch(new RegExp(`^${name} `));
    const elsewhere = { ...registered, UPSTREAM_URL: 'http://simulator:3001' };
    expect(problem({ ...elsewhere, [name]: value })).toBe('no problem');
  });

  test('one of several keys that is published is refused', () => {
    const zeros = Buffer.alloc(32).toString('base64');
    expect(problem({ ...production, ENCRYPTION_KEYS: `${key},${zeros}` })).toMatch(/^ENCRYPTION_KEYS /);
  });

  test('the app of the simulator does not stand in', () => {
    const env = { NODE_ENV: 'production', BASE_URL: 'https://api.example.com', ...simulated };
    expect(problem(env)).toMatch(/^UPSTREAM_APP_ID is the published one of the simulator/);
  });
});

describe('user and password of a URI', () => {
  test.each([
    ['MONGODB_URI', 'mongodb://user:hush/hush@db.example/trunkline'],
    ['MONGODB_URI', 'mongodb://user:hush@hush@db.example/trunkline'],
    ['MONGODB_URI', 'mongodb://user:hush?hush@db.example'],
    ['MONGODB_URI', 'mongodb://user:hush#hush@db.example'],
    ['MONGODB_URI', 'mongodb://user:hush:hush@db.example'],
    ['MONGODB_URI', 'mongodb://user:hush%@db.example'],
    ['MONGODB_URI', 'mongodb+srv://user:12/hush@db.example'],
    ['SMTP_URL', 'smtp://user:12/hush@mail.example'],
    ['REDIS_URL', 'redis://user:12/hush@redis.example'],
    ['REDIS_URL', 'redis://user:hush@hush@redis.example'],
  ])('%s=%s: the line says to percent-encode them, and quotes neither', (name, value) => {
    const line = problem({ ...registered, [name]: value });
    expect(line).toMatch(new RegExp(`^${name} must be .*percent-encoded`));
    expect(line).not.toMatch(/hush|12|user:/);
  });

  test.each([
    'mongodb://user:p%40ss%2Fword@a:27017,b.example:27018,[::1]:27019/trunkline?replicaSet=rs0',
    'mongodb://user@a/?authMechanism=MONGODB-X509',
    'mongodb://%2Ftmp%2Fmongodb-27017.sock/trunkline',
    'mongodb+srv://cluster0.example.net/?appName=me@work',
  ])('%s is taken', (MONGODB_URI) => {
    const env = { ...registered, MONGODB_URI, ENCRYPTION_KEYS: key, ADMIN_TOKEN: token };
    expect(readSettings(env).mongodbUri).toBe(MONGODB_URI);
  });
});

describe('example.env', () => {
  const text = readFileSync(new URL('../../config/example.env', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^# (.*)\n([A-Z0-9_]+)=(.*)$/gm)];

  test('lists the same variables in the same order, each with the same reason', () => {
    expect(rows.map(([, why, name]) => [name, why])).toEqual(
      Object.values(table).map(({ name, why }) => [name, why]),
    );
    expect(text.match(/^[A-Z0-9_]+=/gm)?.length).toBe(settingNames.length);
  });

  test('copied as it is, it changes nothing', () => {
    const copied = Object.fromEntries(rows.map(([, , name, value]) => [name, value]));

    expect(readSettings({ ...copied, ...registered, NODE_ID: 'a' })).toEqual(
      readSettings({ ...registered, NODE_ID: 'a' }),
    );
  });
});
