/**
 * Facts whose message is not known yet: a status before the send's answer, a read receipt while a send is in flight, an echo that may be
 * our own. They are durable. They are matched when the answer or the echo arrives, or dropped after 15 minutes. An echo waits for the answers
 * of calls in flight, only 10 s, and then counts as foreign; it is due work, so that it becomes an event even if its owner ends and nothing else happens on the channel.
 * [operator-interface §4: a status whose message is not known yet]
 */
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import { latestMeant } from '../../../src/rules/messages/facts.ts';
import type { ConversationReceipt, Echo, Receipt } from '../../../src/rules/messages/facts.ts';
import { deliveryStatuses } from '../../../src/rules/messages/message.ts';
import { limits, findLimit } from '../limits.ts';
import type { UnmatchedFact } from '../../../src/storage/journal/channel-journal.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { nextDueAt } from '../inbound/backlog.ts';
import type { FactContext } from './context.ts';
import { endProof } from './state.ts';
import type { LearnedId } from './state.ts';

const conversationStatuses = ['delivered', 'read'] as const;

/** `fact` as an unmatched fact that waits from `now` on. A redelivered fact gets the same id. */
export function unmatchedFrom(
  state: ChannelState,
  fact: Receipt | ConversationReceipt | Echo,
  now: number,
): UnmatchedFact {
  const id = makeUnmatchedId(state.channelId, fact);
  return fact.kind === 'echo'
    ? { id, fact, expiresAt: now + limits.pendingInboundMs, dueAt: nextDueAt(state.inbound, now) }
    : { id, fact, expiresAt: now + limits.unmatchedMs, dueAt: null };
}

/** Lets the fact wait. Returns false when the fact has waited until its time was over, so that it must be decided now. */
export function letWait(context: FactContext, fact: Receipt | ConversationReceipt | Echo): boolean {
  const { state, rematched, stillUnmatched, newlyUnmatched, writes, now } = context;
  const since = fact.kind === 'conversation-receipt' ? receiptArrivedAt(context, fact) : now;
  const unmatched = unmatchedFrom(state, fact, since);
  const standing = state.facts.unmatched.get(unmatched.id);
  if (rematched.has(unmatched.id)) {
    if (standing === undefined || waitsUntil(standing) <= now) return false;
    stillUnmatched.add(unmatched.id);
  } else if (standing === undefined || readPoint(standing.fact) < readPoint(fact)) {
    newlyUnmatched.push(unmatched);
    writes.push({ write: 'keepWaiting', unmatched });
  }
  return true;
}

/** The end of the wait (ms). An echo that names its sender waits for upstream's word that the number has echoes. */
export function waitsUntil({ dueAt, expiresAt, fact }: UnmatchedFact): number {
  if (dueAt === null) return expiresAt;
  return dueAt + (kindOf(fact.channelType).echoNamesSender ? limits.echoProofMs : limits.echoWaitMs);
}

/**
 * Remembers a fact that was just stored as waiting. Returns the fact that the store must keep instead, if there is one: of two receipts of
 * one conversation written at the same time, the later one. Beyond the bound, the oldest receipt stays in the store only, until it expires.
 */
export function remember(state: ChannelState, unmatched: UnmatchedFact): UnmatchedFact | null {
  const standing = state.facts.unmatched.get(unmatched.id);
  if (standing !== undefined && readPoint(standing.fact) > readPoint(unmatched.fact)) return standing;
  if (state.facts.unmatched.size >= findLimit('unmatched', state.nodeFull) && standing === undefined) {
    forgetOldest(state);
  }
  state.facts.unmatched.set(unmatched.id, unmatched);
  wakeBy(state, waitsUntil(unmatched));
  return null;
}

/** Never an echo: an echo becomes an event, and waits only for seconds. */
function forgetOldest({ facts: { unmatched } }: ChannelState): void {
  for (const [id, { fact }] of unmatched) {
    if (fact.kind === 'echo') continue;
    unmatched.delete(id);
    return;
  }
}

/** Forgets a fact that was just dropped. Returns a later receipt that started to wait meanwhile and that the store must keep. */
export function forget(state: ChannelState, { id, fact }: UnmatchedFact): UnmatchedFact | null {
  const standing = state.facts.unmatched.get(id);
  if (standing !== undefined && standing.fact !== fact) return standing;
  endProof(state.facts, id);
  state.facts.unmatched.delete(id);
  return null;
}

/**
 * Until when a receipt covers its conversation; 0 for other facts. A later receipt covers an earlier one: a person who has read a message
 * has read all messages before it.
 */
export function readPoint(fact: UnmatchedFact['fact']): number {
  return fact.kind === 'conversation-receipt' ? latestMeant(fact.upTo ?? fact.at) : 0;
}

/** When this receipt arrived: before its look-up, its earlier rounds and its wait. */
export function receiptArrivedAt(
  { state, job, rematched, now }: Pick<FactContext, 'state' | 'job' | 'rematched' | 'now'>,
  fact: ConversationReceipt,
): number {
  const waited = rematched.get(makeUnmatchedId(state.channelId, fact));
  if (waited !== undefined) return waited.expiresAt - limits.unmatchedMs;
  return job.asks.find(({ facts }) => facts.includes(fact))?.at ?? now;
}

/** Facts that wait for the message with this upstream id, and receipts of its recipient's conversation that cover it. */
export function unmatchedFor(
  { channelId, facts: { unmatched } }: ChannelState,
  { upstreamId, recipient, arrivedAt }: LearnedId,
): UnmatchedFact[] {
  const ids = [
    echoId(channelId, upstreamId),
    ...deliveryStatuses.map((status) => receiptId(channelId, upstreamId, status)),
  ];
  const found = ids.flatMap((id) => unmatched.get(id) ?? []);
  for (const status of conversationStatuses) {
    const receipt = unmatched.get(conversationId(channelId, recipient, status));
    if (receipt !== undefined && arrivedAt <= readPoint(receipt.fact)) found.push(receipt);
  }
  return found;
}

/**
 * Echoes to these people, who were called, and the call has its answer: unless another call to them is in flight, they need not wait on. A
 * job that looks an echo up decides it with that answer. [upstream §4.8]
 */
export function echoesTo(
  { settings, facts: { unmatched, jobs } }: ChannelState,
  answered: readonly string[],
): UnmatchedFact[] {
  if (answered.length === 0) return [];
  if (settings === null || kindOf(settings.channel.channelType).echoNamesSender) return [];
  const people = new Set(answered);
  const found: UnmatchedFact[] = [];
  for (const each of unmatched.values())
    if (each.fact.kind === 'echo' && people.has(each.fact.recipient)) found.push(each);
  return found.filter((each) => !jobs.some(({ rematched }) => rematched.includes(each)));
}

export function makeUnmatchedId(channelId: string, fact: Receipt | ConversationReceipt | Echo): string {
  if (fact.kind === 'echo') return echoId(channelId, fact.upstreamId);
  if (fact.kind === 'receipt') return receiptId(channelId, fact.upstreamId, fact.status);
  return conversationId(channelId, fact.recipient, fact.status);
}

const echoId = (channelId: string, upstreamId: string): string => `${channelId}/e/${upstreamId}`;
const receiptId = (channelId: string, upstreamId: string, status: string): string =>
  `${channelId}/r/${status}/${upstreamId}`;
const conversationId = (channelId: string, recipient: string, status: string): string =>
  `${channelId}/c/${status}/${recipient}`;
