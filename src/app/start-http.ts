/** The listener: routes, pages and the live feed in front of the use-cases. */
import type http from 'node:http';
import type { Settings } from '../../config/settings.ts';
import { isLiveHandshake, makeLiveFeed } from '../adapters/realtime/index.ts';
import { verifySignature } from '../adapters/upstream/index.ts';
import { clientAddress, makeGuessLimit, makeHttpServer } from '../http/index.ts';
import type { GuessLimit, Readiness } from '../http/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { pageRoutes } from '../portal/index.ts';
import type { UseCases } from '../use-cases/index.ts';
import { ownHostsOf } from './own-hosts.ts';
import type { Node } from './node.ts';
import type { Routing } from './routing.ts';

/** A start that failed for a reason outside the program, told in one line. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

interface Behind {
  useCases: UseCases;
  routing: Routing;
  adminToken: string;
}

/** Resolves with the address it listens on. */
export async function startHttp(node: Node, behind: Behind): Promise<string> {
  const { settings, clock, log, stages, events } = node;
  const { useCases, routing } = behind;
  const guessLimit = makeGuessLimit(clock);
  const server = makeServer(node, behind, guessLimit);
  const feed = makeLiveFeed({
    server,
    authenticate: (apiKey) => useCases.authenticate(apiKey),
    admit: (apiKey, { request, connection, isGone }) => {
      const address = clientAddress(request, settings.trustProxyHops);
      return guessLimit.check({ address, connection, isGone }, apiKey, () => useCases.authenticate(apiKey));
    },
    log,
    ...(routing.liveAdapter === null ? {} : { adapter: routing.liveAdapter }),
  });
  events.on('live', (...event) => feed.publish(...event));
  const url = await listen(server, settings);
  stages.started('listener', () => stopListening(server, clock));
  stages.started('live feed', () => feed.close());
  return url;
}

function makeServer(
  node: Node,
  { useCases, routing, adminToken }: Behind,
  guessLimit: GuessLimit,
): http.Server {
  const { settings, metrics, clock, log } = node;
  const server: http.Server = makeHttpServer({
    useCases,
    readiness: () => readinessOf(routing, server.listening),
    metrics: settings.metrics && settings.redisUrl === null ? () => metrics.text() : null,
    verifyUpstreamSignature: (raw, header) => verifySignature(settings.upstreamAppSecret, raw, header),
    upstreamVerifyToken: settings.upstreamVerifyToken,
    takesBilling: settings.billingWebhookSecret !== null,
    adminToken,
    guessLimit,
    trustProxyHops: settings.trustProxyHops,
    baseUrl: settings.baseUrl,
    allowInsecure: settings.webhookAllowInsecure,
    ownHosts: ownHostsOf(settings),
    rateLimiter: routing.rateLimiter,
    pages: pageRoutes,
    takesUpgrade: isLiveHandshake,
    graceMs: settings.subscriptionGraceMs,
    requestEnded(route, status, ms) {
      const labels = { route, status: String(status) };
      metrics.increment('http_requests_total', labels);
      metrics.observe('http_request_seconds', ms / 1_000, labels);
    },
    clock,
    log,
  });
  return server;
}

/** [operator-interface §1] 503 while starting, draining, or when a store or lock service is unreachable. */
function readinessOf(routing: Routing, isListening: boolean): Readiness {
  const parts: Record<string, string> = {
    listener: isListening ? 'ready' : 'starting',
    channels: routing.host.isDraining ? 'draining' : 'ready',
    ...routing.readiness(),
  };
  return { ready: Object.values(parts).every((state) => state === 'ready'), parts };
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
