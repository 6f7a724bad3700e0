/**
 * Handlers of the busiest POST routes, which the listener calls without Express, whose routing costs a third of what the rest of this
 * folder does for such a request. Only the exact path qualifies: with a query, another method or another spelling the request goes through
 * Express and gets the same answer. [performance §4]
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerFailure } from './middleware/error-funnel.ts';
import { endUnfinished } from './middleware/refused-request.ts';
import type { RouteContext } from './options.ts';
import type { CompiledRoutes } from './compiled-routes.ts';
import { apiHandler, measured } from './route-handler.ts';
import type { Route } from './route.ts';

export type FastPathHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Handlers of POST routes that are answered without Express, by path. Of the API these are the routes that a busy node sheds: the sends.
 */
export function fastPathPosts<W>(
  routes: readonly Route<W>[],
  context: RouteContext<W>,
  compiled: CompiledRoutes,
): ReadonlyMap<string, FastPathHandler> {
  const handlers = new Map<string, FastPathHandler>();
  for (const route of routes) {
    const handler = route.method === 'post' ? findFastPath(route, context, compiled) : null;
    if (handler !== null) handlers.set(route.path, measured(route.name, handler, context));
  }
  return handlers;
}

function findFastPath<W>(
  route: Route<W>,
  context: RouteContext<W>,
  compiled: CompiledRoutes,
): FastPathHandler | null {
  const fail: typeof answerFailure = (request, response, ...thrown) => {
    // Only a rejected request can be answered before its body has arrived.
    if (!request.complete) endUnfinished(request, response, context.clock);
    answerFailure(request, response, ...thrown);
  };
  if (route.audience === 'api') {
    return route.sheds ? apiHandler(route, context, compiled, fail) : null;
  }
  const take = route.audience === 'open' ? route.fastPath : undefined;
  if (take === undefined) return null;
  return async (request, response) => {
    try {
      await take(request, response, context);
    } catch (error) {
      fail(request, response, error, context.log);
    }
  };
}
