import type { Router } from 'express';
import { asText } from './bag.ts';
import type { Call } from './call.ts';
import { pick } from './fields.ts';
import { badParameter, missingObject } from './graph-error.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { newDigits } from './ids.ts';
import type { Persona } from './model.ts';
import { nodeTypes } from './node-types.ts';
import { writePaging } from './paging.ts';
import { findPage } from './thread-api.ts';
import type { World } from './world.ts';

/** `/{page}/personas`: names and pictures under which a page writes [upstream protocol 9.1]. */
export function addPersonaRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/personas',
    graph((call, req) => list(world, call, param(req, 'id'))),
  );
  router.post(
    '/:id/personas',
    graph((call, req) => create(world, call, param(req, 'id'))),
  );
}

function shown({ id, name, pictureUrl }: Persona): Record<string, unknown> {
  return { id, name, profile_picture_url: pictureUrl };
}

function list(world: World, call: Call, id: string): Record<string, unknown> {
  const page = findPage(world, call, id);
  const fields = asText(call.bag.fields);
  const personas = [...world.nodes.values()].filter(
    (node) => node.type === 'persona' && node.pageId === page.id,
  );
  const items = personas.flatMap((node) =>
    node.type === 'persona' ? [pick(shown(node), fields, nodeTypes.persona)] : [],
  );
  return writePaging(world, call, items);
}

function create(world: World, call: Call, id: string): { id: string } {
  const page = findPage(world, call, id);
  const name = asText(call.bag.name) ?? '';
  const pictureUrl = asText(call.bag.profile_picture_url) ?? '';
  if (name === '') throw badParameter('The parameter name is required');
  if (!URL.canParse(pictureUrl)) throw badParameter('The parameter profile_picture_url is required');
  const persona: Persona = { type: 'persona', id: newDigits('23', 16), pageId: page.id, name, pictureUrl };
  world.nodes.set(persona.id, persona);
  return { id: persona.id };
}

/** `GET /{persona_id}`; requires the token of its page. */
export function showPersona(world: World, call: Call, persona: Persona): Record<string, unknown> {
  mayUse(world, call, persona);
  return pick(shown(persona), asText(call.bag.fields), nodeTypes.persona);
}

export function deletePersona(world: World, call: Call, persona: Persona): { success: true } {
  mayUse(world, call, persona);
  world.nodes.delete(persona.id);
  return { success: true };
}

function mayUse(world: World, call: Call, persona: Persona): void {
  if (findPage(world, call, 'me').id !== persona.pageId) throw missingObject(persona.id, call.method);
}
