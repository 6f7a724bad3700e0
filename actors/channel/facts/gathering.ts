/**
 * Upstream reports the events of a busy channel in many small POSTs. POSTs that arrive while a job runs become the next job together: one
 * look-up, one turn and one commit for all, and each caller gets an answer for its own facts only. [architecture §6.1]
 */
import { countParts } from '../../../src/rules/messages/facts.ts';
import type { ChannelFact, ConversationReceipt } from '../../../src/rules/messages/facts.ts';
import { limits } from '../limits.ts';
import type { ChannelState } from '../state.ts';
import { wouldOvertake } from './overtaking.ts';
import type { FactsAsk } from './state.ts';

/**
 * Returns the asks that begin now: none while a job runs, unless enough facts have gathered for another job. A POST with a conversation
 * receipt that names no message, or of a `read`, begins at once as a job of its own, unless it would overtake a lower status of its person.
 */
export function gather({ facts }: ChannelState, asked: FactsAsk): FactsAsk[] {
  if (goesAlone(asked.facts)) {
    if (!wouldOvertake(facts, asked)) return [asked];
    facts.held.push(asked);
    return [];
  }
  facts.gathered.push(asked);
  const waits = facts.gatheringBehind !== null && !areEnough(facts.gathered);
  return waits ? [] : facts.gathered.splice(0);
}

/** The asks that waited for the end of `job`. */
export function gatheredBehind({ facts }: ChannelState, job: number): FactsAsk[] {
  if (facts.gatheringBehind !== job) return [];
  facts.gatheringBehind = null;
  return facts.gathered.splice(0);
}

/** Later facts wait for `job`, unless it has ended already. */
export function gatherBehind({ facts }: ChannelState, job: number): void {
  const started = facts.jobs.get(job);
  if (started !== undefined && !goesAlone(started.facts)) facts.gatheringBehind = job;
}

/**
 * The messages that a conversation receipt covers have no bound, so neither have its rounds, and no other fact should wait for it. The rounds
 * of other receipts are bounded by the facts of a job and the parts of an echo.
 */
export function hasUnboundedRounds(facts: readonly ChannelFact[]): boolean {
  return facts.some(isOfConversation);
}

/**
 * A page's `delivery` names the messages that it is about, so that its conversation rarely holds more: it is gathered, and only what one round
 * does not take goes on by itself. A `read` is never gathered: the facts that go on could hold the `delivered` before it.
 */
function goesAlone(facts: readonly ChannelFact[]): boolean {
  const isNamed = (receipt: ConversationReceipt): boolean => facts.some((fact) => isNamedBy(fact, receipt));
  return facts.some((fact) => isOfConversation(fact) && (fact.status !== 'delivered' || !isNamed(fact)));
}

function isOfConversation(fact: ChannelFact): fact is ConversationReceipt {
  return fact.kind === 'conversation-receipt';
}

function isNamedBy(other: ChannelFact, { recipient, status }: ConversationReceipt): boolean {
  return other.kind === 'receipt' && other.recipient === recipient && other.status === status;
}

/** Whether the next job begins with these at once. */
function areEnough(asks: readonly FactsAsk[]): boolean {
  let facts = 0;
  let parts = 0;
  for (const ask of asks) {
    facts += ask.facts.length;
    for (const fact of ask.facts) parts += countParts(fact);
  }
  return facts >= limits.factsPerJob || parts >= limits.partsPerJob;
}
