/** Statuses of messages: which are recorded, which become events, which wait for their message. */
import type { ConversationReceipt, Receipt } from '../../../src/domain/messages/facts.ts';
import { statusEvents, whyFailed } from '../../../src/domain/events/status.ts';
import { limits } from '../limits.ts';
import type { KnownMessage, SubjectMessage } from '../ports/store.ts';
import type { OpenSend } from '../sends/state.ts';
import { findKnownMessages } from './context.ts';
import { heardAt, letWait, readPoint } from './unmatched.ts';
import type { FactContext } from './context.ts';
import { statusTime } from '../known-ids.ts';
import type { KnownUpstreamId } from './state.ts';

export function takeReceipt(context: FactContext, fact: Receipt): void {
  const messages = findKnownMessages(context, fact);
  if (messages.length === 0) letWait(context, fact);
  for (const message of messages) applyStatus(context, message, fact, fact.upstreamId);
}

/** [spec: Delivery status] Read receipts are per conversation: one event for each earlier message below that status. */
export function takeConversation(
  context: FactContext,
  fact: ConversationReceipt,
  messages: readonly KnownMessage[],
): void {
  // Upstream's clock may be ahead of ours: what was sent after the receipt was heard is not covered.
  const until = heardAt(context, fact);
  const covered = messages.filter(({ origin, attemptedAt }) => origin === 'echo' || attemptedAt <= until);
  for (const message of covered) applyStatus(context, message, { ...fact, errors: [] }, null);
  if (covered.length > 0 && messages.length >= limits.readChunk) context.again.push(fact);
  if (mayCoverMore(context, fact)) letWait(context, fact);
}

/** The receipt may also cover a send whose answer is still missing, or an echo that arrives later: its statuses are told then. */
function mayCoverMore({ settings, index, learnedSince }: FactContext, fact: ConversationReceipt): boolean {
  if (settings.channel.echoStatuses) return true;
  const isCovered = ({ recipient, arrivedAt }: Pick<KnownUpstreamId, 'recipient' | 'arrivedAt'>): boolean =>
    recipient === fact.recipient && arrivedAt <= readPoint(fact);
  const mayGoOut = (send: OpenSend): boolean =>
    send.stage !== 'waiting' && !send.confirmed && isCovered(send);
  return index.sendsTo(fact.recipient).some(mayGoOut) || learnedSince.some(isCovered);
}

function applyStatus(
  context: FactContext,
  message: SubjectMessage,
  fact: Pick<Receipt, 'status' | 'at' | 'errors' | 'requestId'>,
  upstreamId: string | null,
): void {
  const { status, errors } = fact;
  const at = statusTime(context.state, message.id, fact.at, message.statusAt);
  const why = status === 'failed' ? whyFailed(errors) : undefined;
  context.writes.push({ write: 'recordStatus', messageId: message.id, status, upstreamId, at, why });
  if (upstreamId !== null && context.state.sends.open.has(message.id))
    context.confirms.push({ messageId: message.id, upstreamId });
  // [spec: message.echo 2, 3] No `message.sent` follows an echo; without `echo_statuses` it is a one-off copy.
  if (message.origin === 'echo' && (status === 'sent' || !context.settings.channel.echoStatuses)) return;
  const { id: messageId, recipient } = message;
  const { requestId } = fact;
  const report = { status, messageId, recipient, at, errors, requestId };
  for (const event of statusEvents(context.settings.channel, report)) context.events.push(event);
}
