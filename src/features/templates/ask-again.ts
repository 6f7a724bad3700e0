/** A look-up upstream before a call is refused for a stored status: the webhook of a change may be late or lost. */
import type { TemplateOwner } from '../../rules/templates/template.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { Fault } from '../../kernel/faults.ts';
import type { World } from '../world.ts';
import { syncTemplates } from './sync.ts';
import type { SyncWorld } from './sync.ts';

/** Shortest interval between upstream look-ups that a client's refused calls, or failing first lists, can cause. */
export const askAgainMs = 30_000;

/**
 * Syncs the templates; false if the last sync is younger than `askAgainMs`, or if upstream does not tell them and the stored version can
 * be used (`isKnown`). Otherwise throws the faults of `syncTemplates`.
 */
export async function syncedAgain(
  world: SyncWorld & Pick<World, 'log'>,
  channel: Channel,
  owner: TemplateOwner,
  isKnown: boolean,
): Promise<boolean> {
  const sync = await world.stores.templates.sync(owner);
  const last = sync?.syncedAt ?? null;
  if (last !== null && world.clock.now() - last < askAgainMs) return false;
  try {
    await syncTemplates(world, owner, channel);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof Fault) || !isKnown) throw thrown;
    world.log.warn({ channel: channel.id, code: thrown.code }, 'templates.not-synced');
    return false;
  }
}
