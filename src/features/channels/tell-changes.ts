/**
 * Hands the changes that upstream made of channels to their owners, which make events of them like of every fact. A change is taken off the
 * record when its owner has stored the event; one that is handed over twice is the same delivery. [spec: Additions, What changed]
 */
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';
import type { ChannelEvent } from '../../rules/events/built.ts';
import { channelUpdated } from '../../rules/events/changes.ts';
import { asError } from '../../kernel/faults.ts';
import type { World } from '../world.ts';

const channelsPerTurn = 200;
/** An owner that is out of reach. */
const laterMs = 30_000;

type TellWorld = Pick<World, 'stores' | 'router' | 'clock' | 'log'>;

/** Returns the number of channels. Throws StoreUnavailable. */
export async function tellChannelChanges(world: TellWorld): Promise<number> {
  const due = await world.stores.health.untold(world.clock.now(), channelsPerTurn);
  for (const health of due) await tellOne(world, health);
  return due.length;
}

async function tellOne(world: TellWorld, { channelId, untold }: ChannelHealth): Promise<void> {
  const { stores } = world;
  const changes = untold ?? [];
  const channel = await stores.channels.byId(channelId);
  const told = await emitOn(world, channel === null ? [] : [channel], changes.map(channelUpdated));
  if (told) await stores.health.told(channelId, new Set(changes.map(({ id }) => id)));
  else await stores.health.tellLater(channelId, world.clock.now() + laterMs);
}

/** Emits the events on each channel that is active. False: an owner is out of reach, so all must be told again. */
export async function emitOn(
  { router, log }: Pick<World, 'router' | 'log'>,
  channels: readonly Channel[],
  events: readonly ChannelEvent[],
): Promise<boolean> {
  let areStored = true;
  for (const { id, isActive, webhookUrl } of channels) {
    if (!isActive) continue;
    try {
      // The account's default may have changed since its owner has read it.
      if (webhookUrl === null && events.length > 0) await router.ask(id, { type: 'reload' });
      for (const told of events) await router.ask(id, { type: 'emit', told });
    } catch (thrown) {
      log.warn({ channel: id, error: asError(thrown) }, 'change.not-told');
      areStored = false;
    }
  }
  return areStored;
}
