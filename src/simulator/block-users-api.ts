import type { Router } from 'express';
import { findPhone } from './accounts-api.ts';
import { asBag, asList } from './bag.ts';
import type { Call } from './call.ts';
import { badParameter } from './graph-error.ts';
import { param, type GraphRoute } from './graph-route.ts';
import type { BlockedUser, Phone } from './model.ts';
import { writePaging } from './paging.ts';
import { recipientOf } from './recipients.ts';
import type { World } from './world.ts';

/** `/{phone}/block_users`: people whose messages a number does not receive [upstream protocol 9.1]. */
export function addBlockUserRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/block_users',
    graph((call, req) => list(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/block_users',
    graph((call, req) => block(world, call, param(req, 'id'))),
  );
  router.delete(
    '/:id/block_users',
    graph((call, req) => unblock(world, call, param(req, 'id'))),
  );
}

const product = { messaging_product: 'whatsapp' } as const;

/** The named people, each by number or by business-scoped user id. */
function namedIn(world: World, phone: Phone, call: Call): BlockedUser[] {
  if (call.bag.messaging_product !== 'whatsapp')
    throw badParameter('The parameter messaging_product is required.');
  const users = asList(call.bag.block_users) ?? [];
  if (users.length === 0) throw badParameter('The parameter block_users is required.');
  return users.map((user) => {
    const { user: to, user_id: recipient } = asBag(user) ?? {};
    const { input, waId, userId } = recipientOf(world, phone, { to, recipient });
    return { input, wa_id: waId, ...(userId === null ? {} : { user_id: userId }) };
  });
}

function list(world: World, call: Call, id: string): Record<string, unknown> {
  const blocked = [...findPhone(world, call, id).blocked.values()];
  return writePaging(
    world,
    call,
    blocked.map((user) => ({ ...product, ...user })),
  );
}

function block(world: World, call: Call, id: string): Record<string, unknown> {
  const phone = findPhone(world, call, id);
  const users = namedIn(world, phone, call);
  for (const user of users) phone.blocked.set(user.wa_id, user);
  return { ...product, block_users: { added_users: users } };
}

function unblock(world: World, call: Call, id: string): Record<string, unknown> {
  const phone = findPhone(world, call, id);
  const users = namedIn(world, phone, call);
  const removed = users.filter((user) => phone.blocked.delete(user.wa_id));
  return { ...product, block_users: { removed_users: removed } };
}
