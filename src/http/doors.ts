/** Which routes a listener has. [operator-interface §2 ADMIN_PORT] */
import { contractRoute } from './docs/route.ts';
import { operationRoutes } from './operations/routes.ts';
import type { Doors } from './options.ts';
import { routeTable } from './route-table.ts';
import type { Route } from './route.ts';

/** `pages` are other rooms' routes, tried after ours. */
export function routesBehind(doors: Doors, pages: readonly Route[]): readonly Route[] {
  if (doors === 'operators') {
    const own = [...routeTable, ...pages].filter(isOperators);
    return [...own, ...operationRoutes, contractRoute, ...pages.filter(isEverywhere)];
  }
  const all = [...routeTable, ...pages];
  return doors === 'all' ? all : all.filter((route) => !isOperators(route));
}

function isOperators(route: Route): boolean {
  return route.audience === 'admin' || (route.audience === 'open' && route.door === 'operators');
}

function isEverywhere(route: Route): boolean {
  return route.audience === 'open' && route.door === 'every';
}
