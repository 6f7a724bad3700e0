/**
 * The consequences of a batch of facts, once their messages have been looked up; of statuses: which are recorded, which become events, which
 * wait for their message.
 */
import type { EffectResult } from '../messages.ts';
import type {
  ChannelSettings,
  SubjectMessage,
  KnownMessage,
  UnmatchedFact,
} from '../../../src/storage/journal/channel-journal.ts';
import { learnedSince } from '../learned-ids.ts';
import { statusTime } from '../status-times.ts';
import type { ChannelState } from '../state.ts';
import type { Consequences, FactContext } from './context.ts';
import { BatchIndex, findKnownMessages } from './context.ts';
import { takeEcho } from './echoes.ts';
import { takeInbound } from '../inbound/receive.ts';
import { withQuoted } from './quoted.ts';
import type { FactJob, LearnedId } from './state.ts';
import type { ChannelFact, ConversationReceipt, Receipt } from '../../../src/rules/messages/facts.ts';
import { personEvent } from '../../../src/rules/events/person.ts';
import { statusEvents, whyFailed } from '../../../src/rules/events/status.ts';
import { recipientNames } from '../../../src/rules/messages/recipient-names.ts';
import { limits, readChunkOf } from '../limits.ts';
import type { OpenSend } from '../sends/state.ts';
import { receiptArrivedAt, letWait, readPoint } from './unmatched.ts';

/** Shared by most jobs: a set for each job is a fifth of the garbage of a status. */
const nothing = new Set<string>();
const noneRematched = new Map<string, UnmatchedFact>();

/** `resolved`: the messages found for the facts of `job`, and conversations in the order of its conversation receipts. */
export function consequences(
  state: ChannelState,
  settings: ChannelSettings,
  job: FactJob,
  resolved: Omit<Extract<EffectResult, { type: 'facts-resolved' }>, 'type'>,
  now: number,
): Consequences {
  const context: FactContext = {
    writes: [],
    events: [],
    again: [],
    confirms: [],
    learned: [],
    newlyUnmatched: [],
    received: [],
    stillUnmatched: job.rematched.length === 0 ? nothing : new Set(),
    told: resolved.conversations.length === 0 ? null : new Set(),
    state,
    settings,
    index: new BatchIndex(state),
    known: byEveryId(resolved.known),
    delivered: resolved.delivered.length === 0 ? nothing : new Set(resolved.delivered),
    learnedSince: learnedSince(state, resolved.job),
    job,
    rematched:
      job.rematched.length === 0 ? noneRematched : new Map(job.rematched.map((each) => [each.id, each])),
    now,
  };
  const chunk = resolved.conversations.length === 0 ? 0 : readChunkOf(countConversations(job.facts));
  let conversation = 0;
  for (const fact of job.facts) {
    if (fact.kind === 'inbound') takeInbound(context, withQuoted(context, fact));
    else if (fact.kind === 'person') context.events.push(personEvent(settings.channel, fact));
    else if (fact.kind === 'receipt') takeReceipt(context, fact);
    else if (fact.kind === 'echo') takeEcho(context, fact);
    else {
      takeConversation(context, fact, resolved.conversations[conversation] ?? [], chunk);
      conversation += 1;
    }
  }
  return context;
}

function countConversations(facts: readonly ChannelFact[]): number {
  const conversations = new Set<string>();
  for (const fact of facts)
    if (fact.kind === 'conversation-receipt') conversations.add(`${fact.status} ${fact.recipient}`);
  return conversations.size;
}

function byEveryId(messages: readonly SubjectMessage[]): Map<string, SubjectMessage[]> {
  const known = new Map<string, SubjectMessage[]>();
  for (const message of messages) {
    for (const id of [message.id, ...message.upstreamIds]) {
      const others = known.get(id);
      if (others === undefined) known.set(id, [message]);
      else others.push(message);
    }
  }
  return known;
}

/**
 * Whether the round has as many writes as a chunk of a conversation: a receipt of an echo concerns each of its parts. Further receipts take
 * another round, also those of conversations: a read must not overtake an earlier `delivered`. [faults: I9]
 */
function isFull({ writes }: FactContext): boolean {
  return writes.length >= limits.readChunk;
}

function takeReceipt(context: FactContext, fact: Receipt): void {
  if (isFull(context)) return void context.again.push(fact);
  const messages = findKnownMessages(context, fact);
  if (messages.length === 0) letWait(context, fact);
  for (const message of messages) applyStatus(context, message, fact, fact.upstreamId);
}

/** [spec: Delivery status] Read receipts are per conversation: one event for each earlier message below that status. */
function takeConversation(
  context: FactContext,
  fact: ConversationReceipt,
  messages: readonly KnownMessage[],
  chunk: number,
): void {
  if (isFull(context)) return void context.again.push(fact);
  // Upstream's clock may be ahead of ours: what was sent after the receipt was heard is not covered.
  const until = receiptArrivedAt(context, fact);
  const covered = messages.filter(({ origin, attemptedAt }) => origin === 'echo' || attemptedAt <= until);
  for (const message of covered)
    if (context.told?.has(statusOf(message, fact)) !== true)
      applyStatus(context, message, { ...fact, errors: [] }, null);
  // Only its last round knows whether it has to wait for more.
  if (covered.length > 0 && messages.length >= chunk) context.again.push(fact);
  else if (mayCoverMore(context, fact)) letWait(context, fact);
}

/** The receipt may also cover a send whose answer is still missing, or an echo that arrives later: its statuses are told then. */
function mayCoverMore(
  { settings, index, learnedSince: learned }: FactContext,
  fact: ConversationReceipt,
): boolean {
  if (settings.channel.echoStatuses) return true;
  const isCovered = ({ recipient, arrivedAt }: Pick<LearnedId, 'recipient' | 'arrivedAt'>): boolean =>
    recipient === fact.recipient && arrivedAt <= readPoint(fact);
  const mayGoOut = (send: OpenSend): boolean =>
    send.stage !== 'waiting' && !send.confirmed && isCovered(send);
  return index.sendsTo(fact.recipient).some(mayGoOut) || learned.some(isCovered);
}

function statusOf({ id }: SubjectMessage, { status }: Pick<Receipt, 'status'>): string {
  return `${status} ${id}`;
}

function applyStatus(
  context: FactContext,
  message: SubjectMessage,
  fact: Pick<Receipt, 'status' | 'at' | 'errors' | 'requestId' | 'recipient' | 'recipientUserId'>,
  upstreamId: string | null,
): void {
  const { status, errors } = fact;
  context.told?.add(statusOf(message, fact));
  const at = statusTime(context.state, message.id, fact.at, message.statusAt);
  const why = status === 'failed' ? whyFailed(errors) : undefined;
  const { channelType } = context.settings.channel;
  context.writes.push({
    write: 'recordStatus',
    messageId: message.id,
    channelType,
    status,
    upstreamId,
    at,
    why,
  });
  if (upstreamId !== null && context.state.sends.open.has(message.id))
    context.confirms.push({ messageId: message.id, upstreamId });
  // [spec: message.echo 2, 3] No `message.sent` follows an echo; without `echo_statuses` it is a one-off copy.
  if (message.origin === 'echo' && (status === 'sent' || !context.settings.channel.echoStatuses)) return;
  const { id: messageId, recipient } = message;
  const { requestId } = fact;
  const names = recipientNames(recipient, fact.recipient, fact.recipientUserId);
  const report = { status, messageId, recipient, at, errors, requestId, ...names };
  for (const event of statusEvents(context.settings.channel, report)) context.events.push(event);
}
