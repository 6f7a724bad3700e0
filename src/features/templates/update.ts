import { checkComponents } from './rules/check-components.ts';
import { editWindows, limitKeys } from '../../rules/templates/limits.ts';
import { canChangeCategory, isEditable } from '../../rules/templates/template.ts';
import type { Template, TemplateCategory, TemplateOwner } from '../../rules/templates/template.ts';
import { fault, valueFault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import { audit } from '../audit/index.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { storedOrSynced, withinLimit } from './upstream-limits.ts';
import type { Limit } from './upstream-limits.ts';
import { syncedAgain } from './ask-again.ts';
import { callingChannel, noSuchTemplate, withSyncTime } from './find.ts';
import type { TemplateChannel } from './find.ts';
import { templateSnapshot } from './snapshot.ts';
import { forgetForSend } from './template-cache.ts';
import type { TemplateEdit } from './types.ts';

/**
 * Replaces all components, and the category of a rejected or paused template; starts a new review. Throws 400 `template_not_editable`,
 * 422 `validation`, 429 `template_limit`, and upstream's faults. [spec: Template status; TemplateUpdateRequest]
 */
export async function updateTemplate(
  given: World,
  caller: Caller,
  channelId: string,
  templateId: string,
  edit: TemplateEdit,
): Promise<Template> {
  const world = underRequest(given, caller.requestId);
  const { channel, owner } = await callingChannel(world, caller, channelId);
  const { templates } = world.stores;
  const template = await templateForEdit(world, { channel, owner }, templateId, edit.category);
  const sync = await templates.sync(owner);
  if (!isEditable(template)) throw fault('template_not_editable', { status: template.status });
  const category = newCategory(template, edit.category);
  const rules = { category: category ?? template.category, parameterFormat: template.parameterFormat };
  const components = checkComponents(edit.components, rules);
  const change = { status: 'PENDING', category: rules.category, components };
  const changed = await storedOrSynced(world, owner, async () => {
    await withinLimit(world, owner, findLimit(world, owner, template), () =>
      world.upstreamTemplates.edit(channel, template.upstreamId, { components, category }),
    );
    return templates.edited(owner, templateId, change, world.clock.now());
  });
  // null: the template was removed meanwhile.
  if (changed !== null)
    await audit(
      world,
      caller.by,
      'template.updated',
      templateSnapshot(changed.before),
      templateSnapshot(changed.after),
    );
  forgetForSend(world, owner, template);
  return withSyncTime({ ...template, ...change, rejectedReason: null }, sync);
}

/** The stored template. If its status rules out the edit, upstream is asked first, at most every `askAgainMs`. */
async function templateForEdit(
  world: World,
  { channel, owner }: TemplateChannel,
  templateId: string,
  category: TemplateCategory | null,
): Promise<Template> {
  const stored = await findTemplate(world, owner, templateId);
  if (allowsEdit(stored, category) || !(await syncedAgain(world, channel, owner, true))) return stored;
  return findTemplate(world, owner, templateId);
}

async function findTemplate({ stores }: World, owner: TemplateOwner, templateId: string): Promise<Template> {
  const template = await stores.templates.byId(owner, templateId);
  if (template === null) throw noSuchTemplate();
  return template;
}

function allowsEdit(template: Template, category: TemplateCategory | null): boolean {
  const isSame = category === null || category === template.category;
  return isEditable(template) && (isSame || canChangeCategory(template));
}

/** null: unchanged, also if the present category is asked for. */
function newCategory(template: Template, asked: TemplateCategory | null): TemplateCategory | null {
  if (asked === null || asked === template.category) return null;
  if (canChangeCategory(template)) return asked;
  throw valueFault(
    ['body', 'category'],
    `the category of a template with status ${template.status} cannot change; only the category of REJECTED and PAUSED templates can`,
  );
}

/** null for rejected and paused templates, whose edits are unlimited. [upstream §6.3] */
function findLimit(world: World, owner: TemplateOwner, template: Template): Limit | null {
  if (template.status !== 'APPROVED') return null;
  return {
    key: limitKeys.edits(owner.businessAccountId, template.upstreamId),
    windows: editWindows(world.settings),
    what: 'Upstream lets an approved template be edited once in 24 hours and 10 times in 30 days; this template can be edited again',
    // A 502 says that a retry may help: not in 24 hours. If the edit took effect, upstream refuses the retry itself.
    countsUnanswered: false,
  };
}
