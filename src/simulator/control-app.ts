import type { Router } from 'express';
import { asFlag, asNames, asText, type Bag } from './bag.ts';
import { oneOf, required, tell, type Told } from './control-ask.ts';
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
    '/app/test-push',
    control((ask) => testPush(world, ask)),
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

/** The dashboard's test button: an event of nobody, with the entry id 0 [seen]. It needs the app's subscription alone. */
async function testPush(world: World, ask: Bag): Promise<Told> {
  const object = oneOf(ask, 'object', ['page', 'instagram'], 'page');
  const field = asText(ask.field) ?? 'messages';
  const section = oneOf(
    ask,
    'section',
    ['messaging', 'changes'],
    object === 'page' ? 'messaging' : 'changes',
  );
  const app = world.subscriptions.get(object);
  if (!app) return { webhooks: 0 };
  const item = {
    sender: { id: '12334' },
    recipient: { id: '23245' },
    timestamp: '1527459824',
    message: { mid: 'random_mid', text: 'random_text' },
  };
  const common = { object, url: app.callbackUrl, entryId: '0', time: world.now(), kind: 'test' };
  return tell(ask, (heard) => {
    world.webhooks.emit({ ...common, section, field, item, ...heard });
    return 1;
  });
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
