/** Which message a person answers: one that we sent, one that the person wrote, or a copy of what the business wrote elsewhere. */
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import { echoMessageId } from '../../../src/rules/events/echo.ts';
import { inboundMessageId } from '../../../src/rules/events/received.ts';
import type { EventType } from '../../../src/rules/events/table.ts';
import type { InboundMessage } from '../../../src/rules/messages/facts.ts';
import type { OwnedDelivery } from '../messages.ts';
import type { ChannelState } from '../state.ts';
import type { FactContext } from './context.ts';

interface Quoted {
  messageId: string;
  /** Of the channel and of each endpoint, also of those that are gone: at least one exists if the answered message was told as an event. */
  deliveries: OwnedDelivery[];
}

/** The answered message as one that the person wrote, and as an echo. */
function readingsOf({ channelId, settings }: ChannelState, upstreamId: string): Quoted[] {
  const current = (settings?.endpoints ?? []).map(({ ownerId }) => ownerId);
  const owners = [channelId, ...current, ...(settings?.loggedOwners ?? [])];
  const asked = (messageId: string, event: EventType): Quoted => ({
    messageId,
    deliveries: owners.map((ownerId) => ({ ownerId, id: makeDeliveryId(ownerId, messageId, event) })),
  });
  return [
    asked(inboundMessageId(channelId, upstreamId), 'message.received'),
    asked(echoMessageId(channelId, upstreamId, 1), 'message.echo'),
  ];
}

export function quotedDeliveries(state: ChannelState, upstreamId: string): OwnedDelivery[] {
  return readingsOf(state, upstreamId).flatMap(({ deliveries }) => deliveries);
}

/** The fact with our id of the answered message; unchanged if it answers none that is known. */
export function withQuoted({ state, known, delivered }: FactContext, fact: InboundMessage): InboundMessage {
  const upstreamId = fact.replyTo?.upstreamId;
  if (upstreamId === undefined) return fact;
  const messageId = known.get(upstreamId)?.[0]?.id ?? toldId(state, delivered, upstreamId);
  return messageId === null ? fact : { ...fact, replyTo: { ...fact.replyTo, messageId } };
}

function toldId(state: ChannelState, delivered: ReadonlySet<string>, upstreamId: string): string | null {
  const isTold = ({ deliveries }: Quoted): boolean => deliveries.some(({ id }) => delivered.has(id));
  return readingsOf(state, upstreamId).find(isTold)?.messageId ?? null;
}
