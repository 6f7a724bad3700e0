import { accountRoutes } from '../features/accounts/account-routes.ts';
import { auditRoutes } from '../features/audit/routes.ts';
import { upstreamRoutes } from '../features/platform/routes.ts';
import { nodeRoutes } from '../features/operators/node-routes.ts';
import { billingRoute } from '../features/licences/billing-webhook.ts';
import { channelRoutes } from '../features/channels/routes.ts';
import { deliveryRoutes } from '../features/deliveries/routes.ts';
import { connectingRoutes } from '../features/connecting/routes.ts';
import { mediaRoutes } from '../features/media/routes.ts';
import { messageListRoute } from '../features/messages/list-routes.ts';
import { messageRoutes } from '../features/messages/routes.ts';
import { redirectRoutes } from '../features/redirects/routes.ts';
import { requestRoute } from '../features/requests/routes.ts';
import { subscriptionRoutes } from '../features/licences/routes.ts';
import { templateRoutes } from '../features/templates/routes.ts';
import { operationRoutes, rootRoute, contractRoute } from './operation-routes.ts';
import type { Route, FailureAnswer } from './route.ts';
import { handshakeRoute, upstreamPostRoute } from '../features/messages/upstream-webhooks.ts';
import type { ListenerKind } from './options.ts';
import { answerFailure } from './middleware/error-funnel.ts';

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
