import type { Template } from '../../domain/templates/template.ts';
import { limitKeys } from '../../domain/templates/limits.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import { counted } from './counted.ts';
import { callingChannel, noSuchTemplate } from './find.ts';
import { forgetForSend } from './for-send.ts';

/**
 * Deletes one language version, or every one of the template's name. Throws 404 `not_found`, also for one that is deleted already, and
 * what upstream says. [operator-interface §4]
 */
export async function deleteTemplate(
  deps: UseCaseDeps,
  caller: Caller,
  channelId: string,
  templateId: string,
  { allLanguages }: { allLanguages: boolean },
): Promise<void> {
  const { channel, owner } = await callingChannel(deps, caller, channelId);
  const template = await deps.stores.templates.byId(owner, templateId);
  if (template === null) throw noSuchTemplate();
  const { name, upstreamId } = template;
  const versions = await deps.stores.templates.byName(owner, name);
  const doomed = allLanguages ? versions : [template];
  await counted(deps, owner, null, () =>
    deps.upstreamTemplates.remove(channel, name, allLanguages ? null : upstreamId),
  );
  const now = deps.clock.now();
  // First: a crash after it leaves a template that a second DELETE takes away.
  const ids = doomed.map(({ id }) => id);
  await blockNames(deps, doomed, { isLast: versions.every(({ id }) => ids.includes(id)), now });
  await deps.stores.templates.remove(owner, ids, now);
  for (const each of doomed) forgetForSend(deps, owner, each);
}

/**
 * Of approved ones: each blocks its language, and the name once nothing of it is left, also where the last to go was never approved.
 * [spec: Limits; operator-interface §4]
 */
async function blockNames(
  { stores }: UseCaseDeps,
  doomed: readonly Template[],
  { isLast, now }: { isLast: boolean; now: number },
): Promise<void> {
  const block = (key: string, at: number) => stores.templateLimits.take(key, { id: newId(), at }, []);
  for (const { businessAccountId, name, language } of doomed.filter(({ status }) => status === 'APPROVED')) {
    await block(limitKeys.language(businessAccountId, name, language), now);
    await block(limitKeys.deleted(businessAccountId, name), now);
  }
  const [last] = doomed;
  if (!isLast || last === undefined) return;
  const { businessAccountId, name } = last;
  const deletedAt = await stores.templateLimits.lastUse(limitKeys.deleted(businessAccountId, name));
  if (deletedAt !== null) await block(limitKeys.name(businessAccountId, name), deletedAt);
}
