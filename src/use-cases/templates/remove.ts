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
  const doomed = allLanguages ? await deps.stores.templates.byName(owner, name) : [template];
  await counted(deps, owner, null, () =>
    deps.upstreamTemplates.remove(channel, name, allLanguages ? null : upstreamId),
  );
  const now = deps.clock.now();
  // First: a crash after it leaves a template that a second DELETE takes away.
  if (doomed.some(({ status }) => status === 'APPROVED')) {
    const key = limitKeys.name(owner.businessAccountId, name);
    await deps.stores.templateLimits.take(key, { id: newId(), at: now }, []);
  }
  const ids = doomed.map(({ id }) => id);
  await deps.stores.templates.remove(owner, ids, now);
  for (const each of doomed) forgetForSend(deps, owner, each);
}
