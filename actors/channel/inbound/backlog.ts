/**
 * Pending messages beyond the bound of memory: only the store holds them, and they are read in order when memory has room. A text of a
 * person without remembered messages does not wait for messages that may be in the store. [faults: I11]
 */
import type { ChannelEffect } from '../messages.ts';
import { findLimit } from '../limits.ts';
import type { InboundPage, PendingInbound } from '../../../src/storage/journal/channel-journal.ts';
import { moveInbound, openInbound } from './state.ts';
import type { InboundBacklog, InboundState } from './state.ts';

/** A unique time for each message: two messages of one millisecond keep their order when their owner dies. */
export function nextDueAt({ backlog }: InboundState, now: number): number {
  backlog.lastDueAt = Math.max(now, backlog.lastDueAt + 1);
  return backlog.lastDueAt;
}

/** While the store holds more, half of the room is reserved for that. */
export function hasRoom({ backlog, open, nodeFull }: InboundState): boolean {
  const { storeHasMore, loading } = backlog;
  const most = findLimit('inbound', nodeFull);
  return open.size < (storeHasMore || loading ? most / 2 : most);
}

/** The message is stored: this owner handles it now, or leaves it in the store for later. */
export function rememberInbound(inbound: InboundState, pending: PendingInbound, now: number): void {
  const { backlog, open } = inbound;
  const { id, dueAt } = pending;
  const known = open.get(id);
  if (known === undefined && !hasRoom(inbound)) return leaveInStore(backlog, dueAt - 1);
  if (known === undefined) open.set(id, openInbound(pending, now, 'open'));
  else if (known.stage === 'keeping') moveInbound(known, 'open');
  if (!backlog.loading && !backlog.storeHasMore) backlog.after = Math.max(backlog.after, dueAt);
  backlog.lastDueAt = Math.max(backlog.lastDueAt, dueAt);
}

export function leaveInStore(backlog: InboundBacklog, after: number): void {
  backlog.after = Math.min(backlog.after, after);
  backlog.storeHasMore = true;
}

/** Reads the next page when half of the room is free: rarely, and before memory runs empty. */
export function readBacklog({ backlog, open, nodeFull }: InboundState): ChannelEffect[] {
  const most = findLimit('inbound', nodeFull);
  if (!backlog.storeHasMore || backlog.loading || open.size > most / 2) return [];
  const { after } = backlog;
  Object.assign(backlog, {
    loading: true,
    storeHasMore: false,
    after: Infinity,
  } satisfies Partial<InboundBacklog>);
  return [{ effect: 'load-inbound', after, limit: most - open.size }];
}

/** Messages that can't be decrypted are skipped and expire. */
export function takeBacklog(
  inbound: InboundState,
  { pending, upTo, storeHasMore }: InboundPage,
  now: number,
): void {
  const { backlog } = inbound;
  const left = backlog.storeHasMore;
  Object.assign(backlog, { loading: false, storeHasMore: false } satisfies Partial<InboundBacklog>);
  const leftAfter = backlog.after;
  backlog.after = 0;
  for (const each of pending) rememberInbound(inbound, each, now);
  if (!backlog.storeHasMore) backlog.after = upTo;
  if (left) leaveInStore(backlog, leftAfter);
  backlog.storeHasMore ||= storeHasMore;
  putInOrder(inbound);
}

/** A message that was read late may be older than the remembered ones. */
export function putInOrder({ open }: InboundState): void {
  const all = [...open.values()].toSorted((a, b) => a.pending.dueAt - b.pending.dueAt);
  open.clear();
  for (const each of all) open.set(each.pending.id, each);
}
