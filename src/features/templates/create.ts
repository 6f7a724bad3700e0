import { checkComponents } from './rules/check-components.ts';
import { isLanguageCode, languageProblem } from './rules/languages.ts';
import { creationWindows, limitKeys } from '../../rules/templates/limits.ts';
import { makeTemplateId } from './rules/diff.ts';
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import { toIso } from '../../kernel/clock.ts';
import { Fault, fault, fieldFault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import { audit } from '../audit/index.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { storedOrSynced, withinLimit } from './upstream-limits.ts';
import { callingChannel } from './find.ts';
import { templateSnapshot } from './snapshot.ts';
import type { TemplateDraft } from './types.ts';
import type { NewTemplate } from '../../upstream/template-calls.ts';

/**
 * Submits a template for review. Throws 422 `validation` before the upstream call (after it for a language that upstream does not have),
 * 400 `template_name_blocked`, 429 `template_limit`, and upstream's faults: 400 `upstream_refused`, 429 `upstream_busy`, 502
 * `upstream_failed`. [spec: TemplateCreateRequest; Template status; Limits]
 */
export async function createTemplate(
  given: World,
  caller: Caller,
  channelId: string,
  draft: TemplateDraft,
): Promise<Template> {
  const world = underRequest(given, caller.requestId);
  const { channel, owner } = await callingChannel(world, caller, channelId);
  const { components: drafted, ...rest } = draft;
  if (!isLanguageCode(draft.language)) refuseLanguage(draft, 'string_pattern_mismatch');
  const components = checkComponents(drafted, draft);
  await refuseBlockedName(world, owner, draft);
  const limit = {
    key: limitKeys.creations(owner.businessAccountId),
    windows: creationWindows(world.settings),
    what: 'Upstream lets a business account create 100 templates an hour; the next can be created',
    countsUnanswered: true,
  };
  const template = await storedOrSynced(world, owner, async () => {
    const created = await withinLimit(world, owner, limit, () =>
      world.upstreamTemplates.create(channel, { ...rest, components }),
    ).catch((thrown: unknown) => {
      const said = unexplained(thrown);
      if (said !== null) refuseLanguage(draft, 'value_error', said);
      throw thrown;
    });
    return keepCreated(world, owner, { ...rest, components }, created);
  });
  await audit(world, caller.by, 'template.created', null, templateSnapshot(template));
  return template;
}

async function keepCreated(
  { stores, clock }: World,
  owner: TemplateOwner,
  asked: NewTemplate,
  created: Pick<Template, 'upstreamId' | 'status' | 'category'>,
): Promise<Template> {
  const now = clock.now();
  const template: Template = {
    ...asked,
    ...created,
    ...owner,
    id: makeTemplateId(owner, created.upstreamId),
    status: inReview,
    quality: null,
    rejectedReason: null,
    syncedAt: now,
    createdAt: now,
  };
  const isNew = await stores.templates.put(template, now);
  // Upstream may decide at once, and then no webhook says so, or it was about what was replaced. [operator-interface §4]
  if (created.status !== inReview || !isNew) await stores.templates.askForSync(owner, now);
  return template;
}

/** [spec: Template status] The status of every new template. */
const inReview = 'PENDING';

/** Throws 422 with the languages that may be meant, and `said` by upstream, unless upstream lists this one. */
function refuseLanguage({ language }: TemplateDraft, type: string, said?: string): void {
  const problem = languageProblem(language);
  if (problem === null) return;
  const both = said === undefined ? problem : `${problem}. Upstream said: ${said}`;
  throw fieldFault(['body', 'language'], both, type);
}

/** Upstream's words if a value may be wrong, and no subcode says which other thing is; otherwise null. [upstream §6.4] */
function unexplained(thrown: unknown): string | null {
  if (!(thrown instanceof Fault) || thrown.code !== 'upstream_refused') return null;
  const { why, upstreamCode, upstreamSubcode } = thrown.details;
  return upstreamCode === 100 && upstreamSubcode === null ? String(why) : null;
}

/** Refuses before the upstream call, because upstream's refusal would not contain the time. [spec: Limits] */
async function refuseBlockedName(
  world: World,
  { businessAccountId }: TemplateOwner,
  { name, language }: TemplateDraft,
): Promise<void> {
  const keys = [
    limitKeys.name(businessAccountId, name),
    limitKeys.language(businessAccountId, name, language),
  ];
  const uses = await Promise.all(keys.map((key) => world.stores.templateLimits.lastUse(key)));
  const deletedAt = Math.max(...uses.map((at) => at ?? -Infinity));
  const freeAt = deletedAt + world.settings.templateNameBlockMs;
  if (freeAt > world.clock.now()) throw fault('template_name_blocked', { name, at: toIso(freeAt) });
}
