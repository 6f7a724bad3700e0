import type { Router } from 'express';
import { asText, type Bag } from './bag.ts';
import type { ControlRoute } from './control-route.ts';
import type { World } from './world.ts';

/** Routes that change the registered app itself, as its developer would in the dashboard. */
export function addAppRoutes(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/app',
    control((ask) => changeApp(world, ask)),
  );
}

/** Another id or secret: tokens, proofs and signatures follow at once. A reset does not bring the old ones back. */
function changeApp(world: World, ask: Bag): { id: string } {
  world.app.id = asText(ask.id) ?? world.app.id;
  world.app.secret = asText(ask.secret) ?? world.app.secret;
  world.tokens.renewApp();
  return { id: world.app.id };
}
