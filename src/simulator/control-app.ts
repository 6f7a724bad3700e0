import type { Router } from 'express';
import { asFlag, asNames, asText, type Bag } from './bag.ts';
import { required } from './control-ask.ts';
import type { ControlRoute } from './control-route.ts';
import { registerApp } from './subscriptions-api.ts';
import type { World } from './world.ts';

/** What an operator does in the app's dashboard; the other buttons are settings. */
export function addAppRoutes(router: Router, control: ControlRoute, world: World): void {
  router.post(
    '/app',
    control((ask) => changeApp(world, ask)),
  );
  router.post(
    '/app/roles',
    control((ask) => changeRole(world, ask)),
  );
  router.post(
    '/app/webhooks',
    control((ask) => saveWebhooks(world, ask)),
  );
}

/** Another id or secret: tokens, proofs and signatures follow at once. A reset does not bring the old ones back. */
function changeApp(world: World, ask: Bag): { id: string } {
  world.app.id = asText(ask.id) ?? world.app.id;
  world.app.secret = asText(ask.secret) ?? world.app.secret;
  world.tokens.renewApp();
  return { id: world.app.id };
}

/** Gives somebody a role on the app, or takes it. */
function changeRole({ roles }: World, ask: Bag): { id: string; role: boolean } {
  const id = required(ask, 'id');
  const role = asFlag(ask.role) ?? true;
  if (role) roles.add(id);
  else roles.delete(id);
  return { id, role };
}

/** Saves the form of one object's webhooks; the callback is verified. The form is prefilled with the settings of the start. */
async function saveWebhooks(world: World, ask: Bag): Promise<{ success: true }> {
  return registerApp(world, {
    object: required(ask, 'object'),
    callbackUrl: asText(ask.callback_url) ?? world.settings.callback_url ?? '',
    verifyToken: asText(ask.verify_token) ?? world.app.verifyToken,
    fields: asNames(ask.fields),
  });
}
