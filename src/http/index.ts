/** Every door of the service. [architecture §2.3] */
export { makeHttpServer } from './server.ts';
export type { ServerOptions } from './server.ts';
export type { Doors } from './options.ts';
export { routeTable } from './route-table.ts';
export { isSameSecret } from './middleware/same-secret.ts';
export type { Readiness } from './options.ts';
export type { Route } from './route.ts';
export { makeGuessLimit } from './middleware/failed-auth.ts';
export { BodyRoom } from './middleware/body-room.ts';
export { clientAddress } from './middleware/client-address.ts';
export type { GuessLimit } from './middleware/failed-auth.ts';
