/**
 * Gives facts to the owner of their channel. It drops what people wrote while the channel may not receive, by the settings that it knows: nobody
 * may have reached it since the channel was connected again or paid for. And a licence that has just ended may be followed by another one within
 * seconds. Upstream has its 200 and would not repeat such messages, so the store has the last word. [faults: 470]
 */
import { isOperable, lapsesAt } from '../../rules/licences/operability.ts';
import type { ChannelFact } from '../../rules/messages/facts.ts';
import { fault } from '../../kernel/faults.ts';
import { findLicence } from '../channels/index.ts';
import type { WorldParts } from '../world.ts';

type GivingWorld = Pick<WorldParts, 'stores' | 'router' | 'clock' | 'settings'>;

/** For so long after its end the channels of a licence may be moved to another one: longer than between two looks at ended licences. */
const followedWithinMs = 30_000;

/** Returns the number of facts that the channel may not receive. Throws as the router does, and 503 `unavailable` while that is not decided. */
export async function giveFacts(
  world: GivingWorld,
  channelId: string,
  facts: ChannelFact[],
): Promise<number> {
  const { router } = world;
  const { dropped } = await router.ask(channelId, { type: 'take-facts', facts });
  if (dropped === 0) return 0;
  const standing = await readStanding(world, channelId);
  if (standing === 'refused') return dropped;
  if (standing === 'undecided') throw fault('unavailable');
  await router.ask(channelId, { type: 'reload' });
  // What it took before has no second effect.
  return (await router.ask(channelId, { type: 'take-facts', facts })).dropped;
}

async function readStanding(
  world: GivingWorld,
  channelId: string,
): Promise<'receives' | 'refused' | 'undecided'> {
  const channel = await world.stores.channels.byId(channelId);
  const licence = channel?.isActive === true ? await findLicence(world, channel) : null;
  if (licence === null) return 'refused';
  const { graceMs } = world.settings;
  const now = world.clock.now();
  if (isOperable(licence, now, graceMs)) return 'receives';
  const endedAt = lapsesAt(licence, graceMs);
  return endedAt !== null && now < endedAt + followedWithinMs ? 'undecided' : 'refused';
}
