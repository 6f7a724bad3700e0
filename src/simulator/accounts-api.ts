import type { Router } from 'express';
import { asBag, asText } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { pick } from './fields.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { GraphError, missingObject } from './graph-error.ts';
import { newSecret } from './ids.ts';
import type { Phone } from './model.ts';
import { nodeTypes } from './node-types.ts';
import { writePaging } from './paging.ts';
import { shownPhone } from './phone-life.ts';
import { checkPhoneToken } from './send-chatapp.ts';
import { mayManage, overrideOf } from './subscriptions-api.ts';
import type { World } from './world.ts';

/** Numbers of a business account [upstream protocol 2.4]. */
export function addAccountRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/phone_numbers',
    graph((call, req) => phoneNumbers(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/smb_app_data',
    graph((call, req) => syncPhoneApp(world, call, param(req, 'id'))),
  );
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
