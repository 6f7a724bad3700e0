/**
 * Facts whose channel's owner is out of reach while the store is available: they are stored, upstream gets 200, and every node
 * retries each second. Every effect of a fact has a deterministic key, so two nodes may hand over the same
 * facts, and upstream may redeliver them meanwhile. [architecture §6.1-2, §7 "stored, 200"]
 */
import { sealContext } from '../../kernel/sealed.ts';
import type { ChannelFact } from '../../rules/messages/facts.ts';
import { hourMs } from '../../kernel/clock.ts';
import { Fault, OwnerLost, StoreUnavailable, asError } from '../../kernel/faults.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { WorldParts } from '../world.ts';
import { readById } from '../../kernel/paging.ts';
import type { StrandedFacts } from '../../storage/entities/facts.ts';
import { quarantine } from '../quarantine/index.ts';
import { giveFacts } from './give-facts.ts';

/** Whether a retry of the hand-over may succeed. If the store failed, storing the facts will fail as well. */
export function isOwnerOutOfReach(error: unknown): boolean {
  if (error instanceof Fault) return error.status === 503;
  return error instanceof StoreUnavailable || error instanceof OwnerLost;
}

/** Number of nodes that died while they handled the facts. */
export function countGone(error: unknown): number {
  return error instanceof OwnerLost ? error.nodesGone : 0;
}

/**
 * Stores each turn's facts under one id; durable once it resolves. `nodesGone` counts for the first turn. Throws StoreUnavailable; then
 * some may be stored.
 */
export async function keepStrandedFacts(
  world: WorldParts,
  channelId: string,
  turns: ChannelFact[][],
  nodesGone: number,
): Promise<void> {
  const now = world.clock.now();
  await world.stores.strandedFacts.add(
    turns.map((facts, index) => {
      const json = JSON.stringify(facts);
      // 'parked' is part of stored ids and must not change: the same facts have the same id in every version.
      const id = idFrom('parked', channelId, json);
      const sealed = world.sealer.seal(Buffer.from(json), sealContext.strandedFacts(channelId, id));
      return { id, channelId, facts: sealed, at: now + index, nodesGone: index === 0 ? nodesGone : 0 };
    }),
  );
}

/** Concurrent hand-overs: a search for an unreachable owner takes seconds and must not delay other channels. */
const channelsAtOnce = 64;
const turnsPerRead = 20;

/**
 * `run()` hands each channel's stranded facts to its owner, oldest first, and resolves when all are handed over or left for
 * the next call. It may run concurrently with itself: a channel that still waits for its owner does not delay the
 * others. It never rejects for a single channel; throws StoreUnavailable if the channels can't be listed.
 */
export function strandedFactsGiver(world: WorldParts): { run(): Promise<void> } {
  const underWay = new Map<string, Promise<void>>();

  async function give(channelId: string): Promise<void> {
    try {
      await giveAll(world, channelId);
    } catch (error) {
      world.log.warn({ channel: channelId, error: asError(error) }, 'stranded.not-given');
    } finally {
      underWay.delete(channelId);
    }
  }

  return {
    async run() {
      const begun: Promise<void>[] = [];
      const channelIds = readById((after, limit) => world.stores.strandedFacts.channels(after, limit));
      for await (const channelId of channelIds) {
        while (underWay.size >= channelsAtOnce) await Promise.race(underWay.values());
        if (underWay.has(channelId)) continue;
        const giving = give(channelId);
        underWay.set(channelId, giving);
        begun.push(giving);
      }
      await Promise.all(begun);
    },
  };
}

async function giveAll(world: WorldParts, channelId: string): Promise<void> {
  for (;;) {
    const stranded = await world.stores.strandedFacts.ofChannel(channelId, turnsPerRead);
    if (stranded.length === 0) return;
    const { given, aside } = await giveInOrder(world, stranded);
    if (given.length > 0) await world.stores.strandedFacts.drop(given);
    if (aside.length > 0) await putAside(world, aside);
    if (given.length + aside.length < stranded.length) return;
  }
}

/** Facts that crashed this many nodes go to the quarantine. [faults: 152] */
const maxNodesGone = 2;

interface Given {
  /** Ids of facts that an owner took or that went to the quarantine. */
  given: string[];
  /** Facts that no owner can take, for example because their key is gone: they are put aside. */
  aside: StrandedFacts[];
}

/** Stops if the owner is out of reach. */
async function giveInOrder(world: WorldParts, stranded: readonly StrandedFacts[]): Promise<Given> {
  const given: string[] = [];
  const aside: StrandedFacts[] = [];
  for (const each of stranded) {
    const { id, channelId } = each;
    try {
      const facts = openFacts(world, each);
      if (each.nodesGone < maxNodesGone) await giveToOwner(world, channelId, facts);
      else await keepForOperators(world, each, facts);
      given.push(id);
    } catch (error) {
      const nodesGone = countGone(error);
      if (nodesGone > 0) await world.stores.strandedFacts.countGone(each, nodesGone);
      if (isOwnerOutOfReach(error)) break;
      aside.push(each);
      // The event name 'parked' is documented for operators (docs/operating/monitoring.md).
      world.log.error({ channel: channelId, stranded: id, error: asError(error) }, 'parked.not-taken');
    }
  }
  return { given, aside };
}

async function giveToOwner(world: WorldParts, channelId: string, facts: ChannelFact[]): Promise<void> {
  const dropped = await giveFacts(world, channelId, facts);
  const channel_type = facts[0]?.channelType ?? '';
  if (dropped > 0) world.counters.increment('upstream_facts_dropped_total', { channel_type }, dropped);
}

async function keepForOperators(
  world: WorldParts,
  { id, channelId, nodesGone: tries }: StrandedFacts,
  facts: ChannelFact[],
): Promise<void> {
  const channel = await world.stores.channels.byId(channelId);
  if (channel !== null) await quarantine(world, { kind: 'facts', channel, id, facts, tries });
}

function openFacts(
  { sealer }: WorldParts,
  { id, channelId, facts }: Pick<StrandedFacts, 'id' | 'channelId' | 'facts'>,
): ChannelFact[] {
  return JSON.parse(Buffer.from(sealer.open(facts, sealContext.strandedFacts(channelId, id))).toString());
}

/** Pause before such facts are retried: fixing keys or the program takes longer than a second. [faults: 124] */
const asideMs = hourMs;

/** Keeps the facts without blocking later ones of the channel. */
async function putAside(
  { stores, clock, counters }: WorldParts,
  aside: readonly StrandedFacts[],
): Promise<void> {
  await stores.strandedFacts.putAside(aside, clock.now());
  counters.increment('upstream_facts_put_aside_total', {}, aside.length);
}

/** Retries facts that were put aside longer than `asideMs` ago. Throws StoreUnavailable. */
export async function bringBackStranded({ stores, clock }: WorldParts): Promise<void> {
  await stores.strandedFacts.bringBack(clock.now() - asideMs);
}
