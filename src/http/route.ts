/**
 * A route as data: the server mounts the table, `/openapi.json` is generated from it, and tests iterate over it, so that no route can lack
 * its authentication, its validation or its description in the contract.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { Log } from '../kernel/log.ts';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Role } from '../rules/person.ts';
import type { Actor, Caller } from '../rules/caller.ts';
import type { NeededScopes } from '../rules/scopes.ts';
import type { PageRequest } from '../kernel/paging.ts';
import type { HttpOptions, RouteContext } from './options.ts';
import type { PathId } from './validation/ids.ts';
import { flag, responseObject } from './validation/json-schema.ts';
import type { JsonSchema } from './validation/json-schema.ts';
import type { RequestBody } from './validation/request-body.ts';

/** Types of Express, for folders that define routes of their own. */
export type { Request, Response };

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A query parameter or header, for the contract. */
export interface Parameter {
  name: string;
  in: 'query' | 'header';
  required?: boolean;
  schema: JsonSchema;
  description: string;
}

interface Mounted {
  method: Method;
  /** Parameters in braces, as in OpenAPI. */
  path: string;
  /** Label of the route's metrics, and `operationId` in the contract. */
  name: string;
}

/** Description of a route in the contract. */
interface Explained {
  tag: string;
  summary: string;
  description?: string;
  parameters?: readonly Parameter[];
  /** Statuses beyond those that every route of its audience can answer. */
  errors?: readonly number[];
  /** Whether a client whose answer was lost can ask again, although it changes something: as many calls do what one does. */
  repeatable?: boolean;
}

type Described = Mounted & Explained;

/** Method and path as a route is written: `get: '/readyz'`. */
export type Way = { [M in Method]: Record<M, string> }[Method];

function mountAt(way: Way): Pick<Mounted, 'method' | 'path'> {
  if ('get' in way) return { method: 'get', path: way.get };
  if ('post' in way) return { method: 'post', path: way.post };
  if ('put' in way) return { method: 'put', path: way.put };
  return 'patch' in way ? { method: 'patch', path: way.patch } : { method: 'delete', path: way.delete };
}

/** A route as it is written, with method and path in one member. */
type Written<R extends Mounted> = Way & Omit<R, 'method' | 'path'>;

interface Answering {
  status: 200 | 201 | 202;
  schema: JsonSchema;
}

/** The route answers with a `FileAnswer` instead of JSON. */
interface FileAnswering {
  status: 200;
  file: JsonSchema;
}

/** The parsed request of a JSON route. */
export interface RequestContext<B> {
  /** Passed on to everything that results from the request. */
  requestId: string;
  id: (name: PathId) => string;
  /** A path parameter that is not one of our ids: as sent, unchecked. */
  foreignId: (name: string) => string;
  page: PageRequest;
  query: URLSearchParams;
  body: B;
  idempotencyKey: () => string | null;
}

export interface ApiCall<B> extends RequestContext<B> {
  caller: Caller;
}

export interface AdminCall<B> extends RequestContext<B> {
  /** The operator, for the audit log. */
  by: Actor;
}

interface Answered<Call, Success, W> {
  success: Success;
  answer: (call: Call, context: RouteContext<W>) => Promise<unknown>;
}

/** Answers `{success: true}`. [operator-interface §4] DELETE bodies */
interface Done<Call, W> {
  does: (call: Call, context: RouteContext<W>) => Promise<unknown>;
}

const isDone = responseObject('Success', { success: flag });

function answered<Call, Success, W>(
  spec: Answered<Call, Success, W> | Done<Call, W>,
): Answered<Call, Success | Answering, W> {
  if ('answer' in spec) return spec;
  const { does } = spec;
  return {
    success: { status: 200, schema: isDone },
    async answer(call, context) {
      await does(call, context);
      return { success: true };
    },
  };
}

type ApiSpec<B, W> = Written<Described> &
  (Answered<ApiCall<B>, Answering | FileAnswering, W> | Done<ApiCall<B>, W>) & {
    body: RequestBody<B>;
    /** A key must have one of these scopes. */
    needs: NeededScopes;
    /** Rejected first when the node is too busy. [spec: HTTP status codes, 503] */
    sheds?: boolean;
  };

type AdminSpec<B, W> = Written<Described> &
  (Answered<AdminCall<B>, Answering, W> | Done<AdminCall<B>, W>) & { body: RequestBody<B> };

