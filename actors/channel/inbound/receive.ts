/**
 * Inbound messages. A text becomes its event in the commit that answers upstream. A message with files is stored in that commit and emitted
 * when its files are there (`files.ts`); so are later messages of the same person until then. [spec: message.received; architecture §6.3]
 */
import { receivedEvents } from '../../../src/rules/events/received.ts';
import type { ChannelFact, InboundMessage } from '../../../src/rules/messages/facts.ts';
import { limits } from '../limits.ts';
import type { ChannelEvent } from '../../../src/rules/events/built.ts';
import type { TurnWrite } from '../messages.ts';
import type { ChannelSettings, PendingInbound } from '../../../src/storage/journal/channel-journal.ts';
import type { ChannelState } from '../state.ts';
import { hasRoom, nextDueAt } from './backlog.ts';
import { filesOpen } from './fetches.ts';
import { firstDeliveries, hasFilesFor, readTier } from './files.ts';
import { isFile, openInbound } from './state.ts';
import type { InboundJob } from './state.ts';

/** The context in which the messages of one job are decided; each decision appends to its lists. */
export interface InboundContext {
  state: ChannelState;
  settings: ChannelSettings;
  job: Pick<InboundJob, 'reserved' | 'noRoom' | 'since'>;
  /** Deliveries that exist already. */
  delivered: ReadonlySet<string>;
  writes: TurnWrite[];
  events: ChannelEvent[];
  /** Messages that are stored to wait for their files. */
  received: PendingInbound[];
  now: number;
}

/**
 * Reserves places for messages that will wait, in the order they came, before the store is asked whether they were emitted: otherwise the
 * person's next message could overtake during that query.
 */
export function reservePlaces(state: ChannelState, job: InboundJob, now: number): void {
  job.since = lastDueAt(state);
  for (const [index, fact] of job.facts.entries()) {
    if (fact.kind !== 'inbound') continue;
    // If a text comes twice in one batch, its first copy decides.
    const mustWait =
      hasFilesFor(state, fact) || (isWaiting(state, fact.from) && !isAmong(job.facts.slice(0, index), fact));
    if (!mustWait) continue;
    const id = makeInboundId(state, fact);
    const { inbound } = state;
    if (!inbound.open.has(id) && hasRoom(inbound)) {
      const pending = firstTried(state, newPending(state, capped(fact), now));
      inbound.open.set(id, openInbound(pending, now, 'keeping'));
    }
    const place = inbound.open.get(id);
    if (place === undefined) (job.noRoom ??= new Map()).set(id, lastDueAt(state) + 1);
    else if (place.stage === 'keeping') job.reserved.push(id);
  }
}

function isAmong(facts: readonly ChannelFact[], { upstreamId }: InboundMessage): boolean {
  return facts.some((fact) => fact.kind === 'inbound' && fact.upstreamId === upstreamId);
}

export function takeInbound(context: InboundContext, fact: InboundMessage): void {
  const { state, settings, delivered } = context;
  if (hasFilesFor(state, fact)) {
    // Emitted before: this is a redelivery.
    if (!firstDeliveries(state, fact).some(({ id }) => delivered.has(id))) keep(context, capped(fact));
  } else if (isBehind(context, fact)) keep(context, capped(fact));
  else context.events.push(...receivedEvents(settings.channel, readTier(settings), capped(fact)));
}

/** Whether this message is being written, or waits for its files or behind one that does. */
export function isUnderWay(state: ChannelState, upstreamId: string): boolean {
  const isThis = (fact: ChannelFact): boolean => fact.kind === 'inbound' && fact.upstreamId === upstreamId;
  return (
    (state.inboundAtWork?.open.has(pendingId(state, upstreamId)) ?? false) ||
    state.facts.jobs.some(({ facts }) => facts.some(isThis))
  );
}

/** `dueAt` of the latest message that waits; 0: none. */
export function lastDueAt({ inboundAtWork }: ChannelState): number {
  return inboundAtWork?.backlog.lastDueAt ?? 0;
}

function isWaiting(state: ChannelState, from: string): boolean {
  return state.inboundAtWork?.open.some(({ pending }) => isSame(state, pending.fact.from, from)) ?? false;
}

function isSame({ channelId, names }: ChannelState, a: string, b: string): boolean {
  return a === b || names.personOf(channelId, a) === names.personOf(channelId, b);
}

/** [faults: 94] */
function capped(fact: InboundMessage): InboundMessage {
  return fact.parts.length <= limits.parts ? fact : { ...fact, parts: fact.parts.slice(0, limits.parts) };
}

/** An earlier message of the same person waits; messages that came after this job began do not count. */
function isBehind({ state, job }: InboundContext, fact: InboundMessage): boolean {
  const { inboundAtWork: inbound } = state;
  if (inbound === null) return false;
  const id = makeInboundId(state, fact);
  const own = inbound.open.get(id)?.pending.dueAt ?? Infinity;
  const before = job.noRoom?.get(id) ?? job.since + 1;
  const place = job.reserved.includes(id) ? own : Math.min(own, before);
  return inbound.open.some(
    ({ pending }) => pending.dueAt < place && isSame(state, pending.fact.from, fact.from),
  );
}

function keep({ state, writes, received, now }: InboundContext, fact: InboundMessage): void {
  const known = state.inbound.open.get(makeInboundId(state, fact));
  if (known !== undefined && known.stage !== 'keeping') return; // stored, and being handled
  // The place was reserved before the answered message was looked up.
  if (known !== undefined) known.pending = { ...known.pending, fact };
  const pending = known?.pending ?? newPending(state, fact, now);
  writes.push({ write: 'keepWaiting', unmatched: pending });
  received.push(pending);
}

function newPending(state: ChannelState, fact: InboundMessage, now: number): PendingInbound {
  const expiresAt = now + limits.pendingInboundMs;
  return { id: makeInboundId(state, fact), fact, expiresAt, dueAt: nextDueAt(state.inbound, now), tries: 0 };
}

/** The write that stores the message also counts its first fetch, if a slot is free for it. [faults: 102] */
function firstTried(state: ChannelState, pending: PendingInbound): PendingInbound {
  const files = pending.fact.parts.filter(isFile).length;
  const isFetched = hasFilesFor(state, pending.fact) && filesOpen(state) + files <= limits.fetches;
  return isFetched ? { ...pending, tries: 1 } : pending;
}

function makeInboundId(state: ChannelState, { upstreamId }: InboundMessage): string {
  return pendingId(state, upstreamId);
}

function pendingId({ channelId }: ChannelState, upstreamId: string): string {
  return `${channelId}/i/${upstreamId}`;
}
