/** What the actor reads from the store. */
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import type { ConversationQuery } from '../effects.ts';
import type { KnownMessage } from '../ports.ts';
import { bounds } from '../state.ts';
import { opened, openedFacts } from './contents.ts';
import { insist } from './insist.ts';
import type { ChannelWork, ChannelWorld, Of } from './world.ts';

export async function resolveFacts(
  world: ChannelWorld,
  effect: Of<'resolve-facts'>,
  work: ChannelWork,
): Promise<void> {
  const { job } = effect;
  const lookUp = (): Promise<Resolved> => messagesOf(world, effect, work);
  try {
    const found = effect.insist ? await insist(world, work, lookUp) : await lookUp();
    if (found !== null) work.feed({ type: 'facts-resolved', job, ...found });
  } catch (error) {
    if (error instanceof FencedError) throw error;
    world.log.warn({ channel: work.key, error: asError(error) }, 'facts.lookup-failed');
    work.feed({ type: 'facts-failed', job, unsure: false });
  }
}

interface Resolved {
  known: KnownMessage[];
  conversations: KnownMessage[][];
}

async function messagesOf(
  { store }: ChannelWorld,
  { ids, upstreamIds, conversations }: Of<'resolve-facts'>,
  { key }: ChannelWork,
): Promise<Resolved> {
  const pointIds = conversations.flatMap(({ upToUpstreamId }) => upToUpstreamId ?? []);
  const known = await store.findMessages(key, { ids, upstreamIds: [...upstreamIds, ...pointIds] });
  const covered = conversations.map((query) => {
    const { recipient, belowRank } = query;
    return store.findBelowRank(key, {
      recipient,
      belowRank,
      upTo: pointIn(query, known),
      limit: bounds.readChunk,
    });
  });
  return { known, conversations: await Promise.all(covered) };
}

/** Everything up to the named message, or up to the time of the receipt while that message is not known. */
function pointIn({ upTo, upToUpstreamId, at }: ConversationQuery, known: readonly KnownMessage[]): number {
  if (upTo !== null) return upTo;
  if (upToUpstreamId === null) return at;
  const named = known.filter(({ upstreamIds }) => upstreamIds.includes(upToUpstreamId));
  return named.length === 0 ? at : Math.max(...named.map(({ attemptedAt }) => attemptedAt));
}

export async function reload(
  world: ChannelWorld,
  { messageIds, known }: Of<'reload'>,
  work: ChannelWork,
): Promise<void> {
  const { store, clock } = world;
  const { epoch } = work.lease;
  const load = () => store.load(work.key, epoch, clock.now(), bounds.deliveries);
  const loaded = await insist(world, work, load);
  if (loaded === null) return;
  const { openMessages, held: sealed, ...rest } = loaded;
  const held = openedFacts(world, work.key, sealed);
  const wanted = new Set(messageIds);
  const open = openMessages.filter(({ id }) => wanted.has(id));
  const strangers = openMessages.filter(({ id }) => !known.has(id));
  const sends = await opened(world, strangers);
  work.feed({ type: 'reloaded', messageIds, open, left: { ...rest, held, sends } });
}

export async function loadDeliveries(
  world: ChannelWorld,
  { limit }: Of<'load-deliveries'>,
  work: ChannelWork,
): Promise<void> {
  const deliveries = await insist(world, work, () => world.store.pendingDeliveries(work.key, limit));
  if (deliveries !== null)
    work.feed({ type: 'deliveries-loaded', deliveries, more: deliveries.length >= limit });
}

export async function loadSettings(
  world: ChannelWorld,
  { request, ask }: Of<'load-settings'>,
  work: ChannelWork,
): Promise<void> {
  const loaded = await insist(world, work, async () => ({ settings: await world.store.settings(work.key) }));
  if (loaded !== null) work.feed({ type: 'settings-loaded', request, settings: loaded.settings, ask });
}
