/** Ports ← adapters: the only place that knows which fulfilment serves which port. */
import type http from 'node:http';
import { makeChannelActor } from '../../actors/channel/index.ts';
import type { ChannelRules } from '../../actors/channel/index.ts';
import type { LiveFeed } from '../../actors/channel/ports.ts';
import { generatedKeys } from '../../config/generated-keys.ts';
import type { Settings } from '../../config/settings.ts';
import { makeInProcessJobs } from '../adapters/jobs/index.ts';
import { makeMailer } from '../adapters/mail/index.ts';
import { makeLiveFeed } from '../adapters/realtime/index.ts';
import { makeSealer } from '../adapters/sealing/index.ts';
import { makeUpstream, verifySignature } from '../adapters/upstream/index.ts';
import type { UpstreamAdapter } from '../adapters/upstream/index.ts';
import { makeWebhookPoster } from '../adapters/webhooks/index.ts';
import { makeHttpServer } from '../http/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { pageRoutes } from '../portal/index.ts';
import { makeUseCases } from '../use-cases/bind-use-cases.ts';
import type { CacheControl } from '../use-cases/bind-use-cases.ts';
import type { Platform, PlatformOptions, Routing } from './platform.ts';
import { scheduleJobs } from './jobs.ts';
import { makeMetrics } from './metrics.ts';
import { Stages } from './stages.ts';

/** A start that failed for a reason outside the program, told in one line. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** A running node. */
export interface App {
  url: string;
  adminToken: string;
  /** Hands its channels over and closes everything, in reverse order of start. */
  stop(): Promise<void>;
}

/** After `/readyz` turned 503, a load balancer needs a moment to look away before the listener closes. */
const noticeMs = 2_000;

export async function startApp(settings: Settings, clock: Clock, log: Log): Promise<App> {
  const stages = new Stages(log);
  try {
    return await start(settings, clock, log, stages);
  } catch (error) {
    await stages.stop();
    throw error;
  }
}

async function start(settings: Settings, clock: Clock, log: Log, stages: Stages): Promise<App> {
  const startedAt = clock.monotonic();
  const keys = await generatedKeys(settings);
  const sealer = makeSealer([...keys.encryptionKeys]);
  const metrics = makeMetrics(await import('prom-client'));
  const late: { feed: LiveFeed | null; caches: CacheControl | null; sweep: () => void } = {
    feed: null,
    caches: null,
    sweep: () => undefined,
  };

  const platform = await openPlatform({
    settings,
    clock,
    log,
    stages,
    metrics,
    onOrphans: () => late.sweep(),
    forget: () => late.caches,
  });
  const { stores } = platform;

  const upstream = upstreamOf(settings, sealer, clock, log);
  stages.started('upstream', () => upstream.close());

  const webhooks = makeWebhookPoster({
    timeoutMs: settings.webhookTimeoutMs,
    allowInsecure: settings.webhookAllowInsecure,
    ownOrigins: [new URL(settings.baseUrl).origin],
    sealer,
    clock,
    log,
  });
  stages.started('webhooks', () => webhooks.close());

  const live: LiveFeed = {
    publish: (accountId, channelId, envelope) => late.feed?.publish(accountId, channelId, envelope),
  };
  const store = platform.channelState;
  const world = { store, upstream: upstream.send, webhooks, sealer, clock, log, live };
  const routing = await platform.startActors(makeChannelActor(world, rulesOf(settings)));
  metrics.gauge('channels_owned', 'Channels live on this node', () => routing.channelsOwned());

  const useCases = makeUseCases({
    stores,
    router: routing.router,
    upstream: upstream.admin,
    parser: upstream.parser,
    sealer,
    clock,
    log,
    counters: metrics,
    cluster: routing.cluster,
    settings: {
      baseUrl: settings.baseUrl,
      allowInsecure: settings.webhookAllowInsecure,
      exchangeCodeTtlMs: settings.exchangeCodeTtlMs,
      setupUrlTtlMs: settings.setupUrlTtlMs,
      trialDays: settings.trialDays,
      trialTier: settings.trialTier,
      graceMs: settings.subscriptionGraceMs,
    },
  });
  late.caches = useCases.caches;

  const ready = { listening: false };
  const server = makeHttpServer({
    useCases,
    readiness: () => readinessOf(routing, ready.listening),
    metrics: settings.metrics && settings.redisUrl === null ? () => metrics.text() : null,
    verifyUpstreamSignature: (raw, header) => verifySignature(settings.upstreamAppSecret, raw, header),
    upstreamVerifyToken: settings.upstreamVerifyToken,
    adminToken: keys.adminToken,
    baseUrl: settings.baseUrl,
    allowInsecure: settings.webhookAllowInsecure,
    rateLimiter: routing.rateLimiter,
    pages: pageRoutes,
    graceMs: settings.subscriptionGraceMs,
    clock,
    log,
  });
  const feed = makeLiveFeed({
    server,
    authenticate: (apiKey) => useCases.authenticate(apiKey),
    log,
    ...(routing.liveAdapter === null ? {} : { adapter: routing.liveAdapter }),
  });
  late.feed = feed;

  const { smtpUrl, mailFrom: from } = settings;
  const mailer = makeMailer({ smtpUrl, from, mails: stores.mails, accounts: stores.accounts, clock, log });
  const ownJobs = makeInProcessJobs({ clock, log });
  const { router, sharedJobs } = routing;
  late.sweep = await scheduleJobs({
    ownJobs,
    sharedJobs,
    stores,
    router,
    mailer,
    giveParkedFacts: () => useCases.giveParkedFacts(),
    clock,
    log,
  });
  stages.started('jobs', () => ownJobs.stop());

  const url = await listen(server, settings);
  stages.started('listener', () => stopListening(server, clock));
  stages.started('live feed', () => feed.close());
  if (settings.redisUrl !== null) stages.started('hand-over', () => handOver(routing, clock));
  ready.listening = true;
  log.info({ url, ms: Math.round(clock.monotonic() - startedAt) }, 'node.ready');

  return { url, adminToken: keys.adminToken, stop: () => stages.stop() };
}

