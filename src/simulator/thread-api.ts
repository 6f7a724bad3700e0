import type { Router } from 'express';
import { asBag, asText } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { badParameter, GraphError, missingObject } from './graph-error.ts';
import type { Conversation, Page } from './model.ts';
import type { World } from './world.ts';

/** Routes to read, pass, release, take and request the control of a thread [upstream protocol 4.9]. */
export function addThreadRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/thread_owner',
    graph((call, req) => threadOwner(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/pass_thread_control',
    graph((call, req) => passOn(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/release_thread_control',
    graph((call, req) => passOn(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/take_thread_control',
    graph((call, req) => take(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/request_thread_control',
    graph((call, req) => request(world, call, param(req, 'id'))),
  );
}

/** The page with this id (or `me`), if the token is its own. Throws GraphError 190 or 100/33. */
export function findPage(world: World, call: Call, id: string): Page {
  const token = authenticate(world, call);
  const node = world.nodes.get(id === 'me' ? token.subject : id);
  if (node?.type !== 'page' || token.kind !== 'page' || token.subject !== node.id)
    throw missingObject(id, call.method);
  return node;
}

function conversationOf(world: World, page: Page, recipient: string | undefined): Conversation {
  if (recipient === undefined) throw badParameter('The parameter recipient is required');
  const person = world.nodes.get(recipient);
  const isPhoto = person?.type === 'person' && person.kind === 'photoapp';
  return world.conversation(isPhoto ? (page.photo?.id ?? page.id) : page.id, recipient);
}

function threadOwner(world: World, call: Call, id: string): Record<string, unknown> {
  const { owner } = conversationOf(world, findPage(world, call, id), asText(call.bag.recipient));
  return { data: owner === null ? [] : [{ thread_owner: { app_id: owner } }] };
}

function askedFor(world: World, call: Call, id: string): Conversation {
  return conversationOf(world, findPage(world, call, id), asText(asBag(call.bag.recipient)?.id));
}

/** Only the owner can pass a thread on: 100/2534037 for any other app. Releasing passes it to nobody. */
function passOn(world: World, call: Call, id: string): { success: true } {
  const conversation = askedFor(world, call, id);
  if (conversation.owner !== null && conversation.owner !== world.app.id) throw notOwner();
  conversation.owner = asText(call.bag.target_app_id) ?? null;
  return { success: true };
}

function take(world: World, call: Call, id: string): { success: true } {
  askedFor(world, call, id).owner = world.app.id;
  return { success: true };
}

// [upstream protocol 4.9] A successful request does not transfer control.
function request(world: World, call: Call, id: string): { success: true } {
  askedFor(world, call, id);
  return { success: true };
}

function notOwner(): GraphError {
  const message = '(#100) The app is not the thread owner';
  return new GraphError({ code: 100, subcode: 2534037, message });
}
