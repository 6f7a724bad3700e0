/**
 * Copies of messages that went out on the channel: an echo of our own send confirms it, any other becomes `message.echo`. [upstream §4.7-8]
 */
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import { echoEvents } from '../../../src/rules/events/echo.ts';
import { statusEvents } from '../../../src/rules/events/status.ts';
import type { Content } from '../../../src/rules/messages/content.ts';
import { latestMeant } from '../../../src/rules/messages/facts.ts';
import type { Echo, Part } from '../../../src/rules/messages/facts.ts';
import { rankOf, newMessage } from '../../../src/rules/messages/message.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { findRefusal } from '../eligibility.ts';
import { statusTime } from '../status-times.ts';
import { BatchIndex, findKnownMessages } from './context.ts';
import type { FactContext } from './context.ts';
import { letWait } from './unmatched.ts';
import { waitForProof } from './unproven-echoes.ts';
import type { OpenSend } from '../sends/state.ts';
import type { ChannelState } from '../state.ts';
import type { UnmatchedFact } from '../../../src/storage/journal/channel-journal.ts';

/**
 * An echo belongs to a send of ours by its tag, upstream id or app id, or, because photoapp has none of these, by an open send; otherwise
 * it is foreign.
 */
export function takeEcho(context: FactContext, echo: Echo): void {
  const [message] = findKnownMessages(context, echo);
  if (message?.origin === 'service') confirmByEcho(context, message.id, message.statusAt, echo);
  else if (message !== undefined || !isOwn(context, echo)) takeForeignEcho(context, echo);
}

function isOwn(context: FactContext, echo: Echo): boolean {
  if (echo.appId === context.state.rules.upstreamAppId) return true;
  return isKnownByNow(context, echo.upstreamId) || takeAsOwn(context, echo);
}

/**
 * True when upstream answered our send with this id during the look-up, when that answer is being written, or when an earlier copy of this
 * echo confirms the send already.
 */
function isKnownByNow(context: FactContext, upstreamId: string): boolean {
  const { index, learnedSince } = context;
  const hasThisId = (one: { upstreamId: string }): boolean => one.upstreamId === upstreamId;
  return index.isAnswered(upstreamId) || learnedSince.some(hasThisId) || isConfirming(context, hasThisId);
}

/** An echo or status that is not stored yet confirms such a send. */
function isConfirming(
  { confirms, state }: Sends,
  hasThisId: (confirm: FactContext['confirms'][number]) => boolean,
): boolean {
  return confirms.some(hasThisId) || state.facts.jobs.some((job) => job.confirms.some(hasThisId));
}

function confirmByEcho(context: FactContext, messageId: string, statusAt: number | null, echo: Echo): void {
  const { upstreamId } = echo;
  const at = statusTime(context.state, messageId, echo.at, statusAt);
  context.writes.push({ write: 'recordStatus', messageId, status: 'sent', upstreamId, at });
  if (!context.state.sends.open.has(messageId)) return;
  context.confirms.push({ messageId, upstreamId });
  const kind = kindOf(echo.channelType);
  const { recipient, requestId } = echo;
  const about = { messageId, recipient, at, errors: [], requestId };
  for (const status of kind.statusesOnAccept) {
    context.writes.push({ write: 'recordStatus', messageId, status, upstreamId: null, at });
    context.events.push(...statusEvents(context.settings.channel, { ...about, status }));
  }
}

/**
 * An echo without a sender (photoapp) may be of an open send to its recipient. While a call is in flight, its answer decides, for a few
 * seconds, unless a send is held back for this echo; then the same text decides, the oldest such send first. [upstream §3.7, §4.8]
 */
function takeAsOwn(context: FactContext, echo: Echo): boolean {
  const out = sendsOf(context, echo);
  const isAwaited = out.some(({ heldUntil }) => heldUntil > context.now);
  if (out.some(isInFlight) && !isAwaited && letWait(context, echo)) return true;
  const [part] = echo.parts;
  const twin = out.find(({ content }) => part !== undefined && looksLike(part, content));
  if (twin !== undefined) confirmByEcho(context, twin.messageId, null, echo);
  return twin !== undefined;
}

