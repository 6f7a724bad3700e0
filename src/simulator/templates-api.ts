import type { Router } from 'express';
import { asNames, asText, type Bag } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { pick } from './fields.ts';
import { param, type GraphRoute } from './graph-route.ts';
import { badParameter, missingObject, missingPermission } from './graph-error.ts';
import { timeText } from './ids.ts';
import type { Template, Waba } from './model.ts';
import { nodeTypes } from './node-types.ts';
import { writePaging } from './paging.ts';
import { createTemplate, deleteTemplates, editAfterCheck, unpauseTemplate } from './templates-change.ts';
import { hasScope } from './tokens.ts';
import type { World } from './world.ts';

/** Templates of a business account: list, create, edit, delete, within upstream's limits [upstream protocol 6]. */
export function addTemplateRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/message_templates',
    graph((call, req) => list(world, call, findWaba(world, call, param(req, 'id')))),
  );
  router.post(
    '/:id/message_templates',
    graph((call, req) => createTemplate(world, call.bag, findWaba(world, call, param(req, 'id')))),
  );
  router.delete(
    '/:id/message_templates',
    graph((call, req) => deleteTemplates(world, call.bag, findWaba(world, call, param(req, 'id')))),
  );
  router.post(
    '/:id/unpause',
    graph((call, req) => unpause(world, call, param(req, 'id'))),
  );
}

function findWaba(world: World, call: Call, id: string): Waba {
  const token = authenticate(world, call);
  const node = world.nodes.get(id);
  if (node?.type !== 'waba' || node.lost !== null) throw missingObject(id, call.method);
  // [upstream protocol 9.3] A token that was not granted the business account gets a missing permission.
  const isOurs = token.assets.has(node.id) && hasScope(token, 'whatsapp_business_management', node.id);
  if (!isOurs) throw missingPermission('whatsapp_business_management');
  return node;
}

function shown(template: Template): Record<string, unknown> {
  return {
    id: template.id,
    name: template.name,
    language: template.language,
    status: template.status,
    category: template.category,
    parameter_format: template.parameterFormat,
    components: template.components,
    quality_score: { score: template.quality, date: Math.floor(template.updatedAt / 1000) },
    rejected_reason: template.rejectedReason ?? 'NONE',
    previous_category: template.previousCategory ?? undefined,
    correct_category: template.correctCategory ?? undefined,
    last_updated_time: timeText(template.updatedAt),
  };
}

function list(world: World, call: Call, waba: Waba): Record<string, unknown> {
  const { bag } = call;
  const found = waba.templates.filter((template) => isAsked(template, bag));
  const fields = asText(bag.fields);
  const items = found.map((template) => pick(shown(template), fields, nodeTypes.template));
  const page = writePaging(world, call, items, world.settings.template_page_size);
  return bag.summary === undefined ? page : { ...page, summary: summaryOf(world, waba, found.length, bag) };
}

/** `summary=`: counts beside the page, only those that are requested [upstream protocol 9.1]. */
function summaryOf(world: World, waba: Waba, found: number, bag: Bag): Record<string, unknown> {
  const counts: Readonly<Record<string, unknown>> = {
    total_count: found,
    message_template_count: waba.templates.length,
    message_template_limit: world.settings.template_limit,
    are_translations_complete: true,
  };
  const names = asNames(bag.summary);
  const unknown = names.find((name) => !(name in counts));
  if (unknown !== undefined) throw badParameter(`Unknown summary field: ${unknown}`);
  return Object.fromEntries(names.map((name) => [name, counts[name]]));
}

function isIn(filter: unknown, value: string): boolean {
  return filter === undefined || asNames(filter).some((name) => name.toUpperCase() === value.toUpperCase());
}

function isAsked(template: Template, bag: Bag): boolean {
  const name = asText(bag.name);
  const word = asText(bag.name_or_content) ?? asText(bag.content);
  const text = `${template.name} ${JSON.stringify(template.components)}`;
  const isNamed =
    (name === undefined || template.name.includes(name)) && (word === undefined || text.includes(word));
  return (
    isNamed &&
    isIn(bag.language, template.language) &&
    isIn(bag.status, template.status) &&
    isIn(bag.category, template.category) &&
    isIn(bag.quality_score, template.quality)
  );
}

/** One template; requires the token of its account. */
export function showTemplate(world: World, call: Call, template: Template): unknown {
  findWaba(world, call, template.waba.id);
  if (template.status === 'DELETED') throw missingObject(template.id);
  return pick(shown(template), asText(call.bag.fields), nodeTypes.template);
}

/** `POST /{template_id}`. */
export function editTemplate(world: World, call: Call, template: Template): Record<string, unknown> {
  findWaba(world, call, template.waba.id);
  if (template.status === 'DELETED') throw missingObject(template.id, 'post');
  return editAfterCheck(world, call.bag, template);
}

function unpause(world: World, call: Call, id: string): Record<string, unknown> {
  const node = world.nodes.get(id);
  if (node?.type !== 'template') throw missingObject(id, 'post');
  findWaba(world, call, node.waba.id);
  return unpauseTemplate(world, node);
}
