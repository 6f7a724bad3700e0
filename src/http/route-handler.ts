/** From a route of the table to what Express calls: the order of work is the list in each function. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { fieldFault } from '../kernel/faults.ts';
import type { PageRequest } from '../use-cases/ports/paging.ts';
import { sendJson } from './answers.ts';
import { sendLists } from './long-json.ts';
import { FileAnswer } from './file-answer.ts';
import { requireAdmin } from './middleware/admin-token.ts';
import { requireCaller, requireRate } from './middleware/api-key.ts';
import { answerFailure } from './middleware/error-funnel.ts';
import { readIdempotencyKey } from './middleware/idempotency-key.ts';
import { apiBodyLimit, hasBody, readBody, requireJson } from './middleware/read-body.ts';
import { requestIdOf } from './middleware/request-id.ts';
import type { RouteContext } from './options.ts';
import type { Prepared } from './prepared.ts';
import type { AdminRoute, ApiRoute, RequestContext, OpenRoute, Route } from './route.ts';
import { pathIdNames, requireId } from './validation/ids.ts';
import { parseJson } from './validation/parse-json.ts';
import { queryOf, readPage } from './validation/query.ts';

/** What the doors share while the server runs. */
export interface Limiters {
  /** Throws Fault 503 when the node is too busy. */
  shed: () => void;
}

export type Handler = (request: Request, response: Response) => Promise<void>;
/** Needs nothing of Express but the parameters of a path that has some. */
type JsonHandler = (request: JsonRequest, response: ServerResponse) => Promise<void>;
type JsonRequest = IncomingMessage & Partial<Pick<Request, 'params'>>;

export function handlerOf(
  route: Route,
  context: RouteContext,
  limiters: Limiters,
  prepared: Prepared,
): Handler {
  return measured(route.name, handlerFor(route, context, limiters, prepared), context);
}

export function measured<Q extends IncomingMessage, S extends ServerResponse>(
  name: string,
  handler: (request: Q, response: S) => Promise<void>,
  { clock, requestEnded }: RouteContext,
): (request: Q, response: S) => Promise<void> {
  if (requestEnded === undefined) return handler;
  return (request, response) => {
    const startedAt = clock.monotonic();
    return handler(request, response).then(() =>
      requestEnded(name, response.statusCode, clock.monotonic() - startedAt),
    );
  };
}

function handlerFor(route: Route, context: RouteContext, limiters: Limiters, prepared: Prepared): Handler {
  if (route.audience === 'api') return apiHandler(route, context, limiters, prepared);
  return route.audience === 'admin' ? adminHandler(route, context, prepared) : openHandler(route, context);
}

/** `fail` answers what was thrown. */
export function apiHandler(
  route: ApiRoute,
  context: RouteContext,
  limiters: Limiters,
  prepared: Prepared,
  fail: typeof answerFailure = answerFailure,
): JsonHandler {
  const { status } = route.success;
  const mayBeLong = takesQuery(route);
  return async (request, response) => {
    try {
      const caller = await requireCaller(request, context);
      requireRate(context.rateLimiter, caller);
      if (route.sheds) limiters.shed();
      const asked = askedOf(request, route);
      const body = await bodyOf(request, route);
      const { accountId, apiKeyId } = caller;
      const asking = { body, caller: { accountId, apiKeyId, requestId: asked.requestId } };
      const answered = await prepared.answerOf(route)(Object.assign(asked, asking), context);
      if (answered instanceof FileAnswer) await answered.send(request, response, context);
      else if (mayBeLong) await sendLists(response, status, answered, asked.requestId);
      else sendJson(response, status, answered, [], asked.requestId);
    } catch (error) {
      fail(request, response, error, context.log);
    }
  };
}

function adminHandler(route: AdminRoute, context: RouteContext, prepared: Prepared): JsonHandler {
  const { status } = route.success;
  return async (request, response) => {
    try {
      await requireAdmin(request, context);
      const asked = askedOf(request, route);
      const body = await bodyOf(request, route);
      const answered = await prepared.answerOf(route)(Object.assign(asked, { body }), context);
      await sendLists(response, status, answered, asked.requestId);
    } catch (error) {
      answerFailure(request, response, error, context.log);
    }
  };
}

function openHandler(route: OpenRoute, context: RouteContext): Handler {
  const fail = route.failures === 'json' ? answerFailure : route.failures;
  return async (request, response) => {
    try {
      await route.open(request, response, context);
    } catch (error) {
      fail(request, response, error, context.log);
    }
  };
}

const everything: PageRequest = { limit: null, cursor: null };
const noQuery = new URLSearchParams();
const noParams: Request['params'] = {};

/**
 * What the request says, as the route will ask for it. The query is looked at only where the route has one. It is made for this one
 * request: who adds to it may do so in place, which costs a fraction of a spread.
 */
function askedOf(request: JsonRequest, route: ApiRoute | AdminRoute): Omit<RequestContext<unknown>, 'body'> {
  const { params = noParams } = request;
  requireIds(params);
  const query = takesQuery(route) ? queryOf(request.url ?? '') : noQuery;
  return {
    requestId: requestIdOf(request),
    id: (name) => requireId(name, params[name]),
    foreignId: (name) => String(params[name]),
    page: query === noQuery ? everything : readPage(query),
    query,
    idempotencyKey: () => readIdempotencyKey(request),
  };
}

/** Before the body: what is not found is not worth reading for. */
function requireIds(params: Request['params']): void {
  for (const name of pathIdNames) if (name in params) requireId(name, params[name]);
}

/** Every query that a JSON route takes is or comes with a page. */
function takesQuery(route: ApiRoute | AdminRoute): boolean {
  return route.parameters?.some((parameter) => parameter.in === 'query') ?? false;
}

async function bodyOf(request: IncomingMessage, { bodySchema }: ApiRoute | AdminRoute): Promise<unknown> {
  if (bodySchema === null) return undefined;
  if (!hasBody(request)) throw fieldFault(['body'], 'Field required', 'missing');
  requireJson(request);
  return parseJson(await readBody(request, apiBodyLimit));
}
