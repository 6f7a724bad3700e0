import { isPaused } from '../../rules/channels/channel.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { countParts, isOfAsset, isOfPerson, maxPartsAtOnce } from '../../rules/messages/facts.ts';
import type { ChannelFact, ParsedPost } from '../../rules/messages/facts.ts';
import { yieldToLoop } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/faults.ts';
import type { CounterName } from '../../kernel/metrics.ts';
import type { World } from '../world.ts';
import { giveFacts } from './give-facts.ts';
import { collectOwners, groupByIdentity, tryOtherIdentities } from './route-facts.ts';
import type { IdentityFacts, Owners } from './route-facts.ts';
import { countGone, isOwnerOutOfReach, keepStrandedFacts } from './stranded-facts.ts';
import { noteAll } from './upstream-notices.ts';
import { applyAccountFacts, endPauseByMessage, enqueueProbes } from '../channels/index.ts';
import { applyTemplateFacts } from '../templates/index.ts';

/**
 * One turn of the channel actor builds, seals and hands over every event of its facts. A thousand of them, which upstream may send
 * in one POST, would block the event loop for 100 ms and more. [faults: I9, 46]
 */
const maxFactsPerTurn = 100;

/**
 * Activating an idle channel costs a tenth of a millisecond: ten thousand at once would block the event loop for a
 * second. [faults: I9]
 */
const channelsAtOnce = 64;

/**
 * Handles a POST of upstream whose signature was verified. Resolves when all its facts are durable, at the owners of the
 * channels or, if an owner is out of reach, as stranded facts. Throws if any fact is neither, so that upstream redelivers the
 * whole POST: every write that follows from a fact has a deterministic key, so a redelivery is harmless. Throws 400 `bad_request`
 * if the body is not upstream's JSON. [architecture §6.1-2, §7; faults: I1, 46, 50]
 */
export async function receiveUpstreamPost(world: World, body: Uint8Array, requestId?: string): Promise<void> {
  const post = await parseOrQuarantine(world, body);
  for (const fact of post.facts) if (!isOfAsset(fact)) fact.requestId = requestId;
  countUnparsed(world, post);
  if (post.notices.length > 0) await noteAll(world, post.notices, requestId);
  const groups = groupByIdentity(post.facts);
  const [only] = groups;
  if (only?.facts.length === post.facts.length) {
    const owner = world.channelCache.remembered(only.channelType, only.identity);
    // Fast path of nearly every POST: one known channel, no look-ups.
    if (owner !== null) return handOver(world, only, owner);
  }
  const owners = await collectOwners(world, groups);
  await tryOtherIdentities(world, groups, owners);
  const templates = post.facts.filter((fact) => fact.kind === 'template');
  const numbers = post.facts.filter((fact) => fact.kind === 'number');
  const accounts = post.facts.filter((fact) => fact.kind === 'account');
  const outcomes = await Promise.allSettled([
    handOverAll(world, groups, owners),
    applyTemplateFacts(world, templates),
    enqueueProbes(world, numbers, requestId),
    applyAccountFacts(world, accounts, requestId),
  ]);
  // Thrown only now, so that the other channels' facts are written and need not wait for the redelivery.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Quarantines an unreadable POST: the fault's message is our own text, so it is safe to store. */
async function parseOrQuarantine(world: World, body: Uint8Array): Promise<ParsedPost> {
  try {
    return await world.parser.parse(body);
  } catch (thrown) {
    if (thrown instanceof Fault) {
      const nowhere = { channelType: null, identity: null, kind: 'post' };
      world.quarantine.take([{ reason: 'unreadable', ...nowhere, shape: thrown.message, times: 1 }]);
    }
    throw thrown;
  }
}

/** Throws one of the errors after all groups are done. */
async function handOverAll(world: World, groups: readonly IdentityFacts[], owners: Owners): Promise<void> {
  const waiting = groups.values();
  const failures: unknown[] = [];
  const takeSome = async (): Promise<void> => {
    for (const group of waiting) {
      await handOver(world, group, owners.get(group)).catch((error: unknown) => failures.push(error));
      if (groups.length > channelsAtOnce) await yieldToLoop();
    }
  };
  await Promise.all(Array.from({ length: Math.min(groups.length, channelsAtOnce) }, takeSome));
  if (failures.length > 0) throw failures[0];
}

/**
 * Routes by our own identity records only, whatever the POST says. Facts for unknown identities and inbound messages for inactive
 * channels are dropped and counted: a redelivery would change nothing. [faults: 50; spec: Channel activity]
 */
async function handOver(world: World, group: IdentityFacts, owner: Channel | undefined): Promise<void> {
  const { channelType } = group;
  if (owner === undefined)
    return countEach(world, 'upstream_facts_unroutable_total', channelType, group.facts.length);
  // Messages sent before the deactivation still get their statuses. [faults: 52]
  const facts = owner.isActive ? group.facts : group.facts.filter((fact) => !isOfPerson(fact));
  countEach(world, 'upstream_facts_dropped_total', channelType, group.facts.length - facts.length);
  world.activity.heard(owner.id, facts, world.clock.now());
  world.personNames.heard(owner, facts);
  if (isPaused(owner)) await endPauseByMessage(world, owner, facts);
  const turns = splitIntoTurns(facts);
  for (const [index, turn] of turns.entries()) {
    // On one node, a turn that reads a file and writes nothing waits for nobody: thousands of them would be one. [faults: 94]
    if (index > 0) await yieldToLoop();
    let dropped = 0;
    try {
      dropped = await giveFacts(world, owner.id, turn);
    } catch (error) {
      if (!isOwnerOutOfReach(error)) throw error;
      const left = turns.slice(index);
      await keepStrandedFacts(world, owner.id, left, countGone(error));
      return countEach(world, 'upstream_facts_parked_total', channelType, left.flat().length);
    }
    if (dropped > 0) await giveToHolder(world, { ...group, facts: turn }, owner, dropped);
  }
}

/**
 * A node that has not heard that the identity has moved to another channel asks the earlier one, which drops what people write now.
 * [faults: 470]
 */
async function giveToHolder(
  world: World,
  { facts, ...of }: IdentityFacts,
  asked: Channel,
  dropped: number,
): Promise<void> {
  const [holder] = await world.stores.channels.byIdentity(of.channelType, [of.identity]);
  if (holder === undefined || holder.id === asked.id)
    return countEach(world, 'upstream_facts_dropped_total', of.channelType, dropped);
  await handOver(world, { ...of, facts: facts.filter(isOfPerson) }, holder);
}

function splitIntoTurns(facts: ChannelFact[]): ChannelFact[][] {
  if (facts.length <= 1) return facts.length === 0 ? [] : [facts];
  const turns: ChannelFact[][] = [];
  let turn: ChannelFact[] = [];
  let parts = 0;
  for (const fact of facts) {
    const own = countParts(fact);
    if (turn.length === maxFactsPerTurn || (turn.length > 0 && parts + own > maxPartsAtOnce)) {
      turns.push(turn);
      turn = [];
      parts = 0;
    }
    turn.push(fact);
    parts += own;
  }
  turns.push(turn);
  return turns;
}

function countEach(world: World, name: CounterName, channelType: string, times: number): void {
  if (times > 0) world.counters.increment(name, { channel_type: channelType }, times);
}

/** Counts items that became no fact. */
function countUnparsed(world: World, post: ParsedPost): void {
  world.quarantine.take(post.unparsed);
  if (post.malformed > 0) world.counters.increment('upstream_items_malformed_total', {}, post.malformed);
  if (post.ignored > 0) world.counters.increment('upstream_items_ignored_total', {}, post.ignored);
}
