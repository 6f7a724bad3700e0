/** What follows from upstream's facts: which statuses are recorded, which events go out, what must wait. */
import { receivedEvents } from '../../src/domain/events/received.ts';
import type { ChannelFact, ConversationReceipt, Receipt } from '../../src/domain/messages/facts.ts';
import { takeEcho } from './echoes.ts';
import { statusEventsOf } from './events.ts';
import { hold, some } from './fact-context.ts';
import type { Consequences, FactContext } from './fact-context.ts';
import { learnedSince } from './held.ts';
import type { EffectResult } from './messages.ts';
import type { ChannelSettings, KnownMessage } from './ports.ts';
import type { ChannelState, FactJob, KnownUpstreamId, OpenSend } from './state.ts';
import { limits } from './state.ts';

/** What decides whether a conversation receipt is about a message. */
type Covered = Pick<KnownUpstreamId, 'recipient' | 'arrivedAt'>;

/** `resolved` are the messages found for `job`'s facts, the conversations in the order of its conversation receipts. */
export function consequences(
  state: ChannelState,
  settings: ChannelSettings,
  job: FactJob,
  resolved: Extract<EffectResult, { type: 'facts-resolved' }>,
  now: number,
): Consequences {
  const context: FactContext = {
    writes: [],
    events: [],
    again: [],
    confirms: [],
    named: [],
    holds: [],
    keeps: new Set(),
    state,
    settings,
    known: byEveryId(resolved.known),
    namedSince: learnedSince(state, resolved.job),
    joined: new Set(job.joined.map(({ id }) => id)),
    now,
  };
  let conversation = 0;
  for (const fact of job.facts) {
    if (fact.kind === 'inbound') takeInbound(context, fact);
    else if (fact.kind === 'receipt') takeReceipt(context, fact);
    else if (fact.kind === 'echo') takeEcho(context, fact);
    else {
      takeConversation(context, fact, resolved.conversations[conversation] ?? []);
      conversation += 1;
    }
  }
  return context;
}

function byEveryId(messages: readonly KnownMessage[]): Map<string, KnownMessage> {
  const known = new Map<string, KnownMessage>();
  for (const message of messages) {
    known.set(message.id, message);
    for (const upstreamId of message.upstreamIds) known.set(upstreamId, message);
  }
  return known;
}

function takeInbound(context: FactContext, fact: Extract<ChannelFact, { kind: 'inbound' }>): void {
  const tier = context.settings.subscription?.tier ?? 'starter';
  context.events.push(...receivedEvents(context.settings.channel, tier, fact));
}

function takeReceipt(context: FactContext, fact: Receipt): void {
  const message =
    (fact.tag === null ? undefined : context.known.get(fact.tag)) ?? context.known.get(fact.upstreamId);
  if (message === undefined) {
    hold(context, fact);
    return;
  }
  applyStatus(context, message, fact, fact.upstreamId);
}

/** [spec: Delivery status] Read receipts are per conversation: one event for each earlier message below that status. */
function takeConversation(
  context: FactContext,
  fact: ConversationReceipt,
  messages: readonly KnownMessage[],
): void {
  for (const message of messages) applyStatus(context, message, { ...fact, errors: [] }, null);
  if (messages.length >= limits.readChunk) context.again.push(fact);
  // A send whose answer is still out may be covered too.
  const covers = ({ recipient, arrivedAt }: Covered): boolean =>
    recipient === fact.recipient && arrivedAt <= (fact.upTo ?? fact.at);
  const mayGoOut = (send: OpenSend): boolean => send.stage !== 'waiting' && !send.confirmed && covers(send);
  const isOpen = some(context.state.sends.values(), mayGoOut) || some(context.namedSince, covers);
  if (isOpen || hasOpenEcho(context, covers)) hold(context, fact);
}

/** An echo of that person's conversation will be tracked, but is not on record yet: it waits, or a job is at it. */
function hasOpenEcho({ state, settings }: FactContext, covers: (message: Covered) => boolean): boolean {
  if (!settings.channel.echoStatuses) return false;
  const isCovered = (fact: ChannelFact): boolean =>
    fact.kind === 'echo' && covers({ recipient: fact.recipient, arrivedAt: fact.at });
  return (
    some(state.unmatched.values(), ({ fact }) => isCovered(fact)) ||
    some(state.jobs.values(), ({ facts }) => facts.some(isCovered))
  );
}

function applyStatus(
  context: FactContext,
  message: KnownMessage,
  fact: Pick<Receipt, 'status' | 'at' | 'errors'>,
  upstreamId: string | null,
): void {
  const { status, at, errors } = fact;
  context.writes.push({ write: 'recordStatus', messageId: message.id, status, upstreamId });
  if (upstreamId !== null && context.state.sends.has(message.id))
    context.confirms.push({ messageId: message.id, upstreamId });
  // [spec: message.echo 3] Without `echo_statuses` an echo is a one-off copy.
  if (message.origin === 'echo' && !context.settings.channel.echoStatuses) return;
  const about = { messageId: message.id, recipient: message.recipient, at, errors };
  context.events.push(...statusEventsOf(context.settings, { ...about, status }));
}