/** A route without the type of its body, which only `prepare` knows. */
export interface ApiRoute<W = never> extends Described {
  audience: 'api';
  needs: NeededScopes;
  bodySchema: JsonSchema | null;
  /** The body is a form with a file. */
  takesFile: boolean;
  success: Answering | FileAnswering;
  sheds: boolean;
  prepare: (ajv: Ajv2020) => (call: ApiCall<unknown>, context: RouteContext<W>) => Promise<unknown>;
}

export interface AdminRoute<W = never> extends Described {
  audience: 'admin';
  bodySchema: JsonSchema | null;
  isBodyOptional: boolean;
  success: Answering;
  prepare: (ajv: Ajv2020) => (call: AdminCall<unknown>, context: RouteContext<W>) => Promise<unknown>;
}

export type FailureAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
  log: Log,
) => void;

export interface OpenContract extends Explained {
  /** Content type of each answer by status; JSON ones with their schema. */
  answers: Readonly<Record<number, { contentType: string; schema?: JsonSchema; description: string }>>;
}

/** A route for people, probes or the platform: its handler reads the request and writes the answer. */
export interface OpenRoute<W = never> extends Mounted {
  audience: 'open';
  /** Absent: the route serves pages and is not part of the contract. */
  contract?: OpenContract;
  /** How failures are shown: as JSON, or as a page for a person. */
  failures: 'json' | FailureAnswer;
  /** The lowest role of a signed-in person that may use the route. */
  may?: Role;
  /** The listener that serves the route while operators have one of their own; default: the clients' listener. */
  listener?: 'operators' | 'every';
  /** False: the route is not mounted. */
  isHere?: (options: Pick<HttpOptions, 'metrics' | 'takesBilling' | 'adminToken'>) => boolean;
  open: (request: Request, response: Response, context: RouteContext<W>) => void | Promise<void>;
  /**
   * Like `open`, for a busy path without parameters whose handler needs nothing from Express; called before Express. The handler has read
   * the whole body, or thrown, when it answers.
   */
  fastPath?: (request: IncomingMessage, response: ServerResponse, context: RouteContext<W>) => Promise<void>;
}

/** `W`: what its functions use of the world. A route of any world is a `Route`. */
export type Route<W = never> = ApiRoute<W> | AdminRoute<W> | OpenRoute<W>;

/** A route of the client API: API key, rate limit, JSON in and out. */
function apiRoute<B, W>(spec: ApiSpec<B, W>): ApiRoute<W> {
  const { body, sheds = false, ...described } = spec;
  const { success, answer } = answered(spec);
  return {
    ...described,
    success,
    ...mountAt(spec),
    audience: 'api',
    sheds,
    bodySchema: body.schema,
    takesFile: body.isFileForm === true,
    prepare: prepared<ApiCall<unknown>, B, W>(body, answer),
  };
}

/** A route of the admin API: bearer token, JSON in and out. */
function adminRoute<B, W>(spec: AdminSpec<B, W>): AdminRoute<W> {
  const { body, ...described } = spec;
  const { success, answer } = answered(spec);
  return {
    ...described,
    success,
    ...mountAt(spec),
    audience: 'admin',
    bodySchema: body.schema,
    isBodyOptional: body.isOptional === true,
    prepare: prepared<AdminCall<unknown>, B, W>(body, answer),
  };
}

/** Compiles the body's schema, then answers requests with the parsed body. */
function prepared<Call extends RequestContext<unknown>, B, W>(
  body: RequestBody<B>,
  answer: (call: Call & { body: B }, context: RouteContext<W>) => Promise<unknown>,
): (ajv: Ajv2020) => (call: Call, context: RouteContext<W>) => Promise<unknown> {
  return (ajv) => {
    const parse = body.compile(ajv);
    return (call, context) => answer(Object.assign(call, { body: parse(call.body) }), context);
  };
}

export function openRoute<W>(spec: Written<Omit<OpenRoute<W>, 'audience'>>): OpenRoute<W> {
  return { ...spec, ...mountAt(spec), audience: 'open' };
}

/** The builders of routes for one world, so that a route need not name it. */
export function routesOver<W>() {
  return {
    apiRoute: <B>(spec: ApiSpec<B, W>): ApiRoute<W> => apiRoute(spec),
    adminRoute: <B>(spec: AdminSpec<B, W>): AdminRoute<W> => adminRoute(spec),
    openRoute: (spec: Written<Omit<OpenRoute<W>, 'audience'>>): OpenRoute<W> => openRoute(spec),
  };
}
