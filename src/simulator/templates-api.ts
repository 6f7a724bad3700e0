import type { Router } from 'express';
import { listOf, namesOf, textOf, type Bag } from './bag.ts';
import { authenticate, type Call } from './call.ts';
import { pageOf, pick } from './fields.ts';
import { param, type GraphRoute } from './graph-api.ts';
import { GraphError, missingObject, missingPermission } from './graph-error.ts';
import { newDigits } from './ids.ts';
import type { Template, Waba } from './model.ts';
import { changeStatus } from './template-events.ts';
import { categories, checkComponents, templateError } from './template-rules.ts';
import type { World } from './world.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const mostTemplates = 250;
const creationsPerHour = 100;
const editableStates = ['APPROVED', 'REJECTED', 'PAUSED'];
const defaults = ['id', 'name', 'language', 'status', 'category', 'parameter_format', 'components'];

/** Templates of a business account: list, create, edit, delete, within upstream's limits [upstream protocol 6]. */
export function addTemplateRoutes(router: Router, graph: GraphRoute, world: World): void {
  router.get(
    '/:id/message_templates',
    graph((call, req) => list(world, call, wabaOf(world, call, param(req, 'id')))),
  );
  router.post(
    '/:id/message_templates',
    graph((call, req) => create(world, call, wabaOf(world, call, param(req, 'id')))),
  );
  router.delete(
    '/:id/message_templates',
    graph((call, req) => remove(world, call, wabaOf(world, call, param(req, 'id')))),
  );
  router.post(
    '/:id/unpause',
    graph((call, req) => unpause(world, call, param(req, 'id'))),
  );
}

function wabaOf(world: World, call: Call, id: string): Waba {
  const token = authenticate(world, call);
  const node = world.nodes.get(id);
  if (node?.type !== 'waba') throw missingObject(id, call.method);
  // [upstream protocol 9.3] A business account the token was not given for is refused as a permission.
  const isOurs = token.assets.has(node.id) && token.scopes.includes('whatsapp_business_management');
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
    quality_score: { score: 'UNKNOWN', date: Math.floor(template.updatedAt / 1000) },
    rejected_reason: template.rejectedReason ?? 'NONE',
    previous_category: template.previousCategory ?? undefined,
    last_updated_time: new Date(template.updatedAt).toISOString().replace(/\.\d+Z$/, '+0000'),
  };
}

function list(world: World, { bag, version }: Call, waba: Waba): Record<string, unknown> {
  const found = waba.templates.filter((template) => template.status !== 'DELETED' && isAsked(template, bag));
  const fields = textOf(bag.fields);
  const asked = Number(textOf(bag.limit) ?? '25') || 25;
  const limit = Math.max(1, Math.min(asked, world.settings.template_page_size));
  return pageOf(
    found.map((template) => pick(shown(template), fields, defaults)),
    limit,
    textOf(bag.after),
    (after) =>
      `${world.publicUrl}/${version}/${waba.id}/message_templates?${query({ ...bag, limit: String(limit), after })}`,
  );
}

function query(bag: Bag): string {
  const secret = ['access_token', 'appsecret_proof'];
  const members = Object.entries(bag).filter(([name]) => !secret.includes(name));
  return new URLSearchParams(
    members.map(([name, value]): [string, string] => [name, textOf(value) ?? '']),
  ).toString();
}

function isIn(filter: unknown, value: string): boolean {
  return filter === undefined || namesOf(filter).some((name) => name.toUpperCase() === value.toUpperCase());
}

function isAsked(template: Template, bag: Bag): boolean {
  const name = textOf(bag.name);
  const word = textOf(bag.name_or_content) ?? textOf(bag.content);
  const text = `${template.name} ${JSON.stringify(template.components)}`;
  const isNamed =
    (name === undefined || template.name.includes(name)) && (word === undefined || text.includes(word));
  return (
    isNamed &&
    isIn(bag.language, template.language) &&
    isIn(bag.status, template.status) &&
    isIn(bag.category, template.category)
  );
}

function create(world: World, { bag }: Call, waba: Waba): Record<string, unknown> {
  const name = textOf(bag.name) ?? '';
  const language = textOf(bag.language) ?? '';
  const category = textOf(bag.category)?.toUpperCase() ?? '';
  const format = textOf(bag.parameter_format)?.toUpperCase() === 'NAMED' ? 'NAMED' : 'POSITIONAL';
  checkRate(world, waba);
  if (!/^[a-z0-9_]{1,512}$/.test(name))
    throw templateError(
      undefined,
      'Invalid parameter',
      'The name has only lowercase letters, digits and underscores.',
    );
  if (!/^[a-z]{2,3}(_[A-Z]{2})?$/.test(language))
    throw templateError(undefined, 'Invalid parameter', `The language ${language} is not supported.`);
  if (!categories.includes(category))
    throw templateError(
      undefined,
      'Invalid parameter',
      `Param category must be one of {${categories.join(', ')}}.`,
    );
  const components = checkComponents(bag.components, category, format);
  checkFree(world, waba, name, language);
  const template: Template = {
    type: 'template',
    id: newDigits('9', 17),
    waba,
    name,
    language,
    parameterFormat: format,
    status: 'PENDING',
    category,
    previousCategory: null,
    components,
    rejectedReason: null,
    updatedAt: world.now(),
    edits: [],
  };
  waba.templates.push(template);
  world.nodes.set(template.id, template);
  reviewLater(world, template);
  return { id: template.id, status: template.status, category: template.category };
}