async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const { redisUrl, mongodbUri } = options.settings;
  if (redisUrl === null || mongodbUri === null)
    return (await import('./platform-solo.ts')).soloPlatform(options);
  return (await import('./platform-cluster.ts')).clusterPlatform(options, redisUrl, mongodbUri);
}

function upstreamOf(
  settings: Settings,
  sealer: ReturnType<typeof makeSealer>,
  clock: Clock,
  log: Log,
): UpstreamAdapter {
  return makeUpstream({
    url: settings.upstreamUrl,
    dialogUrl: settings.upstreamDialogUrl,
    version: settings.upstreamVersion,
    appId: settings.upstreamAppId,
    appSecret: settings.upstreamAppSecret,
    signupConfigId: settings.upstreamSignupConfigId,
    baseUrl: settings.baseUrl,
    sealer,
    log,
    clock,
  });
}

/** [operator-interface §1] 503 while starting, draining, or when a store or lock service is unreachable. */
function readinessOf(
  routing: Routing,
  isListening: boolean,
): { ready: boolean; parts: Record<string, string> } {
  const parts: Record<string, string> = {
    listener: isListening ? 'ready' : 'starting',
    channels: routing.isDraining() ? 'draining' : 'ready',
    ...routing.readiness(),
  };
  return { ready: Object.values(parts).every((state) => state === 'ready'), parts };
}

/** Peers take the channels over while this node still answers and forwards. [architecture §4, Drain] */
async function handOver(routing: Routing, clock: Clock): Promise<void> {
  const noticed = new Promise<void>((resolve) => clock.after(noticeMs, resolve));
  await routing.cluster.drain();
  await noticed;
}

function rulesOf(settings: Settings): ChannelRules {
  return {
    sendQueuedAfterMs: settings.sendQueuedAfterMs,
    sendResendAfterMs: settings.sendResendAfterMs,
    sendGiveUpAfterMs: settings.sendGiveUpAfterMs,
    maxQueueAgeMs: settings.maxQueueAgeMs,
    webhookDelaysMs: settings.webhookRetryDelaysMs,
    webhookDeadlineMs: settings.webhookDeadlineMs,
    digestIntervalMs: settings.digestIntervalMs,
    graceMs: settings.subscriptionGraceMs,
    appId: settings.upstreamAppId,
  };
}

function listen(server: http.Server, { port, host }: Settings): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StartError(`can't listen on ${host}:${port}: ${error.message}`)),
    );
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

/** Longest a request under way may hold the stop back. */
const lastAnswersMs = 10_000;

/** Between looks for connections that have become idle. */
const idleLookMs = 100;

/**
 * Requests under way get their answer. Who keeps a connection is told to leave it with the next answer: a busy client would
 * otherwise hold the stop back until its requests are cut off. Idle connections are closed.
 */
function stopListening(server: http.Server, clock: Clock): Promise<void> {
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  return new Promise((resolve) => {
    const cancelCut = clock.after(lastAnswersMs, () => server.closeAllConnections());
    let cancelLook = (): void => undefined;
    const closeIdle = (): void => {
      server.closeIdleConnections();
      cancelLook = clock.after(idleLookMs, closeIdle);
    };
    server.close(() => {
      cancelCut();
      cancelLook();
      resolve();
    });
    closeIdle();
  });
}
