/** Which message a person answers: one that we sent, one that the person wrote, or a copy of what the business wrote elsewhere. */
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import { echoMessageId } from '../../../src/rules/events/echo.ts';
import { inboundMessageId } from '../../../src/rules/events/received.ts';
import type { InboundMessage } from '../../../src/rules/messages/facts.ts';
import type { ChannelState } from '../state.ts';
import type { FactContext } from './context.ts';

/** Deliveries that exist if the answered message was told as an event. */
export function quotedDeliveries({ channelId }: ChannelState, upstreamId: string): [string, string] {
  return [
    makeDeliveryId(channelId, inboundMessageId(channelId, upstreamId), 'message.received'),
    makeDeliveryId(channelId, echoMessageId(channelId, upstreamId, 1), 'message.echo'),
  ];
}

/** The fact with our id of the answered message; unchanged if it answers none that is known. */
export function withQuoted({ state, known, delivered }: FactContext, fact: InboundMessage): InboundMessage {
  const upstreamId = fact.replyTo?.upstreamId;
  if (upstreamId === undefined) return fact;
  const messageId = known.get(upstreamId)?.[0]?.id ?? toldId(state, delivered, upstreamId);
  return messageId === null ? fact : { ...fact, replyTo: { ...fact.replyTo, messageId } };
}

function toldId(state: ChannelState, delivered: ReadonlySet<string>, upstreamId: string): string | null {
  const [received, echoed] = quotedDeliveries(state, upstreamId);
  if (delivered.has(received)) return inboundMessageId(state.channelId, upstreamId);
  return delivered.has(echoed) ? echoMessageId(state.channelId, upstreamId, 1) : null;
}
