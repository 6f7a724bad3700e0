/** Which routes a listener has, and how it shows failures where none matches. */
import { answerFailure } from './middleware/error-funnel.ts';
import { contractRoute, operationRoutes } from './operation-routes.ts';
import type { ListenerKind } from './options.ts';
import type { FailureAnswer, Route } from './route.ts';

/** The routes of a listener, out of all. */
export function routesOf<W>(listenerKind: ListenerKind, all: readonly Route<W>[]): readonly Route<W>[] {
  if (listenerKind === 'all') return all;
  if (listenerKind === 'clients') return all.filter((route) => !isOperators(route));
  return [...all.filter(isOperators), ...operationRoutes, contractRoute, ...all.filter(isEverywhere)];
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
