/** Starts the listeners: routes, pages and the live feed in front of the features. */
import type http from 'node:http';
import { isLiveHandshake, makeLiveFeed } from '../features/live/feed.ts';
import type { Credential, LiveCaller } from '../features/live/credential.ts';
import { signatureCheck } from '../upstream/signature.ts';
import { BodyBudget } from '../http/middleware/body-budget.ts';
import { UnreadAnswers } from '../http/middleware/unread-answers.ts';
import { clientAddress } from '../http/middleware/client-address.ts';
import { makeGuessLimit } from '../http/middleware/failed-auth.ts';
import { makeHttpServer } from '../http/server.ts';
import type { HttpOptions, Readiness, RefusedPost } from '../http/options.ts';
import type { ConnectionShares } from '../kernel/connection-shares.ts';
import { asError } from '../kernel/faults.ts';
import { onceAWhile } from '../kernel/once-a-while.ts';
import { neededBits } from '../rules/scopes.ts';
import { parseNetworks } from '../rules/address.ts';
import { places } from '../features/pages.ts';
import { streamSessionIn } from '../pages/session/cookies.ts';
import { authenticate, knownCaller } from '../features/accounts/keys.ts';
import { missedEvents } from '../features/deliveries/missed.ts';
import { visitor as findVisitor } from '../features/people/sign-in.ts';
import { noteHandshake } from '../features/platform/notes.ts';
import { routeTable } from '../features/route-table.ts';
import type { World } from '../features/world.ts';
import type { NodeWork } from './node-work.ts';
import { sharePlaces } from './connection-places.ts';
import { listen } from './listener.ts';
import { listOwnHosts, listOwnUrls } from './own-hosts.ts';
import { endWithAnswers, stopListening } from './stop-listening.ts';
import type { Node } from './node.ts';
import type { Routing } from './routing.ts';
import { traceCall, tracePost } from './traced.ts';

interface Behind {
  world: World;
  work: Pick<NodeWork, 'noteRequest'>;
  routing: Routing;
  adminToken: string;
}

/** What all listeners share. */
type Shared = Pick<HttpOptions, 'guessLimit' | 'bodyBudget' | 'apiBodies' | 'unread'>;

interface Listening extends Shared, Pick<HttpOptions, 'listenerKind'> {
  /** Whether clients can connect. */
  isOpen: () => boolean;
  connections: ConnectionShares;
}

/** Resolves with the URL of the public listener. */
export async function startHttp(node: Node, behind: Behind): Promise<string> {
  const { settings, clock, log, stages, live } = node;
  const { world, routing } = behind;
  const shared: Shared = {
    guessLimit: makeGuessLimit(clock),
    bodyBudget: BodyBudget.forAnonymous(() => node.metrics.increment('upstream_bodies_refused_total')),
    apiBodies: BodyBudget.forAccounts(),
    unread: { ofAccounts: new UnreadAnswers(clock), ofAnonymous: new UnreadAnswers(clock) },
  };
  const { guessLimit, bodyBudget, apiBodies, unread } = shared;
  node.metrics.gauges(() => ({
    upstream_bodies_bytes: bodyBudget.bytes,
    api_bodies_bytes: apiBodies.bytes,
    unread_answers_bytes: unread.ofAccounts.bytes + unread.ofAnonymous.bytes,
  }));
  const connections = sharePlaces(node, 'public');
  const server: http.Server = makeServer(node, behind, {
    ...shared,
    listenerKind: settings.adminPort === null ? 'all' : 'clients',
    isOpen: () => server.listening,
    connections,
  });
  const feed = makeLiveFeed({
    server,
    authenticate: (shown) => whoIs(world, shown),
    admit: (shown, { request, connection, isGone }) => {
      const address = clientAddress(request, settings.trustProxyHops);
      return guessLimit.check({ address, connection, isGone }, shown.secret, () =>
        whoIs(world, shown, address),
      );
    },
    streamSessionIn: (request) => streamSessionIn(request, settings.baseUrl),
    missed: (accountId, since) => missedEvents(world, accountId, since),
    log,
    ...(routing.liveAdapter === null ? {} : { adapter: routing.liveAdapter }),
  });
  live.open(feed);
  const isOpen = (): boolean => server.listening;
  await startOperators(node, behind, { ...shared, isOpen });
  const url = await listen(server, settings, (error) => tellFailed(node, error));
  node.events.once('leaving', () => endWithAnswers(server));
  const lastCall = routing.endAsks;
  stages.started('listener', (leftMs) => stopListening(server, connections, { clock, leftMs, lastCall }));
  stages.started('live feed', () => feed.close());
  return url;
}

/**
 * The operators' own listener, if there is one. It starts before the public one and stops after it, because operators drain the node
 * through it.
 */
