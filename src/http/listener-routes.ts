/** Which routes a listener serves, and how it shows the failure of a path without a route. [operator-interface §2 ADMIN_PORT] */
import { contractRoute } from './docs/route.ts';
import { operationRoutes } from './operations/routes.ts';
import type { ListenerKind } from './options.ts';
import { routeTable } from './route-table.ts';
import type { FailureAnswer, Route } from './route.ts';
import { answerFailure } from './middleware/error-funnel.ts';

/** `pages` are routes of other folders; they are matched after the routes of this folder. */
export function routesOf(listenerKind: ListenerKind, pages: readonly Route[]): readonly Route[] {
  if (listenerKind === 'operators') {
    const own = [...routeTable, ...pages].filter(isOperators);
    return [...own, ...operationRoutes, contractRoute, ...pages.filter(isEverywhere)];
  }
  const all = [...routeTable, ...pages];
  return listenerKind === 'all' ? all : all.filter((route) => !isOperators(route));
}

function isOperators(route: Route): boolean {
  return route.audience === 'admin' || (route.audience === 'open' && route.listener === 'operators');
}

function isEverywhere(route: Route): boolean {
  return route.audience === 'open' && route.listener === 'every';
}

/**
 * How failures are shown where no route matches: as a page for a person, as JSON for a program. A path whose first segment is that of a
 * page route is shown the failure page of that route.
 */
export function failuresByPath(routes: readonly Route[]): (url: string) => FailureAnswer {
  const pages = new Map<string, FailureAnswer>();
  for (const route of routes) {
    const part = firstPart(route.path);
    if (!pages.has(part) && route.audience === 'open' && route.failures !== 'json')
      pages.set(part, route.failures);
  }
  return (url) => pages.get(firstPart(url)) ?? answerFailure;
}

function firstPart(url: string): string {
  return url.split(/[/?]/, 2)[1] ?? '';
}
