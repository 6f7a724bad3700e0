import type { Channel } from '../../rules/channels/channel.ts';
import { requireNumber } from '../../rules/channels/chatapp.ts';
import { passesCode } from './rules/sendable.ts';
import { toTemplateOwner } from '../../rules/templates/owner.ts';
import { isSendable } from '../../rules/templates/template.ts';
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import type { Fault } from '../../kernel/faults.ts';
import { fault, valueFault } from '../../kernel/faults.ts';
import { isId } from '../../kernel/ids.ts';
import { noSuchTemplate } from './find.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { syncedAgain } from './ask-again.ts';
import type { SyncWorld } from './sync.ts';
import { makeKey } from './template-cache.ts';
import { mediaUrlProblem } from '../../rules/messages/media-url.ts';
import { fillTemplate } from './rules/fill.ts';
import type { FilledTemplate, GivenVariables, UnfilledTemplate } from '../../rules/templates/filled.ts';

export type SendTemplates = SyncWorld & Pick<World, 'log' | 'upstreamUnder'>;

interface WantedTemplate {
  name: string;
  language: string;
  requestId?: string | undefined;
}

/**
 * The approved template with this name and language, unfilled. If it is not stored as approved, upstream is asked, at most every
 * `askAgainMs`. Throws 400 `wrong_channel_type`, 404 `not_found`, 400 `template_not_approved`. [spec: Template status]
 */
export async function templateForSend(
  world: SendTemplates,
  channel: Channel,
  wanted: WantedTemplate,
): Promise<Template> {
  const owner = toTemplateOwner(channel);
  return world.templateCache.find(makeKey(owner, wanted), () => findApproved(world, channel, owner, wanted));
}

/** Whether the fault is a failed look-up upstream. */
export function isLookUpFailure({ code }: Fault): boolean {
  return code === 'upstream_refused' || code === 'upstream_busy' || code === 'upstream_failed';
}

/** Upstream's error code of a failed look-up. */
export function readUpstreamCode({ details }: Fault): number | null {
  const code = details['upstreamCode'];
  return typeof code === 'number' ? code : null;
}

async function findApproved(
  world: SendTemplates,
  channel: Channel,
  owner: TemplateOwner,
  wanted: WantedTemplate,
): Promise<Template> {
  let found = await findVersion(world, owner, wanted);
  if (
    (found === null || !isSendable(found)) &&
    (await syncedAgain(underRequest(world, wanted.requestId), channel, owner, found !== null))
  )
    found = await findVersion(world, owner, wanted);
  if (found === null) throw noSuchTemplate(await languagesOf(world, owner, wanted));
  if (!isSendable(found)) throw fault('template_not_approved', { status: found.status });
  return found;
}

/** The newest, in case upstream has two. */
async function findVersion(
  world: SendTemplates,
  owner: TemplateOwner,
  { name, language }: Pick<Template, 'name' | 'language'>,
): Promise<Template | null> {
  const versions = await world.stores.templates.byName(owner, name);
  const found = versions.filter((version) => version.language === language);
  return found.find(isSendable) ?? found.at(-1) ?? null;
}

/** At most those that an error has room for. */
async function languagesOf(
  world: SendTemplates,
  owner: TemplateOwner,
  { name }: WantedTemplate,
): Promise<string[]> {
  const versions = await world.stores.templates.byName(owner, name);
  return [...new Set(versions.map(({ language }) => language))].toSorted().slice(0, 20);
}

interface LinkRules {
  settings: Pick<World['settings'], 'allowInsecure' | 'ownHosts'>;
}

export type FillWorld = SendTemplates & LinkRules;

/**
 * Finds the template and fills its variables. Throws the faults of `templateForSend`, 422 `validation`, and with `recipient` 400
 * `invalid_recipient` if the template cannot go to it.
 */
export async function fillForSend(
  world: FillWorld,
  channel: Channel,
  { name, language, variables }: UnfilledTemplate,
  { requestId, recipient }: { requestId: string | undefined; recipient?: string },
): Promise<FilledTemplate> {
  const template = await templateForSend(world, channel, { name, language, requestId });
  if (recipient !== undefined && passesCode(template)) requireNumber(recipient);
  return filledTemplate(world, template, variables);
}

/** Throws 422 `validation` for wrong variables. URLs of header files are checked as those of `send-media`: upstream fetches both. */
function filledTemplate(
  { settings }: LinkRules,
  stored: Template,
  variables: GivenVariables | null,
): FilledTemplate {
  const template = fillTemplate(stored, variables);
  checkLinks(settings, template.header, { given: variables?.header, at: ['body', 'variables', 'header'] });
  for (const [place, { header }] of (template.cards ?? []).entries())
    checkLinks(settings, header, {
      given: variables?.cards?.[place]?.header,
      at: ['body', 'variables', 'cards', place, 'header'],
    });
  return template;
}

function checkLinks(
  settings: LinkRules['settings'],
  header: FilledTemplate['header'],
  { given, at }: { given: GivenVariables['header']; at: (string | number)[] },
): void {
  for (const [place, parameter] of header.entries()) {
    if (!('link' in parameter)) continue;
    const { type, link } = parameter;
    // No link is like the id of an upload, also in capitals.
    const problem = isId(link.toLowerCase())
      ? 'must be a link: a media_id is not taken in a template'
      : mediaUrlProblem(link, settings);
    if (problem !== null) throw valueFault([...at, Array.isArray(given) ? place : type], problem);
  }
}
