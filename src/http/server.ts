import http from 'node:http';
import type { RequestListener } from 'node:http';
import type express from 'express';
import { fault } from '../kernel/faults.ts';
import { handlerOf } from './route-handler.ts';
import type { Limiters } from './route-handler.ts';
import { makeBornExpress } from './express-prototypes.ts';
import { openApiOf } from './docs/openapi.ts';
import { refuseMalformed } from './middleware/client-error.ts';
import { answerFailure } from './middleware/error-funnel.ts';
import { makeFailedAuthLimit } from './middleware/failed-auth.ts';
import { makeDelayGauge, makeLoadShed } from './middleware/load-shed.ts';
import type { HttpOptions, RouteContext } from './options.ts';
import { routeTable } from './route-table.ts';
import type { Route } from './route.ts';
import { makeAjv } from './validation/rules.ts';

/**
 * Slow clients: headers and whole request must have arrived within these. A send may take longer to be answered, which
 * neither limits. A kept connection outlives the usual idle time of a balancer in front (60 s).
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 75_000,
};
const maxHeaders = 100;

export interface ServerOptions extends HttpOptions {
  /** Routes of other rooms, tried after ours. */
  pages: readonly Route[];
}

/** The service's server with every door, not yet listening. Throws when a schema does not compile. */
export function makeHttpServer(options: ServerOptions): http.Server {
  const { app, classes } = makeBornExpress();
  const gauge = options.eventLoopDelayMs === undefined ? makeDelayGauge(options.clock) : null;
  const limiters: Limiters = {
    failedAuth: makeFailedAuthLimit(options.clock),
    shed: makeLoadShed(options.eventLoopDelayMs ?? (() => gauge?.read() ?? 0)),
  };
  const routes = [...routeTable, ...options.pages];
  const context: RouteContext = { ...options, openApi: openApiOf({ baseUrl: options.baseUrl, routes }) };
  tune(app);
  mount(app, routes, context, limiters);
  const listener = listenerOf(app, context);
  const server = http.createServer({ ...classes, ...timeouts, requireHostHeader: false }, listener);
  server.maxHeadersCount = maxHeaders;
  server.on('clientError', refuseMalformed);
  // An Expect that nobody knows is ignored; Node would answer 417 without a `detail`.
  server.on('checkExpectation', listener);
  server.on('close', () => gauge?.stop());
  return server;
}

/** [performance §2.1] */
function tune(app: express.Express): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.disable('query parser');
  app.enable('strict routing');
  app.enable('case sensitive routing');
}

function mount(
  app: express.Express,
  routes: readonly Route[],
  context: RouteContext,
  limiters: Limiters,
): void {
  const ajv = makeAjv(context);
  const here = routes.filter((route) => route.audience !== 'open' || route.isHere?.(context) !== false);
  for (const path of new Set(here.map((route) => route.path))) {
    const onPath = here.filter((route) => route.path === path);
    const mounted = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const route of onPath) mounted[route.method](handlerOf(route, context, limiters, ajv));
    mounted.all(refuseMethod(onPath, context));
  }
}

/** [operator-interface §4] 405, with `detail` and `Allow`. CORS is off: OPTIONS is a method like any other. */
function refuseMethod(onPath: readonly Route[], { log }: RouteContext): express.RequestHandler {
  const allowed = onPath.flatMap(({ method }) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  );
  const headers = ['Allow', allowed.join(', ')];
  return (request, response) => answerFailure(request, response, fault('method_not_allowed'), log, headers);
}

/** What no route answers ends here, and so does what Express itself refuses; its own final handler would write HTML. */
function listenerOf(app: express.Express, { log }: RouteContext): RequestListener {
  const handle: (
    request: http.IncomingMessage,
    response: http.ServerResponse,
    done: (error?: unknown) => void,
  ) => void = app;
  return (request, response) => {
    const end = (error: unknown) => answerFailure(request, response, error, log);
    if (lacksHost(request)) return end(fault('bad_request', { why: 'Missing Host header' }));
    handle(request, response, (error) => end(error ?? fault('unknown_path')));
  };
}

/** Node would refuse it as well, but without a `detail`. */
function lacksHost({ headers, httpVersion }: http.IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
}
