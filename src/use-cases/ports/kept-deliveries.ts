/** Kept payloads of given-up deliveries, and replays that clients asked for. [operator-interface §3, §4] */
import type { EventType } from '../../domain/events/table.ts';

/** Given up from `since` until `until` (ms, both included); `events` null: all. */
interface KeptFilter {
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
}

/** A client's request to post all given-up deliveries of a time range again. */
export interface Replay extends KeptFilter {
  id: string;
  channelId: string;
  accountId: string;
  /** Number of matching deliveries at the time of the request. */
  total: number;
  createdAt: number;
  /** Time of the request (ms); null once all its deliveries are pending again. */
  openSince: number | null;
}

export interface ReplayStore {
  /** False, and nothing is kept, when `max` of the channel have not ended, however many race. */
  begin(replay: Replay, max: number): Promise<boolean>;
  /** Open replays of a channel, oldest first. */
  allOpen(channelId: string, limit: number): Promise<Replay[]>;
  open(channelId: string): Promise<Replay | null>;
  end(id: string): Promise<void>;
  /** Channels with an open replay, by id, the first `limit` after `after`. */
  channels(after: string, limit: number): Promise<string[]>;
  /** The newest replay. */
  latest(of: { channelId: string; accountId: string }): Promise<Replay | null>;
  /** Erases replays requested before this. Returns their number. */
  dropOlder(before: number): Promise<number>;
}
