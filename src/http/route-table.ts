import { accountRoutes } from './admin/account-routes.ts';
import { auditRoutes } from './admin/audit-routes.ts';
import { nodeRoutes } from './admin/node-routes.ts';
import { billingRoute } from './billing/webhook.ts';
import { channelRoutes } from './api/routes/channels.ts';
import { deliveryRoutes } from './api/routes/deliveries.ts';
import { connectingRoutes } from './api/routes/connecting.ts';
import { mediaRoutes } from './api/routes/media.ts';
import { messageListRoute } from './api/routes/message-list.ts';
import { messageRoutes } from './api/routes/messages.ts';
import { redirectRoutes } from './api/routes/redirects.ts';
import { requestRoute } from './api/routes/requests.ts';
import { subscriptionRoutes } from './api/routes/subscriptions.ts';
import { templateRoutes } from './api/routes/templates.ts';
import { contractRoute } from './docs/route.ts';
import { rootRoute } from './operations/root.ts';
import { operationRoutes } from './operations/routes.ts';
import type { Route } from './route.ts';
import { handshakeRoute, upstreamPostRoute } from './upstream/webhooks.ts';

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
  ...auditRoutes,
];
