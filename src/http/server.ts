import http from 'node:http';
import type { RequestListener } from 'node:http';
import type express from 'express';
import { hopHeader } from '../rules/webhooks/url.ts';
import { fault } from '../kernel/faults.ts';
import { boundPipelining } from '../kernel/pipelining.ts';
import type { Log } from '../kernel/log.ts';
import type { ConnectionShares } from '../kernel/connection-shares.ts';
import { noteBasePath, pathOf } from './base-path.ts';
import { makeHandler } from './route-handler.ts';
import { makeExpressApp } from './express-prototypes.ts';
import { CompiledRoutes } from './compiled-routes.ts';
import { writeOpenApi } from './docs/openapi.ts';
import { endUnfinished, refuseMalformed } from './middleware/refused-request.ts';
import { answerFailure } from './middleware/error-funnel.ts';
import { failuresByPath, routesOf } from './listener-routes.ts';
import { hasBody } from './middleware/read-body.ts';
import { ofUploads } from './middleware/file-form.ts';
import { FileSlots, ofExports } from './middleware/file-slots.ts';
import { makePageLimits } from './middleware/page-limits.ts';
import { clientAddress } from './middleware/client-address.ts';
import type { Answering } from './middleware/unread-answers.ts';
import { makeDelayGauge, makeLoadShed } from './middleware/load-shed.ts';
import type { HttpOptions, RouteContext } from './options.ts';
import type { FailureAnswer, Route } from './route.ts';
import { fastPathPosts } from './fast-path.ts';
import type { FastPathHandler } from './fast-path.ts';

/**
 * Limits for slow clients: headers and whole request must have arrived within these. Neither limits the time until a send is answered. A
 * kept-alive connection outlives the idle time of load balancers (60 s to 2 min; Google's 600 s, which nobody can change): if it were us who
 * closed it, a send that is on its way to it would be a 502. [faults: 523]
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 620_000,
};
/** Delay before the remaining routes are compiled: a probe or load balancer that waits for this node is answered first. */
const afterStartMs = 250;
/** A request with this many headers is rejected, because Node drops all headers beyond them. */
const maxHeaders = 100;

export interface ServerOptions<W> extends HttpOptions {
  /** The listener's places for connections. */
  connections: ConnectionShares;
  /** In matching order. */
  routes: readonly Route<W>[];
  /** What the routes may use. */
  world: W;
  /** Whether an upgrade that a request offers is accepted; any other offer is ignored. */
  takesUpgrade?: (request: http.IncomingMessage) => boolean;
}

/** The server of one listener with its routes, not yet listening. */
export function makeHttpServer<W>(options: ServerOptions<W>): http.Server {
  const { clock, connections, takesUpgrade = () => false } = options;
  const { app, classes } = makeExpressApp(
    (request) => {
      const isTaken = request.rawHeaders.length < 2 * maxHeaders && takesUpgrade(request);
      if (isTaken) connections.keep(request.socket);
      return isTaken;
    },
    (response) => holdUnread(response, options),
  );
  const gauge = options.eventLoopDelayMs === undefined ? makeDelayGauge(clock) : null;
  const shed = makeLoadShed(options.eventLoopDelayMs ?? (() => gauge?.read() ?? 0));
  const routes = routesOf(options.listenerKind, options.routes).filter((route) => isHere(route, options));
  // Costly, and many processes never need it: built at the first request.
  let openApi: Buffer | null = null;
  const compiled = new CompiledRoutes(options);
  const context: RouteContext<W> = {
    ...options,
    openApi: () =>
      (openApi ??= Buffer.from(JSON.stringify(writeOpenApi({ baseUrl: options.baseUrl, routes })))),
    fileSlots: new FileSlots(),
    exportSlots: new FileSlots(ofExports),
    uploadSlots: new FileSlots(ofUploads),
    pageLimits: makePageLimits(clock),
    shed,
    parse: (body, value) => compiled.parse(body, value),
  };
  tune(app);
  const findFailures = failuresByPath(routes);
  mount(app, routes, context, compiled);
  const fastPath = fastPathPosts(routes, context, compiled);
  const listener = boundPipelining(makeListener(app, fastPath, { ...context, connections }, findFailures));
  const server = http.createServer({ ...classes, ...timeouts, requireHostHeader: false }, listener);
  server.maxHeadersCount = maxHeaders;
  connections.guard(server);
  server.on('clientError', (error, socket) => refuseMalformed(error, socket, clock));
  // An unknown `Expect` is ignored; Node would answer 417 without a `detail`.
  server.on('checkExpectation', listener);
  let cancelPreparing = (): void => undefined;
  server.once('listening', () => {
    cancelPreparing = clock.after(afterStartMs, () => compiled.prepareInTurn(routes));
  });
  server.on('close', () => {
    gauge?.stop();
    cancelPreparing();
  });
  return server;
}

