/**
 * What people write to the channel. A text becomes its event in the commit that answers upstream; a message with files is put on
 * record in that commit and told when they are there (`files.ts`), and so is what the same person writes meanwhile.
 * [spec: message.received; architecture §6.3]
 */
import { receivedEvents } from '../../../src/domain/events/received.ts';
import type { ChannelFact, InboundMessage } from '../../../src/domain/messages/facts.ts';
import { limits } from '../limits.ts';
import type { PendingInbound } from '../ports/store.ts';
import type { ChannelState } from '../state.ts';
import { hasRoom, nextDueAt } from './backlog.ts';
import type { FactContext } from './context.ts';
import { filesOpen } from './fetches.ts';
import { firstDeliveryOf, hasFilesFor, tierOf } from './files.ts';
import { isFile, openInbound } from './pending.ts';
import type { FactJob, FactsState } from './state.ts';

/**
 * Places for what will wait, in its order and before it is known whether it was told: what the same person writes next may overtake
 * that question otherwise.
 */
export function reservePlaces(state: ChannelState, job: FactJob, now: number): void {
  const { facts } = state;
  job.since = facts.backlog.lastDueAt;
  if (!job.facts.some(isInbound)) return;
  for (const [index, fact] of job.facts.entries()) {
    if (fact.kind !== 'inbound') continue;
    // Of a text that is said twice in one batch the first decides.
    const mustWait =
      hasFilesFor(state, fact) || (isWaiting(facts, fact.from) && !isAmong(job.facts.slice(0, index), fact));
    if (!mustWait) continue;
    const id = idOf(state, fact);
    const known = facts.inbound.get(id);
    if (known === undefined && hasRoom(facts))
      facts.inbound.set(
        id,
        openInbound(firstTried(state, newPending(state, capped(fact), now)), now, 'keeping'),
      );
    if (facts.inbound.get(id)?.stage === 'keeping') job.reserved.push(id);
  }
}

function isInbound({ kind }: ChannelFact): boolean {
  return kind === 'inbound';
}

function isAmong(facts: readonly ChannelFact[], { upstreamId }: InboundMessage): boolean {
  return facts.some((fact) => fact.kind === 'inbound' && fact.upstreamId === upstreamId);
}

export function takeInbound(context: FactContext, fact: InboundMessage): void {
  const { state, settings, delivered } = context;
  if (hasFilesFor(state, fact)) {
    // Told before: this is upstream's repetition.
    if (!delivered.has(firstDeliveryOf(state.channelId, fact))) keep(context, capped(fact));
  } else if (isBehind(context, fact)) keep(context, capped(fact));
  else context.events.push(...receivedEvents(settings.channel, tierOf(settings), capped(fact)));
}

function isWaiting({ inbound }: FactsState, from: string): boolean {
  return inbound.some(({ pending }) => pending.fact.from === from);
}

/** [faults: 94] */
function capped(fact: InboundMessage): InboundMessage {
  return fact.parts.length <= limits.parts ? fact : { ...fact, parts: fact.parts.slice(0, limits.parts) };
}

/** Something of the same person waits that came before: not what has come since this job began. */
function isBehind({ state, job }: FactContext, fact: InboundMessage): boolean {
  if (state.facts.inbound.size === 0) return false;
  const id = idOf(state, fact);
  const own = state.facts.inbound.get(id)?.pending.dueAt ?? Infinity;
  const place = job.reserved.includes(id) ? own : Math.min(own, job.since + 1);
  return state.facts.inbound.some(({ pending }) => pending.fact.from === fact.from && pending.dueAt < place);
}

function keep({ state, writes, received, now }: FactContext, fact: InboundMessage): void {
  const { facts } = state;
  const known = facts.inbound.get(idOf(state, fact));
  if (known !== undefined && known.stage !== 'keeping') return; // on record, and being looked after
  const pending = known?.pending ?? newPending(state, fact, now);
  writes.push({ write: 'keepUnmatched', unmatched: pending });
  received.push(pending);
}

function newPending(state: ChannelState, fact: InboundMessage, now: number): PendingInbound {
  const expiresAt = now + limits.pendingInboundMs;
  return { id: idOf(state, fact), fact, expiresAt, dueAt: nextDueAt(state.facts, now), tries: 0 };
}

/** The write that keeps it counts its first fetch too, where a place is free for that. [faults: 102] */
function firstTried(state: ChannelState, pending: PendingInbound): PendingInbound {
  const files = pending.fact.parts.filter(isFile).length;
  const isFetched = hasFilesFor(state, pending.fact) && filesOpen(state) + files <= limits.fetches;
  return isFetched ? { ...pending, tries: 1 } : pending;
}

function idOf({ channelId }: ChannelState, { upstreamId }: InboundMessage): string {
  return `${channelId}/i/${upstreamId}`;
}
