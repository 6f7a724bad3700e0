import { routeTable as ofHttp } from '../../src/features/route-table.ts';
import type { Route } from '../../src/http/route.ts';
import { pageRoutes } from '../../src/features/pages.ts';

/** Every route of the service: API, admin and pages. */
export const routeTable: readonly Route[] = [...ofHttp, ...pageRoutes];
