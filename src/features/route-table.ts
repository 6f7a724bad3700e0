import { accountRoutes } from './accounts/account-routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { upstreamRoutes } from './platform/routes.ts';
import { nodeRoutes } from './operators/node-routes.ts';
import { billingRoute } from './licences/billing-webhook.ts';
import { channelRoutes } from './channels/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { connectingRoutes } from './connecting/routes.ts';
import { mediaRoutes } from './media/routes.ts';
import { messageListRoute } from './messages/list-routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { redirectRoutes } from './redirects/routes.ts';
import { requestRoute } from './requests/routes.ts';
import { subscriptionRoutes } from './licences/routes.ts';
import { templateRoutes } from './templates/routes.ts';
import { operationRoutes, rootRoute, contractRoute } from '../http/operation-routes.ts';
import type { Route, FailureAnswer } from '../http/route.ts';
import { handshakeRoute, upstreamPostRoute } from './messages/upstream-webhooks.ts';
import type { ListenerKind } from '../http/options.ts';
import { answerFailure } from '../http/middleware/error-funnel.ts';

/** Every route of this folder in matching order: the two busiest first, and fixed paths before a parameter that would match them. */
export const routeTable: readonly Route[] = [
  ...messageRoutes,
  upstreamPostRoute,
  handshakeRoute,
  billingRoute,
  ...connectingRoutes,
  ...channelRoutes,
  ...deliveryRoutes,
  messageListRoute,
  ...subscriptionRoutes,
  ...mediaRoutes,
  ...redirectRoutes,
  ...templateRoutes,
  requestRoute,
  ...operationRoutes,
  contractRoute,
  rootRoute,
  ...accountRoutes,
  ...nodeRoutes,
  ...upstreamRoutes,
  ...auditRoutes,
];

/** `pages` are routes of other folders; they are matched after the routes of this folder. */
export function routesOf(listenerKind: ListenerKind, pages: readonly Route[]): readonly Route[] {
  if (listenerKind === 'operators') {
    const own = [...routeTable, ...pages].filter(isOperators);
    return [...own, ...operationRoutes, contractRoute, ...pages.filter(isEverywhere)];
  }
  const all = [...routeTable, ...pages];
  return listenerKind === 'all' ? all : all.filter((route) => !isOperators(route));
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
