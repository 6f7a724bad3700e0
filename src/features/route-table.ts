import type { Route } from '../http/route.ts';
import { pageRoutes } from './pages.ts';
import { programRoutes } from './program-routes.ts';
import type { World } from './world.ts';

/** Every route, in matching order: pages last. */
export const routeTable: readonly Route<World>[] = [...programRoutes, ...pageRoutes];
