/** Ports ← adapters: the only place that knows which fulfilment serves which port. */
import type http from 'node:http';
import { makeChannelActor } from '../../actors/channel/index.ts';
import type { ChannelRules } from '../../actors/channel/index.ts';
import type { LiveFeed } from '../../actors/channel/ports.ts';
import { Host } from '../../actors/runtime/host.ts';
import { generatedKeys } from '../../config/generated-keys.ts';
import type { Settings } from '../../config/settings.ts';
import { makeInProcessJobs } from '../adapters/jobs/index.ts';
import { makeTokenBuckets } from '../adapters/limits/token-bucket.ts';
import { makeMailer } from '../adapters/mail/index.ts';
import { makeLiveFeed } from '../adapters/realtime/index.ts';
import { makeSealer } from '../adapters/sealing/index.ts';
import { openEmbeddedStore } from '../adapters/storage/embedded/index.ts';
import { makeUpstream, verifySignature } from '../adapters/upstream/index.ts';
import { makeWebhookPoster } from '../adapters/webhooks/index.ts';
import { soloOwnership, soloRouter } from '../cluster/solo.ts';
import { makeHttpServer } from '../http/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { makeUseCases } from '../use-cases/make.ts';
import { scheduleJobs } from './jobs.ts';
import { makeMetrics } from './metrics.ts';
import { Stages } from './stages.ts';

/** A running node. */
export interface App {
  url: string;
  adminToken: string;
  /** Hands its channels over and closes everything, in reverse order of start. */
  stop(): Promise<void>;
}

/** Longest an activation may take to finish what is in flight before it is left to the store. */
const drainBudgetMs = 30_000;

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
  const startedAt = clock.now();
  const keys = await generatedKeys(settings);
  const sealer = makeSealer(keys.encryptionKeys);
  const metrics = makeMetrics(await import('prom-client'));

  const store = await openEmbeddedStore({ dataDir: settings.dataDir, log });
  stages.started('store', () => store.close());

  const upstream = makeUpstream({
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

  const live: { feed: LiveFeed | null } = { feed: null };
  const host = new Host({
    kind: makeChannelActor(
      {
        store: store.channelState,
        upstream: upstream.send,
        webhooks,
        sealer,
        clock,
        log,
        live: {
          publish: (accountId, channelId, envelope) => live.feed?.publish(accountId, channelId, envelope),
        },
      },
      rulesOf(settings),
    ),
    ownership: soloOwnership(store.ownership.mintEpoch),
    clock,
    mailboxCapacity: 20_000,
    idleAfterMs: 60_000,
    onFailure: (channel, error) => log.error({ channel, error }, 'channel.activation-failed'),
  });
  stages.started('channels', () => host.drain(drainBudgetMs));
  metrics.gauge('channels_owned', 'Channels live on this node', () => host.size);

  const router = soloRouter(host);
  const drain = (): Promise<void> => host.drain(drainBudgetMs);
  const useCases = makeUseCases({
    stores: store.stores,
    router,
    upstream: upstream.admin,
    parser: upstream.parser,
    sealer,
    clock,
    log,
    counters: metrics,
    cluster: {
      nodes: () =>
        Promise.resolve([
          { nodeId: settings.nodeId, channelsOwned: host.size, startedAt, draining: host.isDraining },
        ]),
      whereIs: () => Promise.resolve(settings.nodeId),
      drain,
    },
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

  const ready = { listening: false };
  const server = makeHttpServer({
    useCases,
    readiness: () => ({
      ready: ready.listening && !host.isDraining,
      parts: {
        listener: ready.listening ? 'ready' : 'starting',
        channels: host.isDraining ? 'draining' : 'ready',
        store: 'ready',
      },
    }),
    metrics: settings.metrics ? () => metrics.text() : null,
    verifyUpstreamSignature: (raw, header) => verifySignature(settings.upstreamAppSecret, raw, header),
    upstreamVerifyToken: settings.upstreamVerifyToken,
    adminToken: keys.adminToken,
    baseUrl: settings.baseUrl,
    allowInsecure: settings.webhookAllowInsecure,
    rateLimiter: makeTokenBuckets(settings.rateLimitPerSecond, settings.rateLimitBurst, clock),
    graceMs: settings.subscriptionGraceMs,
    clock,
    log,
  });
  const feed = makeLiveFeed({ server, authenticate: (apiKey) => useCases.authenticate(apiKey), log });
  live.feed = feed;
  stages.started('live feed', () => feed.close());

  const mailer = makeMailer({
    smtpUrl: settings.smtpUrl,
    from: settings.mailFrom,
    mails: store.stores.mails,
    accounts: store.stores.accounts,
    clock,
    log,
  });
  const jobs = makeInProcessJobs({ clock, log });
  await scheduleJobs({ jobs, stores: store.stores, router, mailer, clock, log, settings });
  stages.started('jobs', () => jobs.stop());

  const url = await listen(server, settings);
  stages.started('listener', () => stopListening(server));
  ready.listening = true;
  log.info({ url, ms: Math.round(clock.now() - startedAt) }, 'node.ready');

  return { url, adminToken: keys.adminToken, stop: () => stages.stop() };
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
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${bound}`);
    });
  });
}

/** Idle connections are closed at once; requests under way get their answer. */
function stopListening(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
