/**
 * Facts whose channel's owner can't be reached while the store can: they are stored, upstream is answered 200, and every node
 * looks each second whether an owner takes them now. All that follows from a fact has a deterministic key, so that two nodes may
 * give the same facts, and upstream may redeliver them meanwhile. [architecture §6.1-2, §7 "stored, 200"]
 */
import { sealContext } from '../../domain/accounts/sealed.ts';
import type { ChannelFact } from '../../domain/messages/facts.ts';
import { Fault, OwnerLost, StoreUnavailable, asError } from '../../kernel/faults.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { StrandedFacts } from '../ports/messages.ts';
import type { UseCasePorts } from '../deps.ts';
import { readById } from '../long-lists.ts';
import { putAside as quarantine } from './put-aside.ts';

/** Nobody took the facts, and that may change by itself. If it was the store, storing the facts will fail as well. */
export function isOwnerOutOfReach(error: unknown): boolean {
  if (error instanceof Fault) return error.status === 503;
  return error instanceof StoreUnavailable || error instanceof OwnerLost;
}

/** Nodes that are gone since they had the facts in hand. */
export function countGone(error: unknown): number {
  return error instanceof OwnerLost ? error.nodesGone : 0;
}

/**
 * Durable once it resolves: each turn's facts under one id. `nodesGone`: of the first turn. Throws StoreUnavailable; then some may be
 * stored.
 */
export async function keepStrandedFacts(
  deps: UseCasePorts,
  channelId: string,
  turns: ChannelFact[][],
  nodesGone: number,
): Promise<void> {
  const now = deps.clock.now();
  await deps.stores.strandedFacts.add(
    turns.map((facts, index) => {
      const json = JSON.stringify(facts);
      // The word is part of ids that are stored: the same facts have the same id on nodes of every build.
      const id = idFrom('parked', channelId, json);
      const sealed = deps.sealer.seal(Buffer.from(json), sealContext.strandedFacts(channelId, id));
      return { id, channelId, facts: sealed, at: now + index, nodesGone: index === 0 ? nodesGone : 0 };
    }),
  );
}

/** An owner that is looked for in vain takes seconds: so many channels may do so before the others have to wait. */
const channelsAtOnce = 64;
const turnsPerRead = 20;

/**
 * `look()` gives the stranded facts of every channel to its owner, the oldest first, and resolves when all it began with are
 * given or stay for the next look. It may be called while another look is under way: a channel whose owner is still being
 * waited for does not hold up the others. Never rejects for a channel; throws StoreUnavailable when there was no look.
 */
export function strandedFactsGiver(deps: UseCasePorts): { look(): Promise<void> } {
  const underWay = new Map<string, Promise<void>>();

  async function give(channelId: string): Promise<void> {
    try {
      await giveAll(deps, channelId);
    } catch (error) {
      deps.log.warn({ channel: channelId, error: asError(error) }, 'stranded.not-given');
    } finally {
      underWay.delete(channelId);
    }
  }

  return {
    async look() {
      const begun: Promise<void>[] = [];
      const channelIds = readById((after, limit) => deps.stores.strandedFacts.channels(after, limit));
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

async function giveAll(deps: UseCasePorts, channelId: string): Promise<void> {
  for (;;) {
    const stranded = await deps.stores.strandedFacts.ofChannel(channelId, turnsPerRead);
    if (stranded.length === 0) return;
    const { given, aside } = await giveInOrder(deps, stranded);
    if (given.length > 0) await deps.stores.strandedFacts.drop(given);
    if (aside.length > 0) await putAside(deps, aside);
    if (given.length + aside.length < stranded.length) return;
  }
}

/** So many nodes facts may end; then they are for operators. [faults: 152] */
const maxNodesGone = 2;

interface Given {
  /** Ids of those that were taken, or are for operators. */
  given: string[];
  /** Can't be taken, whoever asks: their key is gone, say. */
  aside: StrandedFacts[];
}

/** Stops at an owner out of reach. */
async function giveInOrder(deps: UseCasePorts, stranded: readonly StrandedFacts[]): Promise<Given> {
  const given: string[] = [];
  const aside: StrandedFacts[] = [];
  for (const each of stranded) {
    const { id, channelId } = each;
    try {
      const facts = openFacts(deps, each);
      if (each.nodesGone < maxNodesGone) await giveToOwner(deps, channelId, facts);
      else await keepForOperators(deps, each, facts);
      given.push(id);
    } catch (error) {
      const nodesGone = countGone(error);
      if (nodesGone > 0) await deps.stores.strandedFacts.countGone(each, nodesGone);
      if (isOwnerOutOfReach(error)) break;
      aside.push(each);
      // Operators know this line by its first name (docs/operating/monitoring.md).
      deps.log.error({ channel: channelId, stranded: id, error: asError(error) }, 'parked.not-taken');
    }
  }
  return { given, aside };
}

async function giveToOwner(
  { router, counters }: UseCasePorts,
  channelId: string,
  facts: ChannelFact[],
): Promise<void> {
  const { dropped } = await router.ask(channelId, { type: 'take-facts', facts });
  const channel_type = facts[0]?.channelType ?? '';
  if (dropped > 0) counters.increment('upstream_facts_dropped_total', { channel_type }, dropped);
}

async function keepForOperators(
  deps: UseCasePorts,
  { id, channelId, nodesGone: tries }: StrandedFacts,
  facts: ChannelFact[],
): Promise<void> {
  const channel = await deps.stores.channels.byId(channelId);
  if (channel !== null) await quarantine(deps, { kind: 'facts', channel, id, facts, tries });
}

function openFacts(
  { sealer }: UseCasePorts,
  { id, channelId, facts }: Pick<StrandedFacts, 'id' | 'channelId' | 'facts'>,
): ChannelFact[] {
  return JSON.parse(Buffer.from(sealer.open(facts, sealContext.strandedFacts(channelId, id))).toString());
}

/** So long what can't be taken is not tried again: whoever mends keys, or the program, needs longer than a second. [faults: 124] */
const asideMs = 3_600_000;

/** They are not in the way of what came after them, and stay. */
async function putAside(
  { stores, clock, counters }: UseCasePorts,
  aside: readonly StrandedFacts[],
): Promise<void> {
  await stores.strandedFacts.putAside(aside, clock.now());
  counters.increment('upstream_facts_put_aside_total', {}, aside.length);
}

/** Their next try is due. Throws StoreUnavailable. */
export async function bringBackStranded({ stores, clock }: UseCasePorts): Promise<void> {
  await stores.strandedFacts.bringBack(clock.now() - asideMs);
}
