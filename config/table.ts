/** Every adjustable fact: variable, value when unset, why it is there. In the order of `example.env`. [operator-interface §2] */
import { newId } from '../src/kernel/ids.ts';
import {
  amount,
  cidrList,
  days,
  flag,
  hostList,
  isLoopbackUrl,
  jsonObject,
  keyIds,
  keyList,
  matching,
  ms,
  msFrom,
  msList,
  oneOf,
  optional,
  permissionList,
  redisUrl,
  text,
  textList,
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

/** As upstream's own link builder writes them; without a version the sign-up is one that ended on 2026-10-15. [upstream §2.4] */
const signupExtras = JSON.stringify({
  version: 'v4',
  sessionInfoVersion: '3',
  featureType: 'whatsapp_business_app_onboarding',
});

/** [upstream §2.1] */
const pageScopes = [
  'pages_show_list',
  'pages_messaging',
  'pages_manage_metadata',
  'pages_read_engagement',
  'business_management',
];

const ofSimulators = (env: Env): readonly string[] | undefined => {
  const secret = ofSimulator(exampleSecret)(env);
  return secret === undefined ? undefined : [secret];
};

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
  internalPort: optional(whole(['INTERNAL_PORT', unset, 'port of the node-to-node listener; unset on a single node'], 65_535)),
  internalHost: text('INTERNAL_HOST', '127.0.0.1', 'address of the node-to-node listener, in a network that only the nodes can reach; loopback: every node is on this machine'),
  internalUrl: optional(url('http', 'INTERNAL_URL', unset, 'URL at which other nodes reach this node; unset: INTERNAL_HOST and INTERNAL_PORT')),
  clusterSecret: optional(matching(/^[\x21-\x7e]{32,}$/, 'at least 32 visible ASCII characters', 'CLUSTER_SECRET', unset, 'authenticates node-to-node calls, at least 32 characters; required with REDIS_URL')),
  baseUrl: url('http', 'BASE_URL', (env) => `http://localhost:${env['PORT']?.trim() || 3_000}`, 'public address, used in setup, media and callback URLs; http://localhost:$PORT when unset'),
  dataDir: text('DATA_DIR', './data', 'folder of the embedded store and of generated keys; used when MONGODB_URI is unset'),
  acceptOlderStore: flag('ACCEPT_OLDER_STORE', false, '1, for one start: takes an embedded store that is empty, or older than its mark; what upstream posted since is lost'),
  mongodbUri: optional(url('mongodb', 'MONGODB_URI', unset, 'MongoDB (replica set) instead of the embedded store')),
  redisUrl: optional(redisUrl('REDIS_URL', unset, 'Redis for the locks, routing, jobs and live feed of a cluster: redis://, rediss:// or redis+sentinel://; needs MONGODB_URI')),
  nodeId: matching(name, 'at most 64 letters, digits, dots, dashes or underscores', 'NODE_ID', () => `node-${newId().slice(-8)}`, 'name of this node; random when unset'),
  encryptionKeys: optional(keyList('ENCRYPTION_KEYS', unset, 'keys of 32 bytes in base64, newest first, which encrypt tokens, webhook secrets and payloads at rest; generated into DATA_DIR')),
  encryptionKeysLost: optional(keyIds('ENCRYPTION_KEYS_LOST', unset, 'ids of lost encryption keys, as the error at start names them; their channels must be connected again')),
  adminToken: optional(matching(/^[\x21-\x7e]{16,}$/, 'at least 16 visible ASCII characters', 'ADMIN_TOKEN', unset, 'bearer token of the admin API, at least 16 characters; generated into DATA_DIR')),
  upstreamUrl: url('http', 'UPSTREAM_URL', upstreamUrl, 'base URL of the Graph API'),
  upstreamDialogUrl: url('http', 'UPSTREAM_DIALOG_URL', 'https://www.facebook.com', 'base URL of the OAuth dialog'),
  upstreamVersion: matching(/^v\d{1,3}\.\d{1,2}$/, 'a version like v25.0', 'UPSTREAM_VERSION', 'v25.0', 'version of the Graph API, as in its paths'),
  upstreamAppId: matching(/^\d{1,32}$/, 'digits', 'UPSTREAM_APP_ID', ofSimulator('700100200300400'), 'id of the app registered upstream; required unless UPSTREAM_URL is a loopback address'),
  upstreamAppSecrets: textList('UPSTREAM_APP_SECRET', ofSimulators, 'secret of that app, with which upstream signs its webhooks, or several, newest first: webhooks signed with any of them are accepted, calls are proved with the first; required unless UPSTREAM_URL is a loopback address'),
  upstreamInstagramSecret: optional(text('UPSTREAM_INSTAGRAM_SECRET', unset, "second secret with which upstream may sign events of photoapp alone, if the app has one for its Instagram setup")),
  upstreamPinSecret: optional(text('UPSTREAM_PIN_SECRET', unset, 'secret from which the two-step PINs of chatapp numbers are derived; unset: the last one of UPSTREAM_APP_SECRET. Set it to the old secret before that leaves the list')),
  upstreamVerifyToken: text('UPSTREAM_VERIFY_TOKEN', ofSimulator('my-verify-token'), "token of upstream's verification handshake; required unless UPSTREAM_URL is a loopback address"),
  upstreamSignupConfigId: optional(text('UPSTREAM_SIGNUP_CONFIG_ID', ofSimulator('example-signup-0001'), 'id of the login configuration of the chatapp sign-up; unset: no chatapp channel can be connected')),
  upstreamSignupExtras: jsonObject('UPSTREAM_SIGNUP_EXTRAS', signupExtras, 'JSON that the chatapp sign-up gets as extras: its version, and that it admits numbers of the phone app'),
  upstreamPagesConfigId: optional(text('UPSTREAM_PAGES_CONFIG_ID', unset, 'id of the login configuration of the pagechat and photoapp dialog; unset: the dialog asks for the two lists below')),
  upstreamPageScopes: permissionList('UPSTREAM_PAGE_SCOPES', pageScopes, 'permissions that the pagechat dialog asks for; each must be added to the app'),
  upstreamPhotoScopes: permissionList('UPSTREAM_PHOTO_SCOPES', ['instagram_basic', 'instagram_manage_messages', ...pageScopes], 'permissions that the photoapp dialog asks for; each must be added to the app'),
  upstreamAppWebhooks: oneOf(['manage', 'check'] as const, 'UPSTREAM_APP_WEBHOOKS', 'manage', 'manage: webhook fields that the app lacks are subscribed, another callback is never touched; check: they are only reported'),
  upstreamMediaHosts: hostList('UPSTREAM_MEDIA_HOSTS', ['lookaside.fbsbx.com', '.fbsbx.com', '.fbcdn.net', '.whatsapp.net', '.cdninstagram.com'], 'hosts from which inbound files are fetched, besides the host of UPSTREAM_URL; a leading dot includes all subdomains'),
  upstreamMediaTokenHosts: hostList('UPSTREAM_MEDIA_TOKEN_HOSTS', ['lookaside.fbsbx.com'], "those of UPSTREAM_MEDIA_HOSTS that get the channel's access token if they require it"),
  allowInsecure: flag('WEBHOOK_ALLOW_INSECURE', false, '1 allows http: and local addresses in webhook, media and redirect URLs; refused in production'),
  webhookTimeoutMs: ms('WEBHOOK_TIMEOUT_MS', 5_000, 'time within which a webhook endpoint must answer 2xx'),
  webhookRetryDelaysMs: msList('WEBHOOK_RETRY_DELAYS_MS', [30_000, 60_000, 120_000, 120_000, 120_000, 120_000, 120_000], 'delay before each retry of a webhook delivery'),
  webhookDeadlineMs: ms('WEBHOOK_DEADLINE_MS', 1_200_000, 'a webhook delivery fails permanently this long after its first attempt'),
  sendQueuedAfterMs: ms('SEND_QUEUED_AFTER_MS', 30_000, 'a send is answered queued if upstream takes longer than this'),
  // With 0 no call of upstream would be waited for: each send would be called twice.
  sendResendAfterMs: msFrom(1, 'SEND_RESEND_AFTER_MS', 180_000, 'an unconfirmed queued send is sent once more after this time'),
  sendGiveUpAfterMs: ms('SEND_GIVE_UP_AFTER_MS', 600_000, 'a queued send that is still not confirmed becomes failed after this time'),
  digestIntervalMs: ms('DIGEST_INTERVAL_MS', 900_000, 'interval of the digest e-mails; an account gets at most one per interval'),
  mediaTtlMs: ms('MEDIA_TTL_MS', 3_600_000, 'time for which inbound files are kept'),
  mediaMaxBytes: whole(['MEDIA_MAX_BYTES', 104_857_600, 'size of the largest inbound file that is accepted']),
  mediaChannelBytes: whole(['MEDIA_CHANNEL_BYTES', 2_147_483_648, 'bytes of inbound files that are kept of one channel at once']),
  mediaAccountBytes: whole(['MEDIA_ACCOUNT_BYTES', 8_589_934_592, 'bytes of inbound files that are kept of all channels of one account at once']),
  storeReserveBytes: whole(['STORE_RESERVE_BYTES', 1_073_741_824, 'free bytes of the store\'s volume that inbound files must leave for everything else']),
  mediaRetryDelaysMs: msList('MEDIA_RETRY_DELAYS_MS', [1_000, 5_000, 20_000, 60_000], 'delay before each retry of fetching an inbound file'),
  profileTtlMs: ms('PROFILE_TTL_MS', 300_000, 'time for which sender profiles are cached'),
  healthCheckIntervalMs: ms(
    'HEALTH_CHECK_INTERVAL_MS',
    3_600_000,
    'interval at which upstream is asked whether a channel can still send and receive',
  ),
  tokenRenewBeforeMs: ms('TOKEN_RENEW_BEFORE_MS', 1_728_000_000, 'an access token that ends is renewed this long before its end'),
  profileMissTtlMs: ms('PROFILE_MISS_TTL_MS', 30_000, 'time for which an unavailable sender profile is not requested again'),
  exchangeCodeTtlMs: ms('EXCHANGE_CODE_TTL_MS', 300_000, 'lifetime of the code at the end of a setup flow'),
  setupUrlTtlMs: ms('SETUP_URL_TTL_MS', 1_800_000, 'lifetime of a setup URL'),
  leaseTtlMs: msFrom(500, 'LEASE_TTL_MS', 10_000, 'lifetime of the ownership lease of a node'),
  channelsFollowSends: flag('CHANNELS_FOLLOW_SENDS', true, '0: a channel stays on the node that its id assigns it to, also if its sends always reach another one; the same on every node'),
  drainTimeoutMs: ms('DRAIN_TIMEOUT_MS', 25_000, 'time after SIGTERM in which requests in progress may finish; the process ends at most 3 s later'),
  trustProxyHops: whole(['TRUST_PROXY_HOPS', 0, 'number of trusted proxies in front, which name the client in X-Forwarded-For'], 16),
  webhookAllowCidrs: optional(cidrList('WEBHOOK_ALLOW_CIDRS', unset, 'private networks in which webhook endpoints are allowed; loopback and our own listeners never are')),
  deliveryLogDays: days('DELIVERY_LOG_DAYS', 7, 'how long the delivery log and the message timeline are kept'),
  endpointDisabledAfterDays: days('ENDPOINT_DISABLED_AFTER_DAYS', 5, 'days of failure after which a further endpoint of a channel is disabled, with a mail; 0: never'),
  adminHost: optional(text('ADMIN_HOST', unset, 'address of a separate listener for operators; needs ADMIN_PORT')),
  adminPort: optional(whole(['ADMIN_PORT', unset, 'port of that listener; needs ADMIN_HOST; unset: the admin API is on the public listener'], 65_535)),
  templateCreateWindowMs: ms('TEMPLATE_CREATE_WINDOW_MS', 3_600_000, 'window in which the limit on creating templates counts'),
  templateEditCooldownMs: ms('TEMPLATE_EDIT_COOLDOWN_MS', 86_400_000, 'time in which an approved template can be edited once'),
  templateEditWindowMs: ms('TEMPLATE_EDIT_WINDOW_MS', 2_592_000_000, 'window in which the limit on edits of a template counts'),
  templateNameBlockMs: ms('TEMPLATE_NAME_BLOCK_MS', 2_592_000_000, 'time for which the name of a deleted approved template is blocked'),
  billingWebhookSecret: optional(text('BILLING_WEBHOOK_SECRET', unset, 'secret with which the payment provider signs /billing/webhook; unset: the endpoint answers 404')),
  signup: flag('SIGNUP', true, '0 closes sign-up in the portal; operators then create the accounts'),
  trialDays: days('TRIAL_DAYS', 14, 'length of the trial licence that sign-up creates'),
  trialTier: oneOf(['starter', 'pro'] as const, 'TRIAL_TIER', 'pro', 'tier of that trial'),
  graceMs: ms('SUBSCRIPTION_GRACE_MS', 259_200_000, 'time for which a billing_provider subscription stays active after it has expired'),
  rateLimitPerSecond: amount('RATE_LIMIT_PER_SECOND', 100, 'requests per second and API key, and four times as many per account; 0 turns the limit off'),
  rateLimitBurst: amount('RATE_LIMIT_BURST', 500, 'requests that an API key can make at once after a pause'),
  maxQueueAgeMs: ms('MAX_QUEUE_AGE_MS', 5_000, 'time for which a send may wait for a slot; then the answer is 503'),
  smtpUrl: optional(url('smtp', 'SMTP_URL', unset, 'URL of the mail server; unset: mails are only stored and shown')),
  mailFrom: optional(matching<string>(sender, 'an e-mail address, or a name with the address in angle brackets', 'MAIL_FROM', unset, 'sender address of mails')),
  logLevel: oneOf(logLevels, 'LOG_LEVEL', 'info', 'level of the JSON logs, which have no message content and no secrets'),
  tracesEndpoint: optional(url('http', 'OTEL_EXPORTER_OTLP_ENDPOINT', unset, 'base URL of an OpenTelemetry collector that takes traces by OTLP over HTTP; unset: no traces')),
  metrics: flag('METRICS', true, 'Prometheus metrics at GET /metrics of the listener for operators; without ADMIN_PORT, of the public listener, where a cluster requires ADMIN_TOKEN'),
};

type Table = typeof table;

/** What the project reads of its environment. Durations in ms, sizes in bytes; null: unset. */
export type Settings = { readonly [K in keyof Table]: Table[K] extends Setting<infer T> ? T : never };
