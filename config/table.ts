/** Every adjustable fact: variable, value when unset, why it is there. In the order of `example.env`. [operator-interface §2] */
import { newId } from '../src/kernel/ids.ts';
import {
  amount,
  cidrList,
  days,
  flag,
  hostList,
  isLoopbackUrl,
  keyIds,
  keyList,
  matching,
  ms,
  msList,
  oneOf,
  optional,
  redisUrl,
  text,
  unset,
  url,
  whole,
} from './value-types.ts';
import type { Env, Setting } from './value-types.ts';

export function isProduction(env: Env): boolean {
  return env['NODE_ENV'] === 'production';
}

const upstreamUrl = 'https://graph.facebook.com';

/** The simulator's app, while upstream is on this machine: its secrets are published, so nothing real may be signed with them. */
const ofSimulator = (value: string) => (env: Env) =>
  isLoopbackUrl(env['UPSTREAM_URL']?.trim() || upstreamUrl) ? value : undefined;

const name = /^[A-Za-z0-9._-]{1,64}$/;
/** One mailbox: of two, or of none, a mail server would refuse every mail. */
const sender = /^(?:[^<>\p{Cc}]*<[^\s<>@,;"()]+@[^\s<>@,;"()]+>|[^\s<>@,;"()]+@[^\s<>@,;"()]+)$/u;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The simulator's, as its README prints it. */
export const exampleSecret = 'example-app-secret-0001';

