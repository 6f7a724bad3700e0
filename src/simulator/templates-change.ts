import { asList, asText, type Bag } from './bag.ts';
import { GraphError } from './graph-error.ts';
import { newDigits } from './ids.ts';
import type { Template, Waba } from './model.ts';
import { changeStatus } from './template-events.ts';
import { review } from './template-review.ts';
import { invalid, templateError } from './template-error.ts';
import { templateLanguages } from './template-languages.ts';
import { categories, checkComponents } from './template-rules.ts';
import type { World } from './world.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const creationsPerHour = 100;
const editableStates = ['APPROVED', 'REJECTED', 'PAUSED'];

/** Creates a template in review [upstream protocol 6.2]. Throws GraphError 100 with the subcode of the violated rule, or 80008. */
export function createTemplate(world: World, bag: Bag, waba: Waba): Record<string, unknown> {
  const name = asText(bag.name) ?? '';
  const language = asText(bag.language) ?? '';
  const category = asText(bag.category)?.toUpperCase() ?? '';
  const format = asText(bag.parameter_format)?.toUpperCase() === 'NAMED' ? 'NAMED' : 'POSITIONAL';
  checkRate(world, waba);
  checkIdentity(name, language, category);
  if (world.settings.template_languages && !templateLanguages.has(language))
    throw invalid(`The language ${language} is not supported.`);
  const components = checkComponents(bag.components, category, format, world.settings.coupon_example_limit);
  checkFree(world, waba, name, language);
  checkCategory(waba, name, category);
  const template = addTemplate(world, waba, {
    id: newDigits('9', 17),
    name,
    language,
    parameterFormat: format,
    status: 'PENDING',
    category,
    components,
    quality: 'UNKNOWN',
  });
  review(world, template);
  return { id: template.id, status: template.status, category: template.category };
}

type NewTemplate = Pick<
  Template,
  'id' | 'name' | 'language' | 'parameterFormat' | 'status' | 'category' | 'components' | 'quality'
>;

export function addTemplate(world: World, waba: Waba, fields: NewTemplate): Template {
  const template: Template = {
    type: 'template',
    waba,
    ...fields,
    previousCategory: null,
    correctCategory: null,
    rejectedReason: null,
    updatedAt: world.now(),
    edits: [],
    pauses: 0,
    isLocked: false,
  };
  waba.templates.push(template);
  world.nodes.set(template.id, template);
  return template;
}

function checkIdentity(name: string, language: string, category: string): void {
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
}

function checkRate(world: World, waba: Waba): void {
  waba.creations = waba.creations.filter((at) => world.now() - at < hourMs);
  if (waba.creations.length >= creationsPerHour) {
    const [oldest = world.now()] = waba.creations;
    const regainMinutes = Math.ceil((oldest + hourMs - world.now()) / 60_000);
    throw new GraphError({ code: 80008, isTransient: true, regainMinutes, usageId: waba.businessId });
  }
  waba.creations.push(world.now());
}

function checkFree(world: World, waba: Waba, name: string, language: string): void {
  const versions = waba.templates.filter((template) => template.name === name);
  const doomed = versions.filter(({ status }) => status === 'PENDING_DELETION');
  const isWhole = doomed.length > 0 && doomed.length === versions.length;
  if (isWhole || doomed.some((version) => version.language === language)) {
    throw templateError(
      2388025,
      'Message template is being deleted',
      'The name and language are in the deletion flow. Use another name.',
    );
  }
  const blockedUntil = [name, `${name}/${language}`].map((key) => waba.blockedNames.get(key) ?? 0);
  if (Math.max(...blockedUntil) > world.now()) {
    throw templateError(
      2388023,
      'Message template language is being deleted',
      'New content cannot be added while the existing content is being deleted. Try again in 4 weeks or use another name.',
    );
  }
  if (versions.some((version) => version.language === language)) {
    throw templateError(
      2388024,
      'Content in this language already exists',
      `There is already ${language} content for this template.`,
    );
  }
  const { template_limit: limit } = world.settings;
  if (waba.templates.length >= limit)
    throw templateError(2388019, 'Template limit reached', `At most ${limit} templates.`);
}

