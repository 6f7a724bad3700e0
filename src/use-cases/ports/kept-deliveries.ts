/** Payloads of deliveries that were given up, and what clients have asked to be posted again. [operator-interface §3, §4] */
import type { EventType } from '../../domain/events/table.ts';

/** `events` null: any. */
interface KeptFilter {
  since: number;
  until: number;
  events: readonly EventType[] | null;
}

export interface KeptDeliveryStore {
  /** Channels that keep some, by id, the first `limit` after `after`. */
  channels(after: string, limit: number): Promise<string[]>;
  /** How many a channel keeps of those that were given up from `since` until `until` (ms, both included), of these events. */
  count(channelId: string, which: KeptFilter): Promise<number>;
  /** Erases what of a channel was given up at `upTo` (ms) or before. Answers how many there were. */
  erase(channelId: string, upTo: number): Promise<number>;
}

/** What a client has asked for: all that was given up then is posted again. */
export interface Replay extends KeptFilter {
  id: string;
  channelId: string;
  accountId: string;
  /** How many there were when it was asked for. */
  total: number;
  createdAt: number;
  /** When it was asked for; null once all of them are on their way. */
  openSince: number | null;
}

export interface ReplayStore {
  begin(replay: Replay): Promise<void>;
  /** Those of a channel that have not ended, the oldest first. */
  allOpen(channelId: string, limit: number): Promise<Replay[]>;
  open(channelId: string): Promise<Replay | null>;
  end(id: string): Promise<void>;
  /** Channels with an open one, by id, the first `limit` after `after`. */
  channels(after: string, limit: number): Promise<string[]>;
  /** The last that was asked for. */
  latest(of: { channelId: string; accountId: string }): Promise<Replay | null>;
  /** Erases those asked for before this. */
  dropOlder(before: number): Promise<number>;
}
