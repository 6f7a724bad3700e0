import type { Request, Response, Router } from 'express';
import { isBag, parseJson, type Bag } from './bag.ts';
import { answerJson } from './call.ts';
import { addAccessRoutes } from './control-access.ts';
import { addAppRoutes } from './control-app.ts';
import { addBusinessRoutes } from './control-business.ts';
import { addChatRoutes } from './control-chat.ts';
import { addChatappEventRoutes } from './control-chatapp-events.ts';
import { addLedgerRoutes } from './control-ledger.ts';
import { addPageControl } from './control-pages.ts';
import { addPeopleRoutes } from './control-people.ts';
import { addScriptRoutes } from './control-scripts.ts';
import { addTemplateControl } from './control-templates.ts';
import { addWebhookRoutes } from './control-webhooks.ts';
import { addTokenRoutes } from './control-tokens.ts';
import { addWorldRoutes } from './control-world.ts';
import type { World } from './world.ts';

/** All routes under `/control`; CONTROL.md documents each call. */
export function addControlRoutes(router: Router, world: World): void {
  router.get(
    '/health',
    control(() => ({ ok: true })),
  );
  addChatRoutes(router, world);
  addAppRoutes(router, control, world);
  addWorldRoutes(router, control, world);
  addTokenRoutes(router, control, world);
  addPageControl(router, control, world);
  addTemplateControl(router, control, world);
  addPeopleRoutes(router, control, world);
  addBusinessRoutes(router, control, world);
  addChatappEventRoutes(router, control, world);
  addAccessRoutes(router, control, world);
  addScriptRoutes(router, control, world);
  addWebhookRoutes(router, control, world);
  addLedgerRoutes(router, control, world);
  router.use((req: Request, res: Response) => {
    answerJson(res, 404, { error: `there is no control call ${req.method} ${req.path}` });
  });
}

function control(
  answer: (ask: Bag, req: Request) => unknown,
): (req: Request, res: Response) => Promise<void> {
  return async (req, res) => {
    try {
      answerJson(res, 200, await answer(readAsk(req), req));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      answerJson(res, 400, { error: error.message });
    }
  };
}

function readAsk(req: Request): Bag {
  const body: unknown = req.body;
  if (!Buffer.isBuffer(body) || body.length === 0)
    return Object.fromEntries(new URL(req.originalUrl, 'http://simulator.invalid').searchParams);
  const parsed = parseJson(body.toString('utf8'));
  if (!isBag(parsed)) throw new Error('the body is no JSON object');
  return parsed;
}