// [upstream protocol 6.3] All languages of a name share the category.
function checkCategory(waba: Waba, name: string, category: string): void {
  const other = waba.templates.find((template) => template.name === name);
  if (other === undefined || other.category === category) return;
  throw templateError(
    undefined,
    'Invalid parameter',
    `The category of ${name} is ${other.category} in its other languages.`,
  );
}

/** Replaces components or category and returns the template to review [upstream protocol 6.3]. */
export function editAfterCheck(world: World, bag: Bag, template: Template): Record<string, unknown> {
  const category = asText(bag.category)?.toUpperCase();
  if (!editableStates.includes(template.status) || template.isLocked)
    throw cannotEdit('The template is in review or cannot be changed.');
  if (category !== undefined && !categories.includes(category))
    throw templateError(undefined, 'Invalid parameter', 'Unknown category.');
  const isApproved = template.status === 'APPROVED';
  if (isApproved && category !== undefined && category !== template.category)
    throw templateError(
      undefined,
      'Invalid parameter',
      'The category of an approved template cannot be changed.',
    );
  const { parameterFormat } = template;
  const components =
    bag.components === undefined
      ? template.components
      : checkComponents(
          bag.components,
          category ?? template.category,
          parameterFormat,
          world.settings.coupon_example_limit,
        );
  if (isApproved) countEdit(world, template);
  template.components = components;
  template.category = category ?? template.category;
  template.status = 'PENDING';
  template.updatedAt = world.now();
  review(world, template);
  return { success: true, id: template.id, name: template.name, category: template.category };
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

/** Deletes by name (all languages), by name and `hsm_id` (one), or by `hsm_ids` [upstream protocol 6.3]. */
export function deleteTemplates(world: World, bag: Bag, waba: Waba): { success: true } {
  const name = asText(bag.name);
  const ids = [
    ...(asText(bag.hsm_id) === undefined ? [] : [asText(bag.hsm_id) ?? '']),
    ...(asList(bag.hsm_ids) ?? []).map((id) => asText(id) ?? ''),
  ];
  if (name === undefined && asList(bag.hsm_ids) === undefined)
    throw templateError(undefined, 'Invalid parameter', 'The parameter name is required.');
  const doomed = waba.templates.filter(
    (template) =>
      (name === undefined || template.name === name) && (ids.length === 0 || ids.includes(template.id)),
  );
  if (doomed.length === 0)
    throw templateError(
      2593002,
      'Template not found',
      'The message template you are trying to delete does not exist.',
    );
  if (doomed.some((template) => template.status === 'DISABLED'))
    throw cannotEdit('A disabled template cannot be deleted.');
  for (const template of doomed) deleteOne(world, template);
  return { success: true };
}

function deleteOne(world: World, template: Template): void {
  const { template_deletion_ms: lingersMs } = world.settings;
  const isLingering = template.status === 'APPROVED' && lingersMs > 0;
  if (template.status === 'APPROVED') blockName(world, template);
  if (!isLingering) return forget(template);
  changeStatus(world, template, 'PENDING_DELETION', {});
  world.later(lingersMs, () => {
    changeStatus(world, template, 'DELETED', {});
    forget(template);
  });
}

// Deleting a language blocks that language; deleting the last one blocks the name.
function blockName(world: World, template: Template): void {
  const { waba, name, language } = template;
  const isLast = !waba.templates.some((other) => other !== template && other.name === name);
  const until = world.now() + 30 * dayMs;
  waba.blockedNames.set(`${name}/${language}`, until);
  if (isLast) waba.blockedNames.set(name, until);
}

function forget(template: Template): void {
  template.status = 'DELETED';
  const place = template.waba.templates.indexOf(template);
  if (place >= 0) template.waba.templates.splice(place, 1);
}

/** `POST /{template_id}/unpause`. */
export function unpauseTemplate(world: World, template: Template): Record<string, unknown> {
  if (template.status !== 'PAUSED') return { success: false, reason: 'The template is not paused.' };
  changeStatus(world, template, 'REINSTATED', { other_info: { title: 'UNPAUSE', description: '' } });
  return { success: true };
}
