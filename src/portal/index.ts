/** Every page that people look at, as routes for `src/http` to mount, in the order in which they are tried. */
import type { Route } from '../http/route.ts';
import { assetRoute } from './assets.ts';
import { docsRoute } from './docs/docs.tsx';
import { homeRoute } from './home/home.tsx';
import { setupRoutes } from './setup/routes.ts';

export const pageRoutes: readonly Route[] = [...setupRoutes, homeRoute, docsRoute, assetRoute];
