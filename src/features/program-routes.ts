/** Every route for programs, without the pages, so that a page can name them. */
import { accountRoutes } from './operators/account-routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { upstreamRoutes } from './platform/routes.ts';
import { nodeRoutes } from './operators/node-routes.ts';
import { billingRoute } from './licences/billing-webhook.ts';
import { channelChanges, channelReads } from './channels/routes.ts';
import { profileRoute } from './profiles/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { connectingRoutes } from './connecting/routes.ts';
import { defaultWebhookRoutes } from './default-webhook/routes.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { mediaRoutes } from './media/routes.ts';
import { uploadRoutes } from './media/upload-routes.ts';
import { messageListRoute } from './messages/list-routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { signalRoutes } from './messages/signal-routes.ts';
import { redirectRoutes } from './redirects/routes.ts';
import { requestRoute } from './requests/routes.ts';
import { subscriptionRoutes } from './licences/routes.ts';
import { templateRoutes } from './templates/routes.ts';
import { operationRoutes, rootRoute, contractRoute } from '../http/operation-routes.ts';
import type { Route } from '../http/route.ts';
import type { World } from './world.ts';
import { handshakeRoute, upstreamPostRoute } from './messages/upstream-webhooks.ts';

/** In matching order: the two busiest first, fixed paths before a parameter that would match them. */
export const programRoutes: readonly Route<World>[] = [
  ...messageRoutes,
  upstreamPostRoute,
  handshakeRoute,
  billingRoute,
  ...connectingRoutes,
  ...channelReads,
  profileRoute,
  ...channelChanges,
  ...defaultWebhookRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  messageListRoute,
  ...signalRoutes,
  ...subscriptionRoutes,
  ...uploadRoutes,
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
