import { kindOf } from '../../rules/channels/kinds.ts';
import { asError } from '../../kernel/faults.ts';
import type { World } from '../world.ts';
import { everything } from '../../kernel/paging.ts';
import type { SetupSession } from './entity.ts';

/** Further ones wait for their periodic check. */
const maxProbed = 50;

/**
 * A person has one grant per app: a dialog that left out a page has just ended the token of that page's channels. Which person granted a
 * channel is not known, so all of the account's channels of such kinds are probed. Never throws. [upstream §2.1]
 */
export async function probeSiblings(world: World, session: SetupSession): Promise<void> {
  if (!kindOf(session.channelType).replacesGrants) return;
  try {
    const { items } = await world.stores.channels.list(session.accountId, everything);
    const siblings = items.filter(
      ({ id, isActive, channelType }) =>
        isActive && id !== session.channelId && kindOf(channelType).replacesGrants,
    );
    for (const { id } of siblings.slice(0, maxProbed))
      await world.jobs.enqueue('look-at-channel', { channelId: id });
  } catch (thrown) {
    world.log.info({ session: session.id, error: asError(thrown) }, 'setup.siblings-not-probed');
  }
}
