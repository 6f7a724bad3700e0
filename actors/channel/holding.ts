/**
 * Facts whose message is not known yet: a status before the send's answer, a read while a send is in flight, an echo that
 * may be our own. They are durable, and joined when the answer or the echo arrives, or dropped after 15 minutes. An echo
 * waits for 10 s only and then counts as somebody else's; it is stored for longer, so that a take-over does not lose it.
 * [operator-interface §4: a status whose message is not known yet]
 */
import type { ConversationReceipt, Echo, Receipt } from '../../src/domain/messages/facts.ts';
import type { HeldFact } from './ports.ts';
import type { ChannelState } from './state.ts';
import { bounds, wakeBy } from './state.ts';

const receiptStatuses = ['sent', 'delivered', 'read', 'failed'] as const;
const conversationStatuses = ['delivered', 'read'] as const;

/** `fact` as something to hold from `now` on. The same fact redelivered gets the same id. */
export function holding(
  channelId: string,
  fact: Receipt | ConversationReceipt | Echo,
  now: number,
): HeldFact {
  return { id: idOf(channelId, fact), fact, expiresAt: now + bounds.holdMs };
}

/** When a held fact is no longer kept waiting for its message. */
export function patienceEndsAt({ fact, expiresAt }: HeldFact): number {
  return fact.kind === 'echo' ? expiresAt - bounds.holdMs + bounds.echoHoldMs : expiresAt;
}

/**
 * Remembers what was just written as held. Answers what the store must hold instead: of two receipts of one conversation that
 * were written at the same time the later one. Beyond the bound the store alone remembers the oldest, until it expires.
 */
export function remember(state: ChannelState, held: HeldFact): HeldFact | null {
  const standing = state.held.get(held.id);
  if (standing !== undefined && pointOf(standing.fact) > pointOf(held.fact)) return standing;
  if (state.held.size >= bounds.held && standing === undefined) {
    const [oldest] = state.held.keys();
    if (oldest !== undefined) state.held.delete(oldest);
  }
  state.held.set(held.id, held);
  wakeBy(state, patienceEndsAt(held));
  return null;
}

/** Forgets what was just dropped. Answers what the store must hold again: a later receipt that was put on hold meanwhile. */
export function forget(state: ChannelState, { id, fact }: HeldFact): HeldFact | null {
  const standing = state.held.get(id);
  if (standing !== undefined && standing.fact !== fact) return standing;
  state.held.delete(id);
  return null;
}

/** Of two receipts of one conversation the later one says it all: who reads a message has read what came before it. */
export function pointOf(fact: HeldFact['fact']): number {
  return fact.kind === 'conversation-receipt' ? (fact.upTo ?? fact.at) : 0;
}

/** What is held for the message upstream calls `upstreamId`, and for its recipient's conversation. */
export function heldFor(state: ChannelState, upstreamId: string, recipient: string): HeldFact[] {
  const { channelId, held } = state;
  const ids = [
    echoId(channelId, upstreamId),
    ...receiptStatuses.map((status) => receiptId(channelId, upstreamId, status)),
    ...conversationStatuses.map((status) => conversationId(channelId, recipient, status)),
  ];
  return ids.flatMap((id) => held.get(id) ?? []);
}

function idOf(channelId: string, fact: Receipt | ConversationReceipt | Echo): string {
  if (fact.kind === 'echo') return echoId(channelId, fact.upstreamId);
  if (fact.kind === 'receipt') return receiptId(channelId, fact.upstreamId, fact.status);
  return conversationId(channelId, fact.recipient, fact.status);
}

const echoId = (channelId: string, upstreamId: string): string => `${channelId}/e/${upstreamId}`;
const receiptId = (channelId: string, upstreamId: string, status: string): string =>
  `${channelId}/r/${status}/${upstreamId}`;
const conversationId = (channelId: string, recipient: string, status: string): string =>
  `${channelId}/c/${status}/${recipient}`;
