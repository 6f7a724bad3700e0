/** Turns a route of the table into a request handler; each function lists its steps in order. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { fault, fieldFault } from '../kernel/faults.ts';
import type { Actor, Caller, KeyCaller } from '../rules/caller.ts';
import { neededBits } from '../rules/scopes.ts';
import { everything } from '../kernel/paging.ts';
import type { PageRequest } from '../kernel/paging.ts';
import { sendJson } from './answers.ts';
import { sendLists } from './long-json.ts';
import { FileAnswer } from './file-answer.ts';
import { requireCaller, requireRate, requireAdmin, actorOf } from './middleware/authenticate.ts';
import type { Acting } from './middleware/authenticate.ts';
import type { HeldBody } from './middleware/body-budget.ts';
import { openFileForm } from './middleware/file-form.ts';
import { answerFailure, asFault } from './middleware/error-funnel.ts';
import { readRequestId, readIdempotencyKey } from './middleware/request-headers.ts';
import { apiBodyLimit, hasBody, readHeld, requireJson } from './middleware/read-body.ts';
import type { Answering } from './middleware/unread-answers.ts';
import type { RouteContext } from './options.ts';
import type { CompiledRoutes } from './compiled-routes.ts';
import type { AdminCall, AdminRoute, ApiCall, ApiRoute, RequestContext, OpenRoute, Route } from './route.ts';
import { isPathId, requirePathId } from './validation/ids.ts';
import type { PathId } from './validation/ids.ts';
import { parseJson } from './validation/parse-json.ts';
import { parseQuery, readPage } from './validation/query.ts';

type Handler = (request: Request, response: Response) => Promise<void>;
/** Needs nothing from Express but the parameters of a path that has some. */
type JsonHandler = (request: JsonRequest, response: Answering) => Promise<void>;
type JsonRequest = IncomingMessage & Partial<Pick<Request, 'params'>>;

export function makeHandler<W>(route: Route<W>, context: RouteContext<W>, compiled: CompiledRoutes): Handler {
  return measured(route.name, handlerFor(route, context, compiled), context);
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
      requestEnded(name, response.statusCode, clock.monotonic() - startedAt, request),
    );
  };
}

function handlerFor<W>(route: Route<W>, context: RouteContext<W>, compiled: CompiledRoutes): Handler {
  if (route.audience === 'api') return apiHandler(route, context, compiled);
  return route.audience === 'admin' ? adminHandler(route, context, compiled) : openHandler(route, context);
}

/** A body may take half a minute. After this time the key is checked again, so that a key revoked meanwhile has no effect. [faults: 175] */
const believedMs = 1_000;

/** `fail` answers what the handler throws. */
export function apiHandler<W>(
  route: ApiRoute<W>,
  context: RouteContext<W>,
  compiled: CompiledRoutes,
  fail: typeof answerFailure = answerFailure,
): JsonHandler {
  const { status } = route.success;
  const needed = neededBits(route.needs);
  const mayBeLong = takesQuery(route);
  // A send is in the message log, so it does not pay for the audit log.
  const mayChange = route.method !== 'get' && !route.sheds;
  const ended = callEnder(route, context);
  return async (request, response) => {
    const startedAt = context.clock.monotonic();
    let held: Pick<HeldBody, 'end'> | null = null;
    let caller: Caller | null = null;
    let failure: unknown = null;
    try {
      const found = requireCaller(request, context);
      const holder = found instanceof Promise ? await found : found;
      caller = holder;
      response.accountId = caller.accountId;
      requireRate(context.rateLimiter, caller);
      requireScope(holder, route, needed);
      if (route.sheds) context.shed();
      const call = new ParsedApiCall(request, route, caller);
      if (route.takesFile) {
        context.shed();
        const stillMay = async () => requireScope(await requireCaller(request, context), route, needed);
        const form = await openFileForm(request, caller.accountId, { ...context, stillMay });
        held = form;
        call.body = form;
      } else if (route.bodySchema !== null) {
        const body = context.apiBodies.begin(caller.accountId);
        held = body;
        call.body = await readBody(request, body);
      }
      if (held !== null && context.clock.monotonic() - startedAt > believedMs)
        await requireCaller(request, context);
      if (mayChange) call.caller = { ...call.caller, by: actorOf(request, context, actingKey(caller)) };
      const answered = await compiled.answerOf(route)(call, context);
      if (answered instanceof FileAnswer) await answered.send(request, response, context);
      else if (mayBeLong) await sendLists(response, status, answered);
      else sendJson(response, status, answered);
    } catch (error) {
      failure = error;
      fail(request, response, error, context.log);
    } finally {
      held?.end();
      if (caller !== null) ended(request, response, caller, failure, startedAt);
    }
  };
}

