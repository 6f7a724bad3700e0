import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { addAccountRoutes } from './accounts-api.ts';
import { addBatchRoutes } from './batch-api.ts';
import { addBlockUserRoutes } from './block-users-api.ts';
import { answerJson, answerRefusal, type Call } from './call.ts';
import { addControlRoutes } from './control-api.ts';
import { addConversationRoutes } from './conversations-api.ts';
import { addFrontPage } from './front-page.ts';
import { GraphError } from './graph-error.ts';
import { toCall } from './graph-route.ts';
import { countManagementCall } from './management-calls.ts';
import { addMediaRoutes } from './media-api.ts';
import { addMessagingRoutes } from './messaging-api.ts';
import { addMessengerProfileRoutes } from './messenger-profile-api.ts';
import { addNodeRoutes } from './nodes-api.ts';
import { addOauthRoutes } from './oauth.ts';
import { addPersonaRoutes } from './personas-api.ts';
import { addPhoneSettingsRoutes } from './phone-settings-api.ts';
import { addRegistrationRoutes } from './registration.ts';
import { actOut } from './send-faults.ts';
import { addPortfolioRoutes } from './portfolios-api.ts';
import { addSubscriptionRoutes } from './subscriptions-api.ts';
import { addTemplateRoutes } from './templates-api.ts';
import { addThreadRoutes } from './thread-api.ts';
import { addUserRoutes } from './user-api.ts';
import type { World } from './world.ts';

const biggestBody = '110mb';

/** Every route except the sends, which `server.ts` handles before Express. The order is the matching order. */
export function buildApp(world: World): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(express.raw({ type: () => true, limit: biggestBody }));
  const control = express.Router();
  addControlRoutes(control, world);
  app.use('/control', control);
  addFrontPage(app);
  app.use((req, res, next) => misbehave(world, req, res, next));
  app.use((req, _res, next) => {
    countManagementCall(world, req);
    next();
  });
  addMediaRoutes(app, graph, world);
  addOauthRoutes(app, graph, world);
  addUserRoutes(app, graph, world);
  addPortfolioRoutes(app, graph, world);
  addTemplateRoutes(app, graph, world);
  addSubscriptionRoutes(app, graph, world);
  addAccountRoutes(app, graph, world);
  addRegistrationRoutes(app, graph, world);
  addThreadRoutes(app, graph, world);
  addMessagingRoutes(app, graph, world);
  addMessengerProfileRoutes(app, graph, world);
  addPersonaRoutes(app, graph, world);
  addConversationRoutes(app, graph, world);
  addPhoneSettingsRoutes(app, graph, world);
  addBlockUserRoutes(app, graph, world);
  addBatchRoutes(app, graph, world);
  addNodeRoutes(app, graph, world);
  app.use((req: Request) => {
    throw unknownPath(req.path);
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    // A client that left while it was sending.
    if (req.destroyed && !req.complete) return;
    answerRefusal(world, res, error);
  });
  return app;
}

function graph(
  answer: (call: Call, req: Request) => unknown,
): (req: Request, res: Response) => Promise<void> {
  return async (req, res) => answerJson(res, 200, await answer(toCall(req), req));
}

/** Applies faults that match the path. Only `ok` lets the call through, after its delay. */
function misbehave(world: World, req: Request, res: Response, next: NextFunction): void {
  const fault = world.faults.forCall(req.method, req.path);
  if (!fault) return next();
  if (fault.act === 'ok') return world.later(fault.delay_ms, next);
  actOut(world, fault, res, toCall(req), null).catch((error: unknown) => answerRefusal(world, res, error));
}

// [upstream protocol 9.1] An unknown edge is 2500, whatever its node is.
function unknownPath(path: string): GraphError {
  const edge = path.slice(path.indexOf('/', 1));
  return new GraphError({ code: 2500, message: `Unknown path components: ${edge}` });
}