// oxfmt-ignore
export const table = {
  port: whole(['PORT', 3_000, 'public listener; 0 takes a free port'], 65_535),
  host: text('HOST', '127.0.0.1', 'address of the public listener; 0.0.0.0 in the container image'),
  internalPort: optional(whole(['INTERNAL_PORT', unset, 'node-to-node listener; unset on a single node'], 65_535)),
  internalHost: text('INTERNAL_HOST', '127.0.0.1', 'address of the node-to-node listener: of a network that only nodes are in'),
  internalUrl: optional(url('http', 'INTERNAL_URL', unset, 'how other nodes reach this one')),
  clusterSecret: optional(matching(/^[\x21-\x7e]{32,}$/, 'at least 32 visible ASCII characters', 'CLUSTER_SECRET', unset, 'authenticates node-to-node calls, at least 32 characters; required with REDIS_URL')),
  baseUrl: url('http', 'BASE_URL', (env) => `http://localhost:${env['PORT']?.trim() || 3_000}`, 'public address, used in setup, media and callback URLs; http://localhost:$PORT when unset'),
  dataDir: text('DATA_DIR', './data', 'embedded store and generated keys; used when MONGODB_URI is unset'),
  mongodbUri: optional(url('mongodb', 'MONGODB_URI', unset, 'MongoDB (replica set) instead of the embedded store')),
  redisUrl: optional(redisUrl('REDIS_URL', unset, 'locks, routing, jobs and live feed of several nodes: redis://, rediss:// or redis+sentinel://; needs MONGODB_URI')),
  nodeId: matching(name, 'at most 64 letters, digits, dots, dashes or underscores', 'NODE_ID', () => `node-${newId().slice(0, 8)}`, 'name of this node; random when unset'),
  encryptionKeys: optional(keyList('ENCRYPTION_KEYS', unset, 'base64 32-byte keys, newest first: seal tokens, webhook secrets and payloads at rest; generated into DATA_DIR')),
  encryptionKeysLost: optional(keyIds('ENCRYPTION_KEYS_LOST', unset, 'ids of keys that are gone for good, as the start names them: their channels have to be connected again')),
  adminToken: optional(matching(/^[\x21-\x7e]{16,}$/, 'at least 16 visible ASCII characters', 'ADMIN_TOKEN', unset, 'bearer token of the admin API, at least 16 characters; generated into DATA_DIR')),
  upstreamUrl: url('http', 'UPSTREAM_URL', upstreamUrl, 'Graph API base'),
  upstreamDialogUrl: url('http', 'UPSTREAM_DIALOG_URL', 'https://www.facebook.com', 'OAuth dialog base'),
  upstreamVersion: matching(/^v\d{1,3}\.\d{1,2}$/, 'a version like v25.0', 'UPSTREAM_VERSION', 'v25.0', 'version path segment'),
  upstreamAppId: matching(/^\d{1,32}$/, 'digits', 'UPSTREAM_APP_ID', ofSimulator('700100200300400'), 'app registered upstream; required unless UPSTREAM_URL is a loopback address'),
  upstreamAppSecret: text('UPSTREAM_APP_SECRET', ofSimulator(exampleSecret), 'its secret: signs upstream webhooks; required unless UPSTREAM_URL is a loopback address'),
  upstreamVerifyToken: text('UPSTREAM_VERIFY_TOKEN', ofSimulator('my-verify-token'), "of upstream's verification handshake; required unless UPSTREAM_URL is a loopback address"),
  upstreamSignupConfigId: text('UPSTREAM_SIGNUP_CONFIG_ID', ofSimulator('example-signup-0001'), 'configuration of the chatapp signup dialog; required unless UPSTREAM_URL is a loopback address'),
  upstreamMediaHosts: hostList('UPSTREAM_MEDIA_HOSTS', ['lookaside.fbsbx.com', '.fbsbx.com', '.fbcdn.net'], 'hosts that inbound files are fetched from, beside that of UPSTREAM_URL; a dot in front: all below'),
  upstreamMediaTokenHosts: hostList('UPSTREAM_MEDIA_TOKEN_HOSTS', ['lookaside.fbsbx.com'], "those of them that are shown the channel's token when upstream asks for it"),
  allowInsecure: flag('WEBHOOK_ALLOW_INSECURE', false, '1 allows http: and local receivers, media and redirect URLs; refused in production'),
  webhookTimeoutMs: ms('WEBHOOK_TIMEOUT_MS', 5_000, 'a receiver must answer 2xx within'),
  webhookRetryDelaysMs: msList('WEBHOOK_RETRY_DELAYS_MS', [30_000, 60_000, 120_000, 120_000, 120_000, 120_000, 120_000], 'delay before each retry'),
  webhookDeadlineMs: ms('WEBHOOK_DEADLINE_MS', 1_200_000, 'a delivery is given up this long after its first attempt'),
  sendQueuedAfterMs: ms('SEND_QUEUED_AFTER_MS', 30_000, 'upstream slower than this answers queued'),
  sendResendAfterMs: ms('SEND_RESEND_AFTER_MS', 180_000, 'an unconfirmed queued send is resent once after this'),
  sendGiveUpAfterMs: ms('SEND_GIVE_UP_AFTER_MS', 600_000, 'and becomes failed after this'),
  digestIntervalMs: ms('DIGEST_INTERVAL_MS', 900_000, 'delivery digest e-mail, at most one per account per interval'),
  mediaTtlMs: ms('MEDIA_TTL_MS', 3_600_000, 'inbound media is kept this long'),
  mediaMaxBytes: whole(['MEDIA_MAX_BYTES', 104_857_600, 'largest inbound file']),
  mediaRetryDelaysMs: msList('MEDIA_RETRY_DELAYS_MS', [1_000, 5_000, 20_000, 60_000], 'delay before each further try to fetch a file'),
  profileTtlMs: ms('PROFILE_TTL_MS', 300_000, 'sender profile cache'),
  healthCheckIntervalMs: ms(
    'HEALTH_CHECK_INTERVAL_MS',
    3_600_000,
    'how often upstream is asked whether a channel can still send and hear',
  ),
  profileMissTtlMs: ms('PROFILE_MISS_TTL_MS', 30_000, 'how long an unavailable profile is not asked for again'),
  exchangeCodeTtlMs: ms('EXCHANGE_CODE_TTL_MS', 300_000, 'life of the code that a finished setup hands out'),
  setupUrlTtlMs: ms('SETUP_URL_TTL_MS', 1_800_000, 'life of a setup URL'),
  leaseTtlMs: ms('LEASE_TTL_MS', 10_000, 'ownership lease of a node'),
  drainTimeoutMs: ms('DRAIN_TIMEOUT_MS', 25_000, 'after SIGTERM, calls under way may finish within this; the process ends 3 s later'),
  trustProxyHops: whole(['TRUST_PROXY_HOPS', 0, 'proxies in front that may name the client in X-Forwarded-For'], 16),
  webhookAllowCidrs: optional(cidrList('WEBHOOK_ALLOW_CIDRS', unset, 'private networks that receivers may live in; loopback and our own listeners never')),
  deliveryLogDays: days('DELIVERY_LOG_DAYS', 7, 'how long the delivery log and the message timeline are kept'),
  adminHost: optional(text('ADMIN_HOST', unset, 'address of a listener for operators alone; needs ADMIN_PORT')),
  adminPort: optional(whole(['ADMIN_PORT', unset, 'its port; unset: the admin API is on the public listener'], 65_535)),
  templateCreateWindowMs: ms('TEMPLATE_CREATE_WINDOW_MS', 3_600_000, 'window of the limit on creating templates'),
  templateEditCooldownMs: ms('TEMPLATE_EDIT_COOLDOWN_MS', 86_400_000, 'one edit of a template per this time'),
  templateEditWindowMs: ms('TEMPLATE_EDIT_WINDOW_MS', 2_592_000_000, 'window of the limit on edits'),
  templateNameBlockMs: ms('TEMPLATE_NAME_BLOCK_MS', 2_592_000_000, 'the name of a deleted template is blocked this long'),
  billingWebhookSecret: optional(text('BILLING_WEBHOOK_SECRET', unset, 'signs /billing/webhook; unset: the endpoint answers 404')),
  signup: flag('SIGNUP', true, '0 closes sign-up at the portal; accounts are then made by operators'),
  trialDays: days('TRIAL_DAYS', 14, 'length of the trial created at signup'),
  trialTier: oneOf(['starter', 'pro'] as const, 'TRIAL_TIER', 'pro', 'tier of that trial'),
  graceMs: ms('SUBSCRIPTION_GRACE_MS', 259_200_000, 'a lapsed billing_provider subscription stays active this long'),
  rateLimitPerSecond: amount('RATE_LIMIT_PER_SECOND', 100, 'requests per API key, and four times as many per account; 0 turns the limit off'),
  rateLimitBurst: amount('RATE_LIMIT_BURST', 500, 'requests a key may save up'),
  maxQueueAgeMs: ms('MAX_QUEUE_AGE_MS', 5_000, 'sends wait at most this long for a slot before 503'),
  smtpUrl: optional(url('smtp', 'SMTP_URL', unset, 'mail server; unset: mails are stored and shown')),
  mailFrom: optional(matching<string>(sender, 'an e-mail address, or a name with the address in angle brackets', 'MAIL_FROM', unset, 'sender address of mails')),
  logLevel: oneOf(logLevels, 'LOG_LEVEL', 'info', 'structured JSON logs, no message content, no secrets'),
  metrics: flag('METRICS', true, 'Prometheus text at GET /metrics where the operators listen; without ADMIN_PORT on the public listener, in a cluster only to the bearer of ADMIN_TOKEN'),
};

type Table = typeof table;

/** What the project reads of its environment. Durations in ms, sizes in bytes; null: unset. */
export type Settings = { readonly [K in keyof Table]: Table[K] extends Setting<infer T> ? T : never };
