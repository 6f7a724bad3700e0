/** Kept payloads of given-up deliveries: each engine counts and erases them. */
import type { EventType } from '../rules/events/table.ts';

/** Kept payloads, given up from `since` until `until` (ms, both included); `events` null: all. */
export interface KeptFilter {
  since: number;
  until: number;
  events: readonly EventType[] | null;
}

export interface KeptDeliveryStore {
  /** Channels with kept payloads, by id, the first `limit` after `after`. */
  channels(after: string, limit: number): Promise<string[]>;
  /** Number of kept deliveries of the channel that match the filter. */
  count(channelId: string, which: KeptFilter): Promise<number>;
  /** Erases the kept payloads of deliveries given up at `upTo` (ms) or before. Returns their number. */
  erase(channelId: string, upTo: number): Promise<number>;
  /** As `erase`, with pauses for the operations of others; stops early, between two slices, when the signal aborts. */
  sweep(channelId: string, upTo: number, stopping?: AbortSignal): Promise<number>;
}
