/** Deliveries of a channel: log, retries, replays, tests. */
import type { Channel } from '../../rules/channels/channel.ts';
import type { DeliveryEvent, EventType } from '../../rules/events/table.ts';
import type { LoggedAttempt, Delivery } from '../../rules/webhooks/delivery.ts';
import type { Transcript } from '../../rules/webhooks/transcript.ts';
import type { TwoWayPage } from '../../kernel/paging.ts';
import type { LoggedDelivery } from './logged.ts';

/** `keptUntil`: time until which a given-up delivery can be sent again; null: its payload is not kept. */
export type ShownDelivery = LoggedDelivery & { keptUntil: number | null };

/** null: any. */
export interface DeliveryFilter {
  event: DeliveryEvent | null;
  state: Delivery['state'] | null;
  /** An endpoint of the channel; null or omitted: the channel's own, or of all channels any. */
  endpointId?: string | null;
}

/** Newest first. */
export interface DeliveryPage extends TwoWayPage<ShownDelivery> {
  /** The channels of these deliveries, by id. */
  channels: ReadonlyMap<string, Channel>;
  /** The addresses of their endpoints, by id; without those that were removed. */
  endpoints: ReadonlyMap<string, string>;
}

/** `transcript` null: not kept. */
export type ExaminedAttempt = LoggedAttempt & { transcript: Transcript | null };

export interface ExaminedDelivery {
  channel: Channel;
  delivery: ShownDelivery;
  /** Oldest first. */
  attempts: readonly ExaminedAttempt[];
  /** Attempts before a delivery is given up. */
  maxAttempts: number;
  /** The event without message text; null: erased. */
  body: string | null;
}

export interface AskedReplay {
  /** Time range (ms) of giving up; `until` null: now. */
  since: number;
  until: number | null;
  /** null: any. */
  events: readonly EventType[] | null;
  /** An endpoint of the channel; null or omitted: the channel's own. */
  endpointId?: string | null;
}

/** What a bulk retry came to. */
export interface ReplayOutcome {
  /** Deliveries that are pending again. */
  begun: number;
  /** Deliveries whose payload is erased, or whose channel has no webhook. */
  left: number;
  /** The service was too busy for the rest, which was not begun. */
  isCutShort?: true;
}

/** `begun`: how many of `total` are pending again. */
export interface ReplayProgress {
  total: number;
  begun: number;
  isRunning: boolean;
  askedAt: number;
}

/** Result of a webhook test, without the answer's body. */
export interface WebhookTestResult {
  deliveryId: string;
  status: number | null;
  /** null: the endpoint answered 2xx in time. */
  failure: string | null;
  durationMs: number;
}
