/** Hands the changes that upstream made of templates to the owners of the account's channels on their business account. */
import { templateUpdated } from '../../rules/events/changes.ts';
import type { World } from '../world.ts';
import { emitOn } from '../channels/index.ts';

const templatesPerTurn = 200;
/** More numbers than most accounts have on a business account. */
const maxChannels = 200;
const laterMs = 30_000;

/** Returns the number of templates. Throws StoreUnavailable. */
export async function tellTemplateChanges(
  world: Pick<World, 'stores' | 'router' | 'clock' | 'log'>,
): Promise<number> {
  const { templates, channels } = world.stores;
  const due = await templates.untold(world.clock.now(), templatesPerTurn);
  for (const template of due) {
    const changes = template.untold ?? [];
    const { id, accountId, businessAccountId } = template;
    const concerned = await channels.activeOn(businessAccountId, maxChannels, accountId);
    const events = changes.map((change) => templateUpdated(template, change));
    if (await emitOn(world, concerned, events))
      await templates.told(id, new Set(changes.map((change) => change.id)));
    else await templates.tellLater(id, world.clock.now() + laterMs);
  }
  return due.length;
}
