import type { Router } from 'express';
import { asBag, asText } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { pick } from './fields.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { badParameter, GraphError, missingObject } from './graph-error.ts';
import { newSecret } from './ids.ts';
import type { Phone } from './model.ts';
import { nodeTypes } from './node-types.ts';
import { writePaging } from './paging.ts';
import { checkPhoneToken } from './send-chatapp.ts';
import { mayManage, overrideOf } from './subscriptions-api.ts';
import type { World } from './world.ts';

/** Numbers of a business account and their registration [upstream protocol 2.4]. */
export function addAccountRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/phone_numbers',
    graph((call, req) => phoneNumbers(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/register',
    graph((call, req) => register(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/deregister',
    graph((call, req) => deregister(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/smb_app_data',
    graph((call, req) => syncPhoneApp(world, call, param(req, 'id'))),
  );
}

/** A number as its node shows it [upstream protocol 2.4]. */
export function shownPhone({ settings }: World, phone: Phone): Record<string, unknown> {
  return {
    id: phone.id,
    display_phone_number: phone.display,
    verified_name: phone.verifiedName,
    quality_rating: phone.quality,
    code_verification_status: 'VERIFIED',
    name_status: 'APPROVED',
    platform_type: 'CLOUD_API',
    is_on_biz_app: phone.dualUse,
    // A number without rate limits counts as a fast one.
    throughput: { level: settings.rates ? 'STANDARD' : 'HIGH' },
    status: phone.registered ? 'CONNECTED' : 'PENDING',
    webhook_configuration: phone.override ? { phone_number: phone.override.url } : {},
  };
}

function phoneNumbers(world: World, call: Call, id: string): Record<string, unknown> {
  const token = authenticate(world, call);
  const node = world.nodes.get(id);
  if (node?.type !== 'waba' || !mayManage(token, node)) throw missingObject(id);
  const shown = node.phones.map((phone) =>
    pick(shownPhone(world, phone), asText(call.bag.fields), nodeTypes.phone),
  );
  return writePaging(world, call, shown);
}

/** The number with this id as the call's token may use it. Throws GraphError 190, 100/33 or 200. */
export function findPhone(world: World, call: Call, id: string): Phone {
  const token = authenticate(world, call);
  const node = world.nodes.get(id);
  if (node?.type !== 'phone') throw missingObject(id, call.method);
  checkPhoneToken(node, token, call.method);
  return node;
}

function register(world: World, call: Call, id: string): { success: true } {
  const phone = findPhone(world, call, id);
  const pin = asText(call.bag.pin) ?? '';
  if (call.bag.messaging_product !== 'whatsapp')
    throw badParameter('The parameter messaging_product is required.');
  if (!/^\d{6}$/.test(pin)) throw badParameter('Invalid parameter', 'Param pin must be 6 digits long.');
  if (phone.dualUse)
    throw badParameter('Registering a number that is in use on the business app is not permitted');
  if (phone.pin !== null && phone.pin !== pin)
    throw new GraphError({ code: 133005, details: 'Two-step verification PIN incorrect.' });
  phone.pin = pin;
  phone.registered = true;
  return { success: true };
}

function deregister(world: World, call: Call, id: string): { success: true } {
  const phone = findPhone(world, call, id);
  if (phone.dualUse)
    throw badParameter('Deregistering a number that is in use on the business app is not permitted');
  phone.registered = false;
  return { success: true };
}

function syncPhoneApp(world: World, call: Call, id: string): Record<string, unknown> {
  const phone = findPhone(world, call, id);
  if (!phone.dualUse)
    throw new GraphError({
      code: 2593108,
      message: '(#2593108) Synchronization is not allowed for this number',
    });
  return { messaging_product: 'whatsapp', request_id: newSecret('req-') };
}

/** `POST /{phone_id}`: the number's own callback. */
export async function configurePhone(world: World, call: Call, phone: Phone): Promise<{ success: true }> {
  phone.override = await overrideOf(world, asBag(call.bag.webhook_configuration) ?? {});
  return { success: true };
}