function holdUnread(response: Answering, { unread, trustProxyHops }: HttpOptions): void {
  const { accountId } = response;
  if (accountId === undefined) unread.ofAnonymous.hold(response, clientAddress(response.req, trustProxyHops));
  else unread.ofAccounts.hold(response, accountId);
}

/** [performance §2.1] */
function tune(app: express.Express): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.enable('strict routing');
  app.enable('case sensitive routing');
}

/** A route that is not mounted here is not in the contract either. */
function isHere(route: Route, options: HttpOptions): boolean {
  return route.audience !== 'open' || route.isHere?.(options) !== false;
}

function mount<W>(
  app: express.Express,
  routes: readonly Route<W>[],
  context: RouteContext<W>,
  compiled: CompiledRoutes,
): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const onPath = routes.filter((route) => route.path === path);
    const mounted = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const route of onPath) mounted[route.method](makeHandler(route, context, compiled));
    mounted.all(refuseMethod(onPath));
  }
}

/** [operator-interface §4] 405, with `detail` and `Allow`. CORS is off: OPTIONS is a method like any other. */
function refuseMethod(onPath: readonly Route[]): express.RequestHandler {
  const allowed = onPath.flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  );
  const allow = allowed.join(', ');
  return (_request, response, next) => {
    response.setHeader('Allow', allow);
    next(fault('method_not_allowed'));
  };
}

/** Answers what no route matches and what Express itself rejects; Express' own final handler would write HTML. */
function makeListener(
  app: express.Express,
  fastPath: ReadonlyMap<string, FastPathHandler>,
  {
    log,
    clock,
    requestEnded,
    listenerKind,
    baseUrl,
    connections,
  }: RouteContext & { connections: ConnectionShares },
  findFailures: (url: string) => FailureAnswer,
): RequestListener {
  const handle: (
    request: http.IncomingMessage,
    response: http.ServerResponse,
    done: (error?: unknown) => void,
  ) => void = app;
  // Operators reach their listener directly.
  const basePath = listenerKind === 'operators' ? '' : pathOf(baseUrl);
  return (request, response) => {
    connections.asked(request, response);
    if (basePath !== '') noteBasePath(response, basePath);
    const ended = () => requestEnded?.('none', response.statusCode, 0, request);
    const end = (error: unknown) => {
      findFailures(request.url ?? '')(request, response, error, log);
      ended();
    };
    const past = isPlain(request) ? fastPath.get(request.url ?? '') : undefined;
    if (past !== undefined) return void past(request, response);
    if (hasBody(request)) endUnfinished(request, response, clock);
    if (isLast(request)) response.shouldKeepAlive = false;
    if (request.rawHeaders.length >= 2 * maxHeaders) return end(fault('too_many_headers'));
    if (request.headers[hopHeader] !== undefined) {
      refuseLoop(request, response, log);
      return ended();
    }
    if (lacksHost(request)) return end(fault('bad_request', { why: 'Missing Host header' }));
    handle(request, response, (error) => end(error ?? fault('unknown_path')));
  };
}

/** A POST that none of the listener's checks concerns. */
function isPlain(request: http.IncomingMessage): boolean {
  return (
    request.method === 'POST' &&
    !isLast(request) &&
    request.headers[hopHeader] === undefined &&
    !lacksHost(request)
  );
}

/** One of our webhooks has come back to us. The answer carries `hopHeader` too, which ends the delivery. [faults: 90] */
function refuseLoop(request: http.IncomingMessage, response: http.ServerResponse, log: Log): void {
  const loop = fault('bad_request', {
    why: 'This request is a webhook of this service: a webhook_url must not lead back to the service',
  });
  answerFailure(request, response, loop, log, [hopHeader, '1']);
}

/** Node would also reject a request without Host, but without a `detail`. */
function lacksHost({ headers, httpVersion }: http.IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
}

/**
 * Whether the connection ends with the answer. Node's parser drops bytes that arrived in one packet behind an offered upgrade: a client
 * that sees the connection end sends them again. With dropped headers the meaning of the request is unknown. [faults: 91]
 */
function isLast({ headers, rawHeaders }: http.IncomingMessage): boolean {
  return headers.upgrade !== undefined || rawHeaders.length >= 2 * maxHeaders;
}
