import type { Router } from 'express';
import { findPhone } from './accounts-api.ts';
import { asList, asText } from './bag.ts';
import type { Call } from './call.ts';
import { pick } from './fields.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { badParameter } from './graph-error.ts';
import { nodeTypes } from './node-types.ts';
import { keepAttachment } from './send-page.ts';
import { findPage } from './thread-api.ts';
import type { World } from './world.ts';

const verticalDefault = 'RETAIL';

/** Calls that clients make beside the sends: reusable attachments of pages, the business profile of a number [upstream protocol 9.1]. */
export function addMessagingRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.post(
    '/:id/message_attachments',
    graph((call, req) =>
      keepAttachment(world, findPage(world, call, param(req, 'id')), call.bag, call.files.size > 0),
    ),
  );
  router.get(
    '/:id/whatsapp_business_profile',
    graph((call, req) => showProfile(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/whatsapp_business_profile',
    graph((call, req) => changeProfile(world, call, param(req, 'id'))),
  );
}

function showProfile(world: World, call: Call, id: string): Record<string, unknown> {
  const { profile } = findPhone(world, call, id);
  const shown = { messaging_product: 'whatsapp', vertical: verticalDefault, ...profile };
  return {
    data: [
      { ...pick(shown, asText(call.bag.fields), nodeTypes.businessProfile), messaging_product: 'whatsapp' },
    ],
  };
}

const limits = { about: 139, address: 256, description: 512, email: 128, vertical: 40 } as const;

function changeProfile(world: World, call: Call, id: string): { success: true } {
  const phone = findPhone(world, call, id);
  if (call.bag.messaging_product !== 'whatsapp')
    throw badParameter('The parameter messaging_product is required.');
  const changes: Record<string, unknown> = {};
  for (const [name, limit] of Object.entries(limits)) {
    const value = asText(call.bag[name]);
    if (value !== undefined && value.length > limit)
      throw badParameter(`Param ${name} must be at most ${limit} characters long.`);
    if (value !== undefined) changes[name] = value;
  }
  const websites = asList(call.bag.websites);
  if (websites) changes.websites = websites;
  phone.profile = { ...phone.profile, ...changes };
  return { success: true };
}
