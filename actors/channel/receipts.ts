/** What follows from upstream's facts: which statuses are recorded, which events go out, what must wait. */
import { kindOf } from '../../src/domain/channels/index.ts';
import { echoEvents, receivedEvents } from '../../src/domain/events/index.ts';
import type { BuiltEvent } from '../../src/domain/events/index.ts';
import type { ChannelFact, ConversationReceipt, Echo, Receipt } from '../../src/domain/messages/facts.ts';
import type { ChannelNews } from './messages.ts';
import { statusEventsOf } from './events.ts';
import { holding } from './holding.ts';
import type { ChannelSettings, HeldFact, KnownMessage, Write } from './ports.ts';
import type { ChannelState, FactJob, OpenSend } from './state.ts';
import { bounds } from './state.ts';

export interface Consequences {
  writes: Write[];
  events: BuiltEvent[];
  again: ChannelFact[];
  confirms: string[];
  holds: HeldFact[];
}

interface Context extends Consequences {
  state: ChannelState;
  settings: ChannelSettings;
  known: Map<string, KnownMessage>;
  /** Facts that were held before: they do not wait a second time. */
  isJoin: boolean;
  now: number;
}

export function consequences(
  state: ChannelState,
  settings: ChannelSettings,
  job: FactJob,
  resolved: Extract<ChannelNews, { type: 'facts-resolved' }>,
  now: number,
): Consequences {
  const result: Consequences = { writes: [], events: [], again: [], confirms: [], holds: [] };
  const context: Context = {
    ...result,
    state,
    settings,
    known: byEveryId(resolved.known),
    isJoin: job.joined.length > 0,
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
  return result;
}

function byEveryId(messages: readonly KnownMessage[]): Map<string, KnownMessage> {
  const known = new Map<string, KnownMessage>();
  for (const message of messages) {
    known.set(message.id, message);
    for (const upstreamId of message.upstreamIds) known.set(upstreamId, message);
  }
  return known;
}

function takeInbound(context: Context, fact: Extract<ChannelFact, { kind: 'inbound' }>): void {
  const tier = context.settings.subscription?.tier ?? 'starter';
  context.events.push(...receivedEvents(context.settings.channel, tier, fact));
}

function takeReceipt(context: Context, fact: Receipt): void {
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
  context: Context,
  fact: ConversationReceipt,
  messages: readonly KnownMessage[],
): void {
  for (const message of messages) applyStatus(context, message, { ...fact, errors: [] }, null);
  if (messages.length >= bounds.readChunk) context.again.push(fact);
  // A send whose answer is still out may be covered too: its own upstream time is not known yet.
  const covers = (send: OpenSend): boolean =>
    send.recipient === fact.recipient &&
    send.stage !== 'waiting' &&
    send.attemptedAt <= (fact.upTo ?? fact.at);
  if (!context.isJoin && some(context.state.sends.values(), covers)) hold(context, fact);
}

function applyStatus(
  context: Context,
  message: KnownMessage,
  fact: Pick<Receipt, 'status' | 'at' | 'errors'>,
  upstreamId: string | null,
): void {
  const { status, at, errors } = fact;
  context.writes.push({ write: 'recordStatus', messageId: message.id, status, upstreamId });
  if (context.state.sends.has(message.id)) context.confirms.push(message.id);
  // [spec: Events, echo rule 3] Without `echo_statuses` an echo is a one-off copy.
  if (message.origin === 'echo' && !context.settings.channel.echoStatuses) return;
  const about = { messageId: message.id, recipient: message.recipient, at, errors };
  context.events.push(...statusEventsOf(context.settings, { ...about, status }));
}

/** Ours by tag, by upstream id, by app id, or (photoapp has none of these) by what is on its way; else somebody else's. */
function takeEcho(context: Context, echo: Echo): void {
  const message =
    (echo.tag === null ? undefined : context.known.get(echo.tag)) ?? context.known.get(echo.upstreamId);
  if (message !== undefined && message.origin === 'service') {
    confirmByEcho(context, message.id, echo);
    return;
  }
  if (message === undefined && echo.appId !== null && echo.appId === context.state.rules.appId) return;
  if (message === undefined && echo.appId === null && echo.tag === null) {
    const ours = openTwin(context.state, echo);
    if (ours === 'maybe' && !context.isJoin) {
      hold(context, echo);
      return;
    }
    if (ours !== 'maybe' && ours !== null) {
      confirmByEcho(context, ours.messageId, echo);
      return;
    }
  }
  takeForeignEcho(context, echo);
}

function confirmByEcho(context: Context, messageId: string, echo: Echo): void {
  context.writes.push({ write: 'recordStatus', messageId, status: 'sent', upstreamId: echo.upstreamId });
  if (!context.state.sends.has(messageId)) return;
  context.confirms.push(messageId);
  const kind = kindOf(echo.channelType);
  const about = { messageId, recipient: echo.recipient, at: echo.at, errors: [] };
  for (const status of kind.statusesOnAccept) {
    context.writes.push({ write: 'recordStatus', messageId, status, upstreamId: null });
    context.events.push(...statusEventsOf(context.settings, { ...about, status }));
  }
}

/** The send this echo may be a copy of: same recipient and text, or any that is in flight to that recipient. */
function openTwin(state: ChannelState, echo: Echo): OpenSend | 'maybe' | null {
  if (echo.channelType !== 'photoapp') return null;
  let inFlight = false;
  for (const send of state.sends.values()) {
    if (send.recipient !== echo.recipient || send.stage === 'waiting' || send.confirmed) continue;
    const [part] = echo.parts;
    if (part?.type === 'text' && part.text === send.content.text) return send;
    inFlight = inFlight || send.stage === 'calling';
  }
  return inFlight ? 'maybe' : null;
}

/** [spec: message.echo] A copy of what the business sent outside the service; tracked only with `echo_statuses`. */
function takeForeignEcho(context: Context, echo: Echo): void {
  const { channel } = context.settings;
  const events = echoEvents(channel, echo);
  context.events.push(...events);
  const [first] = events;
  if (!channel.echoStatuses || first === undefined) return;
  context.writes.push({
    write: 'insertEcho',
    message: {
      id: first.messageId,
      channelId: channel.id,
      accountId: channel.accountId,
      channelType: channel.channelType,
      origin: 'echo',
      recipient: echo.recipient,
      content: null,
      state: 'sent',
      rank: kindOf(channel.channelType).rankOfEcho,
      deliveryFailed: false,
      copies: 0,
      tries: 0,
      attemptedAt: echo.at,
      nextTryAt: null,
      upstreamIds: [echo.upstreamId],
      error: null,
      errorCode: null,
      epoch: context.state.epoch,
      createdAt: context.now,
    },
  });
}

function hold(context: Context, fact: Receipt | ConversationReceipt | Echo): void {
  if (context.isJoin) return;
  const held = holding(context.state.channelId, fact, context.now);
  context.holds.push(held);
  context.writes.push({ write: 'hold', held });
}

function some<T>(items: Iterable<T>, test: (item: T) => boolean): boolean {
  for (const item of items) if (test(item)) return true;
  return false;
}