async function startOperators(
  node: Node,
  behind: Behind,
  how: Shared & Pick<Listening, 'isOpen'>,
): Promise<void> {
  const { clock } = node;
  const { adminHost: host, adminPort: port } = node.settings;
  if (host === null || port === null) return;
  const connections = sharePlaces(node, 'operators');
  const server = makeServer(node, behind, { ...how, listenerKind: 'operators', connections });
  const url = await listen(server, { host, port }, (error) => tellFailed(node, error));
  node.stages.started('operators', (leftMs) => stopListening(server, connections, { clock, leftMs }));
  node.log.info({ url }, 'node.operators');
}

/** For example no file descriptor left for a new connection: open connections continue. */
function tellFailed({ log }: Node, error: Error): void {
  log.error({ error }, 'listener.failed');
}

/** A person whose e-mail address is not verified may look around, but gets no events: anybody could open such connections. [faults: 112] */
async function whoIs(
  world: World,
  { by, secret }: Credential,
  address: string | null = null,
): Promise<LiveCaller | null> {
  if (by === 'session') {
    const visitor = await findVisitor(world, secret);
    return visitor?.mayAct === true ? { accountId: visitor.caller.accountId, mayRead: true } : null;
  }
  const caller = await authenticate(world, secret, address);
  if (caller === null) return null;
  return { accountId: caller.accountId, mayRead: (caller.granted & readingMessages) !== 0 };
}

const readingMessages = neededBits(['messages:read']);

function makeServer(
  node: Node,
  { world, work, routing, adminToken }: Behind,
  { isOpen, ...listening }: Listening,
): http.Server {
  const { settings, metrics, clock, log, tracing } = node;
  const { listenerKind } = listening;
  return makeHttpServer({
    world,
    routes: routeTable,
    callers: {
      known: (apiKey) => knownCaller(world, apiKey),
      authenticate: (apiKey, address) => authenticate(world, apiKey, address),
    },
    findVisitor: (secret) => findVisitor(world, secret),
    sealer: world.sealer,
    sendsMail: world.settings.sendsMail,
    places,
    readiness: () => makeReadiness(routing, isOpen()),
    ...listening,
    // Only on the listener that operators use. [operator-interface §2 METRICS]
    metrics: settings.metrics && listenerKind !== 'clients' ? () => metrics.text() : null,
    metricsNeedToken: listenerKind === 'all' && settings.redisUrl !== null,
    verifyUpstreamSignature: signatureCheck({
      appSecrets: settings.upstreamAppSecrets,
      apartSecret: settings.upstreamInstagramSecret,
    }),
    postRefused: tellRefusedPosts(node),
    handshakeEnded: noteHandshakes(node, world),
    upstreamVerifyToken: settings.upstreamVerifyToken,
    takesBilling: settings.billingWebhookSecret !== null,
    adminToken,
    trustProxyHops: settings.trustProxyHops,
    baseUrl: settings.baseUrl,
    allowInsecure: settings.allowInsecure,
    allowedNetworks: parseNetworks(settings.webhookAllowCidrs ?? []),
    ownHosts: listOwnHosts(settings),
    ownUrls: listOwnUrls(settings),
    rateLimiter: routing.rateLimiter,
    takesUpgrade: isLiveHandshake,
    graceMs: settings.graceMs,
    requestEnded(route, status, ms, request) {
      const labels = { route, status: String(status) };
      metrics.increment('http_requests_total', labels);
      metrics.observe('http_request_seconds', ms / 1_000, labels);
      if (tracing !== null) tracePost(tracing, { route, status, ms, request });
    },
    callEnded(call) {
      work.noteRequest(call);
      if (tracing !== null) traceCall(tracing, call);
    },
    clock,
    log,
  });
}

const tellEveryMs = 60_000;

/** Counts upstream's refused posts, and logs them once a minute: with a wrong secret all of them are. */
function tellRefusedPosts({ metrics, clock, log }: Node): (reason: RefusedPost) => void {
  const tell = onceAWhile(clock, tellEveryMs, (reason, times) =>
    log.warn({ reason, times }, 'upstream.post-refused'),
  );
  return (reason) => {
    metrics.increment('upstream_posts_refused_total', { reason });
    tell(reason);
  };
}

/** At most one write a minute for each outcome: anybody can ask with a wrong token. Upstream does not wait for it. */
function noteHandshakes({ clock, log }: Node, world: World): (isRight: boolean) => void {
  const note = onceAWhile(clock, tellEveryMs, (outcome) => {
    noteHandshake(world, outcome === 'right').catch((error: unknown) =>
      log.warn({ error: asError(error) }, 'http.handshake-not-noted'),
    );
  });
  return (isRight) => note(isRight ? 'right' : 'refused');
}

/** [operator-interface §1] 503 while starting, draining, without a lease, or when the store is unreachable. */
function makeReadiness(routing: Routing, isListening: boolean): Readiness {
  const parts: Record<string, string> = {
    listener: isListening ? 'ready' : 'starting',
    channels: routing.host.isDraining ? 'draining' : 'ready',
    ...routing.readiness(),
  };
  return { ready: Object.values(parts).every((state) => state === 'ready'), parts };
}
