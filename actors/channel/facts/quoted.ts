/** Which message a person answers: one that we sent, one that the person wrote, or a copy of what the business wrote elsewhere. */
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import { echoMessageId } from '../../../src/rules/events/echo.ts';
import { inboundMessageId } from '../../../src/rules/events/received.ts';
import type { EventType } from '../../../src/rules/events/table.ts';
import type { InboundMessage } from '../../../src/rules/messages/facts.ts';
import type { OwnedDelivery } from '../messages.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';
import { isEnabled } from '../eligibility.ts';
import { isUnderWay } from '../inbound/receive.ts';
import type { ChannelState } from '../state.ts';
import type { FactContext } from './context.ts';

interface Quoted {
  messageId: string;
  event: EventType;
  /** Of the channel and of each endpoint, also of those that are gone: at least one exists if the answered message was told as an event. */
  deliveries: OwnedDelivery[];
}

/** The answered message as one that the person wrote, and as an echo. */
function readingsOf({ channelId, settings }: ChannelState, upstreamId: string): Quoted[] {
  const current = (settings?.endpoints ?? []).map(({ ownerId }) => ownerId);
  const owners = [channelId, ...current, ...(settings?.loggedOwners ?? [])];
  const asked = (messageId: string, event: EventType): Quoted => ({
    messageId,
    event,
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
export function withQuoted(context: FactContext, fact: InboundMessage): InboundMessage {
  const upstreamId = fact.replyTo?.upstreamId;
  if (upstreamId === undefined) return fact;
  const messageId = context.known.get(upstreamId)?.[0]?.id ?? toldId(context, upstreamId);
  return messageId === null ? fact : { ...fact, replyTo: { ...fact.replyTo, messageId } };
}

/** Of a message that was told, or that is about to be: with this one, or before it once its files are there. */
function toldId(context: FactContext, upstreamId: string): string | null {
  const { state, delivered } = context;
  const isTold = ({ deliveries }: Quoted): boolean => deliveries.some(({ id }) => delivered.has(id));
  const readings = readingsOf(state, upstreamId);
  const found = readings.find(isTold) ?? readings.find((each) => isToBeTold(context, upstreamId, each));
  return found?.messageId ?? null;
}

function isToBeTold(
  { state, settings, events }: FactContext,
  upstreamId: string,
  { messageId, event }: Quoted,
): boolean {
  if (!isAskedFor(settings, event)) return false;
  return (
    events.some((told) => told.messageId === messageId) ||
    (event === 'message.received' && isUnderWay(state, upstreamId))
  );
}

/** By the webhook of the channel or by an endpoint. */
function isAskedFor(settings: ChannelSettings, event: EventType): boolean {
  return (
    isEnabled(settings, event) || (settings.endpoints ?? []).some(({ events }) => events.includes(event))
  );
}