/** Throws Fault 403. */
function requireScope({ granted }: KeyCaller, { needs }: ApiRoute, needed: number): void {
  if ((granted & needed) === 0) throw fault('scope_missing', { scope: needs[0], any_of: needs });
}

type Ended = (
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
  failure: unknown,
  startedAt: number,
) => void;

/** Reports an answered call. A client that left before its answer got none, so its call is not reported. */
function callEnder(route: ApiRoute, { callEnded, clock }: RouteContext): Ended {
  if (callEnded === undefined) return () => undefined;
  return (request, response, { accountId, apiKeyId }, failure, startedAt) => {
    if (!response.headersSent) return;
    callEnded({
      accountId,
      apiKeyId,
      // A route for GET also answers HEAD, so the method comes from the request.
      method: request.method ?? route.method.toUpperCase(),
      route: route.path,
      status: response.statusCode,
      code: failure === null ? null : asFault(failure).code,
      requestId: readRequestId(request),
      durationMs: Math.round(clock.monotonic() - startedAt),
    });
  };
}

const operator: Acting = { kind: 'operator', name: null };

function actingKey({ apiKeyId }: Caller): Acting {
  return { kind: 'key', name: apiKeyId };
}

/** Holder of the admin API's bodies and answers: no account has this id. */
const operators = 'operators';

function adminHandler<W>(
  route: AdminRoute<W>,
  context: RouteContext<W>,
  compiled: CompiledRoutes,
): JsonHandler {
  const { status } = route.success;
  return async (request, response) => {
    const held = context.apiBodies.begin(operators);
    try {
      await requireAdmin(request, context);
      response.accountId = operators;
      const asked = new ParsedAdminCall(request, route, actorOf(request, context, operator));
      if (route.bodySchema !== null) {
        const isMissing = route.isBodyOptional && !hasBody(request);
        asked.body = isMissing ? {} : await readBody(request, held);
      }
      const answered = await compiled.answerOf(route)(asked, context);
      await sendLists(response, status, answered);
    } catch (error) {
      answerFailure(request, response, error, context.log);
    } finally {
      held.end();
    }
  };
}

function openHandler<W>(route: OpenRoute<W>, context: RouteContext<W>): Handler {
  const fail = route.failures === 'json' ? answerFailure : route.failures;
  return async (request, response) => {
    try {
      await route.open(request, response, context);
    } catch (error) {
      fail(request, response, error, context.log);
    }
  };
}

const noQuery = new URLSearchParams();
const noParams: Request['params'] = {};

/** A request as routes read it. The query is parsed only if the route has query parameters. */
class ParsedRequest implements RequestContext<unknown> {
  readonly requestId: string;
  readonly page: PageRequest;
  readonly query: URLSearchParams;
  body: unknown = undefined;
  readonly #request: JsonRequest;

  constructor(request: JsonRequest, route: ApiRoute | AdminRoute) {
    requireIds(request.params ?? noParams);
    const query = takesQuery(route) ? parseQuery(request.url ?? '') : noQuery;
    this.requestId = readRequestId(request);
    this.page = query !== noQuery && hasPages(route) ? readPage(query) : everything;
    this.query = query;
    this.#request = request;
  }

  id(name: PathId): string {
    return requirePathId(name, this.#request.params?.[name]);
  }

  foreignId(name: string): string {
    return String(this.#request.params?.[name]);
  }

  idempotencyKey(): string | null {
    return readIdempotencyKey(this.#request);
  }
}

class ParsedApiCall extends ParsedRequest implements ApiCall<unknown> {
  caller: Caller;

  constructor(request: JsonRequest, route: ApiRoute, { accountId, apiKeyId }: Caller) {
    super(request, route);
    this.caller = { accountId, apiKeyId, requestId: this.requestId };
  }
}

class ParsedAdminCall extends ParsedRequest implements AdminCall<unknown> {
  readonly by: Actor;

  constructor(request: JsonRequest, route: AdminRoute, by: Actor) {
    super(request, route);
    this.by = by;
  }
}

/** Runs before the body is read: a malformed id is answered with 404 without reading the body. */
function requireIds(params: Request['params']): void {
  for (const name in params) if (isPathId(name)) requirePathId(name, params[name]);
}

function takesQuery(route: ApiRoute | AdminRoute): boolean {
  return route.parameters?.some((parameter) => parameter.in === 'query') ?? false;
}

function hasPages(route: ApiRoute | AdminRoute): boolean {
  return route.parameters?.some((parameter) => parameter.name === 'cursor') ?? false;
}

async function readBody(request: IncomingMessage, held: HeldBody): Promise<unknown> {
  if (!hasBody(request)) throw fieldFault(['body'], 'Field required', 'missing');
  requireJson(request);
  return parseJson(await readHeld(request, apiBodyLimit, held));
}
