import type { Template } from '../../rules/templates/template.ts';
import { limitKeys } from '../../rules/templates/limits.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../../rules/caller.ts';
import { audit } from '../audit/index.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { storedOrSynced, withinLimit } from './upstream-limits.ts';
import { callingChannel, noSuchTemplate } from './find.ts';
import { templateSnapshot } from './snapshot.ts';
import { forgetForSend } from './template-cache.ts';

/**
 * Deletes one language version, or all versions of the template's name. Throws 404 `not_found`, also if deleted already, and
 * upstream's faults. [operator-interface §4]
 */
export async function deleteTemplate(
  given: World,
  caller: Caller,
  channelId: string,
  templateId: string,
  { allLanguages }: { allLanguages: boolean },
): Promise<void> {
  const world = underRequest(given, caller.requestId);
  const { channel, owner } = await callingChannel(world, caller, channelId);
  const template = await world.stores.templates.byId(owner, templateId);
  if (template === null) throw noSuchTemplate();
  const { name, upstreamId } = template;
  const versions = await world.stores.templates.byName(owner, name);
  const removed = allLanguages ? versions : [template];
  const gone = await storedOrSynced(world, owner, async () => {
    await withinLimit(world, owner, null, () =>
      world.upstreamTemplates.remove(channel, name, allLanguages ? null : upstreamId),
    );
    const now = world.clock.now();
    // Before the removal: after a crash in between, a second DELETE can remove the template.
    const ids = removed.map(({ id }) => id);
    const isLast = versions.every(({ id }) => ids.includes(id));
    await blockNames(world, removed, { isLast, now });
    const deleted = await world.stores.templates.remove(owner, ids, now);
    // Of two calls that delete the last two versions at once each has seen the other's.
    if (!isLast && (await world.stores.templates.byName(owner, name)).length === 0)
      await blockName(world, template);
    return deleted;
  });
  const shown = gone.find(({ id }) => id === templateId) ?? gone[0];
  if (shown !== undefined) await audit(world, caller.by, 'template.deleted', templateSnapshot(shown), null);
  for (const each of removed) forgetForSend(world, owner, each);
}

/**
 * Records the name block of deleted approved templates: each blocks its language, and also the name once no version is left, even if
 * the last deleted version was never approved. [spec: Limits; operator-interface §4]
 */
async function blockNames(
  world: World,
  removed: readonly Template[],
  { isLast, now }: { isLast: boolean; now: number },
): Promise<void> {
  const block = (key: string, at: number) => world.stores.templateLimits.take(key, { id: newId(), at }, []);
  for (const { businessAccountId, name, language } of removed.filter(({ status }) => status === 'APPROVED')) {
    await block(limitKeys.language(businessAccountId, name, language), now);
    await block(limitKeys.deleted(businessAccountId, name), now);
  }
  const [last] = removed;
  if (isLast && last !== undefined) await blockName(world, last);
}

/** Unless no approved version of it was deleted. */
async function blockName(
  { stores: { templateLimits } }: World,
  { businessAccountId, name }: Pick<Template, 'businessAccountId' | 'name'>,
): Promise<void> {
  const at = await templateLimits.lastUse(limitKeys.deleted(businessAccountId, name));
  if (at !== null)
    await templateLimits.take(limitKeys.name(businessAccountId, name), { id: newId(), at }, []);
}
