import type { Router } from 'express';
import { findPhone } from './accounts-api.ts';
import { asBag, asText, type Bag } from './bag.ts';
import type { Call } from './call.ts';
import { pick } from './fields.ts';
import { badParameter } from './graph-error.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { nodeTypes } from './node-types.ts';
import type { World } from './world.ts';

const usual: Readonly<Record<string, Bag>> = {
  calling: { status: 'DISABLED', call_icon_visibility: 'DEFAULT', callback_permission_status: 'DISABLED' },
  storage_configuration: { status: 'DEFAULT' },
  user_identity_change: { enable_identity_key_check: false },
};

/** `/{phone}/settings`: switches of a number's owner; the simulator only stores them [upstream protocol 9.1]. */
export function addPhoneSettingsRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/settings',
    graph((call, req) => show(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/settings',
    graph((call, req) => change(world, call, param(req, 'id'))),
  );
}

function show(world: World, call: Call, id: string): Record<string, unknown> {
  const phone = findPhone(world, call, id);
  return pick({ ...usual, ...phone.settings }, asText(call.bag.fields), nodeTypes.phoneSettings);
}

function change(world: World, call: Call, id: string): { success: true } {
  const phone = findPhone(world, call, id);
  const names = Object.keys(usual).filter((name) => asBag(call.bag[name]) !== undefined);
  if (names.length === 0) throw badParameter(`Requires one of the params: ${Object.keys(usual).join(',')}`);
  const changed = names.map((name) => [
    name,
    { ...usual[name], ...asBag(phone.settings[name]), ...asBag(call.bag[name]) },
  ]);
  phone.settings = { ...phone.settings, ...Object.fromEntries(changed) };
  return { success: true };
}
