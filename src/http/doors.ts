/** Which routes a listener has. [operator-interface §2 ADMIN_PORT] */
import { contractRoute } from './docs/route.ts';
import { operationRoutes } from './operations/routes.ts';
import { routeTable } from './route-table.ts';
import type { Route } from './route.ts';

/** `clients`: operators have a listener of their own. `operators`: this is it. */
export type Doors = 'all' | 'clients' | 'operators';

/** `pages` are other rooms' routes, tried after ours. */
export function routesBehind(doors: Doors, pages: readonly Route[]): readonly Route[] {
  if (doors === 'operators') return [...routeTable.filter(isOperators), ...operationRoutes, contractRoute];
  const all = [...routeTable, ...pages];
  return doors === 'all' ? all : all.filter((route) => !isOperators(route));
}

function isOperators({ audience }: Route): boolean {
  return audience === 'admin';
}
