/** What people write to the channel. [spec: message.received] */
import { receivedEvents } from '../../../src/domain/events/received.ts';
import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import type { FactContext } from './context.ts';

export function takeInbound(context: FactContext, fact: Extract<ChannelFact, { kind: 'inbound' }>): void {
  const tier = context.settings.subscription?.tier ?? 'starter';
  context.events.push(...receivedEvents(context.settings.channel, tier, fact));
}
