/**
 * The way of the busiest posts: from the listener to their handler, past Express, whose routing costs a third of what the rest of this
 * room does for one. Only the exact path goes it; with a query, another method or another spelling it is Express that decides, and
 * answers the same. [performance §4]
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerFailure } from './middleware/error-funnel.ts';
import { endUnfinished } from './middleware/refused-body.ts';
import type { RouteContext } from './options.ts';
import type { Route } from './route.ts';

export type StraightHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** POST routes that may be answered before Express, by path. */
export function straightPosts(
  routes: readonly Route[],
  context: RouteContext,
): ReadonlyMap<string, StraightHandler> {
  const handlers = new Map<string, StraightHandler>();
  for (const route of routes) {
    if (route.audience !== 'open' || route.straight === undefined || route.method !== 'post') continue;
    handlers.set(route.path, handlerOf(route.name, route.straight, context));
  }
  return handlers;
}

function handlerOf(
  name: string,
  take: (request: IncomingMessage, response: ServerResponse, context: RouteContext) => Promise<void>,
  context: RouteContext,
): StraightHandler {
  const { clock, log, requestEnded } = context;
  return async (request, response) => {
    const startedAt = clock.monotonic();
    try {
      await take(request, response, context);
    } catch (error) {
      // Only what was refused can be answered before its body is there.
      if (!request.complete) endUnfinished(request, response, clock);
      answerFailure(request, response, error, log);
    }
    requestEnded?.(name, response.statusCode, clock.monotonic() - startedAt);
  };
}
