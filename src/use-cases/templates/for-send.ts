import type { Channel } from '../../domain/channels/channel.ts';
import { isSendable } from '../../domain/templates/template.ts';
import type { Template } from '../../domain/templates/template.ts';
import { Fault, fault } from '../../kernel/faults.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { TemplateOwner } from '../ports/templates.ts';
import { noSuchTemplate, toTemplateOwner } from './find.ts';
import { inRequestScope } from '../request-scope.ts';
import { syncTemplates } from './sync.ts';
import type { SyncDeps } from './sync.ts';

export type SendTemplates = SyncDeps & Pick<UseCaseDeps, 'templateCache' | 'log' | 'upstreamUnder'>;

interface WantedTemplate {
  name: string;
  language: string;
  requestId?: string | undefined;
}

/** A client that sends what nobody knows, or looks at what was never told, makes upstream be asked this often at most. */
export const askAgainMs = 30_000;

/**
 * The approved template of this name and language, as it is. One that is not known as approved is asked for
 * upstream, once in a while. Throws 400 `wrong_channel_type`, 404 `not_found`, 400 `template_not_approved`. [spec: Template status]
 */
export async function templateForSend(
  deps: SendTemplates,
  channel: Channel,
  wanted: WantedTemplate,
): Promise<Template> {
  const owner = toTemplateOwner(channel);
  return deps.templateCache.find(makeKey(owner, wanted), () => findApproved(deps, channel, owner, wanted));
}

/** This node has changed it or deleted it: its sends ask the store again. The other nodes know within a second. */
export function forgetForSend(
  { templateCache }: Pick<UseCaseDeps, 'templateCache'>,
  owner: TemplateOwner,
  template: WantedTemplate,
): void {
  templateCache.forget(makeKey(owner, template));
}

/** A name may hold anything: its length says where it ends. */
function makeKey(
  { accountId, businessAccountId }: TemplateOwner,
  { name, language }: WantedTemplate,
): string {
  return `${accountId} ${businessAccountId} ${name.length} ${name} ${language}`;
}

/** Upstream, asked for a template, did not tell it. */
export function isLookUpFailure({ code }: Fault): boolean {
  return code === 'upstream_refused' || code === 'upstream_busy' || code === 'upstream_failed';
}

/** What upstream said when it did not. */
export function readUpstreamCode({ details }: Fault): number | null {
  const code = details['upstreamCode'];
  return typeof code === 'number' ? code : null;
}

async function findApproved(
  deps: SendTemplates,
  channel: Channel,
  owner: TemplateOwner,
  wanted: WantedTemplate,
): Promise<Template> {
  let found = await findVersion(deps, owner, wanted);
  if (
    (found === null || !isSendable(found)) &&
    (await hasAskedAgain(inRequestScope(deps, wanted.requestId), channel, owner, found !== null))
  )
    found = await findVersion(deps, owner, wanted);
  if (found === null) throw noSuchTemplate();
  if (!isSendable(found)) throw fault('template_not_approved', { status: found.status });
  return found;
}

/** The youngest, should upstream ever have two. */
async function findVersion(
  deps: SendTemplates,
  owner: TemplateOwner,
  { name, language }: Pick<Template, 'name' | 'language'>,
): Promise<Template | null> {
  const versions = await deps.stores.templates.byName(owner, name);
  const found = versions.filter((version) => version.language === language);
  return found.find(isSendable) ?? found.at(-1) ?? null;
}

async function hasAskedAgain(
  deps: SendTemplates,
  channel: Channel,
  owner: TemplateOwner,
  isKnown: boolean,
): Promise<boolean> {
  const sync = await deps.stores.templates.sync(owner);
  const last = sync?.syncedAt ?? null;
  if (last !== null && deps.clock.now() - last < askAgainMs) return false;
  try {
    await syncTemplates(deps, owner, channel);
    return true;
  } catch (thrown) {
    // What is known of it stands.
    if (!(thrown instanceof Fault) || !isKnown) throw thrown;
    deps.log.warn({ channel: channel.id, code: thrown.code }, 'templates.not-synced');
    return false;
  }
}
