/** The builders of routes and pages over the world. */
import { routesOver } from '../http/route.ts';
import type { OpenRoute } from '../http/route.ts';
import type { RouteContext as ContextOver } from '../http/options.ts';
import { pageOfKnown as knownOver, pageRoute as pageOver } from '../pages/route.ts';
import type { PageRouteSpec } from '../pages/route.ts';
import type {
  PageContext as PageContextOver,
  SignedInContext as SignedInContextOver,
} from '../pages/session/context.ts';
import {
  leadBack as leadBackOver,
  openPage as openOver,
  signedInPage as signedInOver,
} from '../pages/session/pages.ts';
import type { PageSpec, SignedInSpec } from '../pages/session/pages.ts';
import type { World } from './world.ts';

export type RouteContext = ContextOver<World>;
export type PageContext = PageContextOver<World>;
export type SignedInContext = SignedInContextOver<World>;

export const { apiRoute, adminRoute, openRoute } = routesOver<World>();

export const pageRoute = (spec: PageRouteSpec<World>): OpenRoute<World> => pageOver(spec);
export const pageOfKnown = (spec: PageRouteSpec<World>): OpenRoute<World> => knownOver(spec);
export const openPage = (spec: PageSpec<PageContext>): OpenRoute<World> => openOver(spec);
export const signedInPage = (spec: SignedInSpec<World>): OpenRoute<World> => signedInOver(spec);
export const leadBack = (path: string, to: (context: SignedInContext) => string): OpenRoute<World> =>
  leadBackOver(path, to);
