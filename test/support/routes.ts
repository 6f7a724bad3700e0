/** Every route of the service, API, admin and pages, without the type of its world. */
import { routeTable as ofService } from '../../src/features/route-table.ts';
import type { Route } from '../../src/http/route.ts';

export const routeTable: readonly Route[] = ofService;