/** Recipients of echoes that were just stored to wait for an answer which came meanwhile. */
export function answeredMeanwhile(state: ChannelState, stored: readonly UnmatchedFact[]): string[] {
  const context = { index: new BatchIndex(state), confirms: [], state };
  return stored.flatMap(({ fact }) =>
    fact.kind === 'echo' && !sendsOf(context, fact).some(isInFlight) ? [fact.recipient] : [],
  );
}

type Sends = Pick<FactContext, 'index' | 'confirms' | 'state'>;

/** The open sends that the echo may be of; none if it says who sent it. */
function sendsOf(context: Sends, echo: Echo): OpenSend[] {
  if (kindOf(echo.channelType).echoNamesSender || echo.appId !== null || echo.tag !== null) return [];
  return context.index
    .sendsTo(echo.recipient)
    .filter((send) => !isConfirmed(context, send) && mayBeOut(send) && wasAsked(send, echo));
}

function isInFlight({ stage }: OpenSend): boolean {
  return stage === 'calling';
}

/** A send may also be confirmed by an earlier echo that is not stored yet: each copy has an echo of its own. */
function isConfirmed(context: Sends, { confirmed, messageId }: OpenSend): boolean {
  return confirmed || isConfirming(context, (one) => one.messageId === messageId);
}

/** Compares texts; of files only the kind, because the address in an echo is upstream's own. [upstream §3.7] */
function looksLike(part: Part, content: Content | null): boolean {
  if (content?.type === 'text') return part.type === 'text' && part.text === content.text;
  if (content?.type === 'interactive')
    return part.type === 'text' ? part.text === content.text : part.type === 'unsupported';
  return content?.type === 'media' && part.type === content.mediaType;
}

/** A message that went out before the send was requested is an earlier message, even if equal. Relies on correct clocks of the nodes. */
function wasAsked({ arrivedAt }: OpenSend, echo: Echo): boolean {
  return arrivedAt <= latestMeant(echo.at);
}

/** A copy of the send may be in flight and its upstream id is unknown. A definite refusal is not a copy. */
function mayBeOut({ stage, copies }: OpenSend): boolean {
  if (stage === 'accepted') return false;
  const notCalledYet = stage === 'claiming' || stage === 'withdrawing' || stage === 'reconciling' ? 1 : 0;
  return copies - notCalledYet > 0;
}

/**
 * [spec: message.echo] A copy of what the business sent outside the service. Tracked only with `echo_statuses`; ignored while the channel
 * may not receive.
 */
function takeForeignEcho(context: FactContext, echo: Echo): void {
  if (findRefusal(context.state, context.now) !== null) return;
  const { channel } = context.settings;
  // [spec: message.echo rule 8] A number that is used only through the cloud API has no echoes.
  if (waitForProof(context, echo)) return;
  const events = echoEvents(channel, echo);
  context.events.push(...events);
  if (!channel.echoStatuses) return;
  // [spec: message.echo rule 6] Every part is a message of its own; a status for the upstream id concerns all of them.
  for (const [index, { messageId }] of events.entries()) {
    const messageType = echo.parts[index]?.type ?? null;
    const message = { ...echoMessage(context, echo, messageId), messageType };
    context.writes.push({ write: 'insertEcho', message });
  }
  const { upstreamId, recipient, at: arrivedAt } = echo;
  context.learned.push({ upstreamId, recipient, arrivedAt });
}

function echoMessage(
  { settings: { channel }, state, now }: FactContext,
  echo: Echo,
  id: string,
): OutboundMessage {
  const { rankOfEcho: rank } = kindOf(channel.channelType);
  return newMessage(channel, {
    id,
    origin: 'echo',
    recipient: echo.recipient,
    state: 'sent',
    rank,
    attemptedAt: echo.at,
    statusAt: echo.at,
    sentAt: echo.at,
    deliveredAt: rank >= rankOf('delivered') ? echo.at : null,
    upstreamIds: [echo.upstreamId],
    epoch: state.epoch,
    createdAt: now,
  });
}
