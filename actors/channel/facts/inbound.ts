/**
 * What people write to the channel. A text becomes its event in the commit that answers upstream; a message with files is put on
 * record in that commit and told when they are there (`files.ts`), and so is what the same person writes meanwhile.
 * [spec: message.received; architecture §6.3]
 */
import { receivedEvents } from '../../../src/domain/events/received.ts';
import type { InboundMessage } from '../../../src/domain/messages/facts.ts';
import { limits } from '../limits.ts';
import type { PendingInbound } from '../ports.ts';
import { some } from './context.ts';
import type { FactContext } from './context.ts';
import { firstDeliveryOf, hasFilesFor, tierOf } from './files.ts';
import { openInbound } from './pending.ts';

export function takeInbound(context: FactContext, fact: InboundMessage): void {
  const { state, settings, delivered } = context;
  if (hasFilesFor(state, fact)) {
    // Told before: this is upstream's repetition.
    if (!delivered.has(firstDeliveryOf(state.channelId, fact))) keep(context, capped(fact));
  } else if (isBehind(context, fact)) keep(context, capped(fact));
  else context.events.push(...receivedEvents(settings.channel, tierOf(settings), capped(fact)));
}

/** [faults: 94] */
function capped(fact: InboundMessage): InboundMessage {
  return fact.parts.length <= limits.parts ? fact : { ...fact, parts: fact.parts.slice(0, limits.parts) };
}

/** Something earlier of the same person waits for its files. */
function isBehind({ state }: FactContext, { from }: InboundMessage): boolean {
  return some(
    state.facts.inbound.values(),
    ({ pending, stage }) => stage !== 'telling' && pending.fact.from === from,
  );
}

function keep({ state, writes, received, now }: FactContext, fact: InboundMessage): void {
  const id = `${state.channelId}/i/${fact.upstreamId}`;
  const known = state.facts.inbound.get(id);
  if (known !== undefined && known.stage !== 'keeping') return; // on record, and being looked after
  const expiresAt = now + limits.pendingInboundMs;
  const pending: PendingInbound = known?.pending ?? { id, fact, expiresAt, dueAt: now };
  writes.push({ write: 'keepUnmatched', unmatched: pending });
  received.push(pending);
  // Remembered at once, so that what comes next from this person waits its turn; forgotten again if it can't be written.
  if (known === undefined) state.facts.inbound.set(id, openInbound(pending, now, 'keeping'));
}
