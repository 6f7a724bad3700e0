/** Applies a write to a message in memory. */
import type { Write } from '../../../src/storage/journal/writes.ts';
import type { EndedCall, DeliveryStatus, OutboundMessage } from '../../../src/rules/messages/message.ts';
import { rankOf, statusTimes } from '../../../src/rules/messages/message.ts';

export type OfMessage = Exclude<
  Extract<Write, { messageId: string }>,
  { write: 'insertMessage' | 'insertEcho' | 'insertDelivery' }
>;
type Of<W extends Write['write']> = Extract<Write, { write: W }>;

/** The status in the reply to a send. */
export function statusIn(reply: unknown): 'sent' | 'queued' | 'failed' {
  const status = typeof reply === 'object' && reply !== null && 'status' in reply ? reply.status : null;
  if (status === 'sent' || status === 'queued' || status === 'failed') return status;
  throw new Error('a send was answered with something else');
}

export function isOpen({ state }: OutboundMessage): boolean {
  return state === 'sending' || state === 'queued';
}

/** Changes `m`; returns false if a claim does not match. */
export function applyTo(m: OutboundMessage, epoch: number, write: OfMessage): boolean {
  switch (write.write) {
    case 'claimCopy':
      return claimCopy(m, epoch, write);
    case 'recordDeferred':
      if (m.state === 'sending') defer(m, write);
      return true;
    case 'recordUnknown':
      if (m.state === 'sending') {
        m.state = 'queued';
        log(m, write.call);
      }
      return true;
    case 'recordFailed':
      if (m.state !== 'sent') fail(m, write);
      return true;
    case 'recordAccepted':
      confirm(m, write.rank, write);
      m.state = 'sent';
      noteTimes(m, write.rank >= rankOf('delivered') ? ['sent', 'delivered'] : ['sent'], write.at);
      log(m, write.call);
      return true;
    case 'recordStatus':
      report(m, write);
      return true;
    default:
      return write satisfies never;
  }
}

function claimCopy(m: OutboundMessage, epoch: number, write: Of<'claimCopy'>): boolean {
  const { expect, attemptedAt, before } = write;
  const { copies, tries } = expect;
  if (!isOpen(m) || m.copies !== copies || m.tries !== tries) return false;
  Object.assign(m, { state: 'sending', copies: copies + 1, tries: tries + 1, attemptedAt, epoch });
  m.nextTryAt = null;
  const unseen = { endedAt: null, outcome: 'unknown', error: null, code: null, traceId: null } as const;
  if (before !== undefined && m.calls?.[before.n] === undefined) log(m, { ...unseen, ...before });
  return true;
}

function defer(m: OutboundMessage, write: Of<'recordDeferred'>): void {
  const { nextTryAt, error, errorCode, call, attemptedAt = m.attemptedAt } = write;
  m.attemptedAt = attemptedAt;
  Object.assign(m, { state: 'queued', copies: Math.max(0, m.copies - 1), nextTryAt, error, errorCode });
  log(m, call);
}

function fail(m: OutboundMessage, { error, errorCode, at, call }: Of<'recordFailed'>): void {
  Object.assign(m, { state: 'failed', nextTryAt: null, content: null, error, errorCode });
  noteTimes(m, ['failed'], at);
  log(m, call);
}

function report(m: OutboundMessage, write: Of<'recordStatus'>): void {
  const { status, at, why } = write;
  confirm(m, rankOf(status), write);
  if (m.state !== 'abandoned') m.state = 'sent';
  if (status === 'failed') m.deliveryFailed = true;
  noteTimes(m, [status], at);
  if (why !== undefined) Object.assign(m, why);
}

function confirm(
  m: OutboundMessage,
  rank: number,
  { upstreamId, at }: { upstreamId: string | null; at: number },
): void {
  const statusAt = Math.max(m.statusAt ?? 0, at);
  Object.assign(m, { rank: Math.max(m.rank, rank), statusAt, nextTryAt: null, content: null });
  if (upstreamId !== null && !m.upstreamIds.includes(upstreamId)) m.upstreamIds.push(upstreamId);
}

function noteTimes(m: OutboundMessage, statuses: readonly DeliveryStatus[], at: number): void {
  for (const status of statuses) {
    const place = statusTimes[status];
    m[place] = Math.min(m[place] ?? at, at);
  }
}

function log(m: OutboundMessage, call: EndedCall | undefined): void {
  if (call === undefined) return;
  const { n, ...entry } = call;
  m.calls = { ...m.calls, [n]: entry };
}