function checkRate(world: World, waba: Waba): void {
  waba.creations = waba.creations.filter((at) => world.now() - at < hourMs);
  if (waba.creations.length >= creationsPerHour) throw new GraphError({ code: 80008, isTransient: true });
  waba.creations.push(world.now());
}

function checkFree(world: World, waba: Waba, name: string, language: string): void {
  const living = waba.templates.filter((template) => template.status !== 'DELETED');
  if ((waba.blockedNames.get(name) ?? 0) > world.now()) {
    throw templateError(
      2388023,
      'Message template language is being deleted',
      'New content cannot be added while the existing content is being deleted. Try again in 4 weeks or use another name.',
    );
  }
  if (living.some((template) => template.name === name && template.language === language)) {
    throw templateError(
      2388024,
      'Content in this language already exists',
      `There is already ${language} content for this template.`,
    );
  }
  if (living.length >= mostTemplates)
    throw templateError(2388019, 'Template limit reached', `At most ${mostTemplates} templates.`);
}

function reviewLater(world: World, template: Template): void {
  const ms = world.settings.template_review_ms;
  if (ms !== null) world.later(ms, () => void changeStatus(world, template, 'APPROVED', {}));
}

/** One template; its account's token is needed. */
export function showTemplate(world: World, call: Call, template: Template): unknown {
  wabaOf(world, call, template.waba.id);
  if (template.status === 'DELETED') throw missingObject(template.id);
  return pick(shown(template), textOf(call.bag.fields), defaults);
}

/** Replaces components or category; back to review afterwards [upstream protocol 6.3]. */
export function editTemplate(world: World, call: Call, template: Template): { success: true } {
  wabaOf(world, call, template.waba.id);
  const { bag } = call;
  const category = textOf(bag.category)?.toUpperCase();
  if (template.status === 'DELETED') throw missingObject(template.id, 'post');
  if (!editableStates.includes(template.status))
    throw cannotEdit('The template is in review or cannot be changed.');
  if (category !== undefined && !categories.includes(category))
    throw templateError(undefined, 'Invalid parameter', 'Unknown category.');
  if (template.status === 'APPROVED') {
    if (category !== undefined && category !== template.category)
      throw templateError(
        undefined,
        'Invalid parameter',
        'The category of an approved template cannot be changed.',
      );
    countEdit(world, template);
  }
  if (bag.components !== undefined)
    template.components = checkComponents(
      bag.components,
      category ?? template.category,
      template.parameterFormat,
    );
  template.category = category ?? template.category;
  template.status = 'PENDING';
  template.updatedAt = world.now();
  reviewLater(world, template);
  return { success: true };
}

function countEdit(world: World, template: Template): void {
  const now = world.now();
  template.edits = template.edits.filter((at) => now - at < 30 * dayMs);
  const isTooOften = template.edits.length >= 10 || template.edits.some((at) => now - at < dayMs);
  if (isTooOften)
    throw cannotEdit('Approved templates can be edited once in 24 hours and ten times in 30 days.');
  template.edits.push(now);
}

function cannotEdit(userMessage: string): GraphError {
  return templateError(2388039, 'Message template cannot be edited', userMessage);
}

function remove(world: World, { bag }: Call, waba: Waba): { success: true } {
  const name = textOf(bag.name);
  const ids = [
    ...(textOf(bag.hsm_id) === undefined ? [] : [textOf(bag.hsm_id) ?? '']),
    ...(listOf(bag.hsm_ids) ?? []).map((id) => textOf(id) ?? ''),
  ];
  if (name === undefined && listOf(bag.hsm_ids) === undefined)
    throw templateError(undefined, 'Invalid parameter', 'The parameter name is required.');
  const doomed = waba.templates.filter(
    (template) =>
      template.status !== 'DELETED' &&
      (name === undefined || template.name === name) &&
      (ids.length === 0 || ids.includes(template.id)),
  );
  if (doomed.length === 0)
    throw templateError(
      2593002,
      'Template not found',
      'The message template you are trying to delete does not exist.',
    );
  if (doomed.some((template) => template.status === 'DISABLED'))
    throw cannotEdit('A disabled template cannot be deleted.');
  for (const template of doomed) {
    if (template.status === 'APPROVED') waba.blockedNames.set(template.name, world.now() + 30 * dayMs);
    template.status = 'DELETED';
  }
  waba.templates.splice(0, Infinity, ...waba.templates.filter((template) => template.status !== 'DELETED'));
  return { success: true };
}

function unpause(world: World, call: Call, id: string): { success: true } {
  const node = world.nodes.get(id);
  if (node?.type !== 'template') throw missingObject(id, 'post');
  wabaOf(world, call, node.waba.id);
  changeStatus(world, node, 'APPROVED', {});
  return { success: true };
}
