/** The builders of routes and pages over the world. */
import { routesOver } from '../http/route.ts';
import type { OpenRoute, Route } from '../http/route.ts';
import type { RouteContext as ContextOver } from '../http/options.ts';
import { pageOfKnown as knownOver, pageRoute as pageOver } from '../pages/route.ts';
import type { PageRouteSpec } from '../pages/route.ts';
import type {
  PageContext as PageContextOver,
  PublicContext as PublicContextOver,
  SignedInContext as SignedInContextOver,
} from '../pages/session/context.ts';
import {
  leadBack as leadBackOver,
  openPage as openOver,
  publicPage as publicOver,
  signedInPage as signedInOver,
} from '../pages/session/pages.ts';
import type { PageSpec, PublicSpec, SignedInSpec } from '../pages/session/pages.ts';
import { answerListOver } from '../pages/list/list-page.tsx';
import type { ListSpec } from '../pages/list/list-page.tsx';
import type { Filter } from '../pages/list/filter.tsx';
import type { IconName } from '../pages/icon.tsx';
import { answerShell } from '../pages/shell.tsx';
import type { Page } from '../kernel/paging.ts';
import type { Role } from '../rules/person.ts';
import type { Place } from '../rules/portal-paths.ts';
import type { World } from './world.ts';

export type RouteContext = ContextOver<World>;
export type PageContext = PageContextOver<World>;
export type PublicContext = PublicContextOver<World>;
export type SignedInContext = SignedInContextOver<World>;

export const { apiRoute, adminRoute, openRoute } = routesOver<World>();

export const pageRoute = (spec: PageRouteSpec<World>): OpenRoute<World> => pageOver(spec);
export const pageOfKnown = (spec: PageRouteSpec<World>): OpenRoute<World> => knownOver(spec);
export const openPage = (spec: PageSpec<PageContext>): OpenRoute<World> => openOver(spec);
export const publicPage = (spec: PublicSpec<World>): OpenRoute<World> => publicOver(spec);
export const signedInPage = (spec: SignedInSpec<World>): OpenRoute<World> => signedInOver(spec);
export const leadBack = (path: string, to: (context: SignedInContext) => string): OpenRoute<World> =>
  leadBackOver(path, to);

/** Pages of a feature. */
export interface FeaturePages {
  /** In matching order. */
  routes: readonly Route<World>[];
  /** Their entry in the navigation. */
  place?: Place & { icon: IconName };
  /** More addresses of theirs, without ids; tests open these as they open the place. */
  samples?: readonly string[];
}

/** A page of the portal with one list. */
export function listPage<F extends Filter, R extends Page<unknown>>(
  spec: ListSpec<SignedInContext, F, R> & { name: string; may?: Role },
): OpenRoute<World> {
  const { path: get, name, may = 'viewer' } = spec;
  return signedInPage({ get, name, may, open: (context) => answerList(context, spec) });
}

/** For a list that depends on more than its filter. */
export const answerList = <F extends Filter, R extends Page<unknown>>(
  context: SignedInContext,
  spec: ListSpec<SignedInContext, F, R>,
): Promise<void> => answerListOver(answerShell, context, spec);
