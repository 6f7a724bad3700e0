/** The webhooks of a channel: what became of them, another attempt, a test. */
import type { Channel } from '../../domain/channels/channel.ts';
import type { DeliveryEvent, EventType } from '../../domain/events/table.ts';
import type { LoggedAttempt } from '../../domain/webhooks/attempt-log.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import type { Transcript } from '../../domain/webhooks/transcript.ts';
import type { LoggedDelivery } from '../ports/delivery-log.ts';
import type { TurnedPage } from '../ports/paging.ts';

export type { LoggedDelivery };

/** `keptUntil`: it was given up, and can be sent again until then; null: nothing of it is kept. */
export type ShownDelivery = LoggedDelivery & { keptUntil: number | null };

/** null: any. */
export interface DeliveryFilter {
  event: DeliveryEvent | null;
  state: Delivery['state'] | null;
}

/** Newest first. */
export interface DeliveryPage extends TurnedPage<ShownDelivery> {
  /** The account has no more channels than are read together. */
  areAllChannels: boolean;
}

/** `transcript` null: it was not kept. */
export type ExaminedAttempt = LoggedAttempt & { transcript: Transcript | null };

export interface ExaminedDelivery {
  channel: Channel;
  delivery: ShownDelivery;
  /** Oldest first. */
  attempts: readonly ExaminedAttempt[];
  /** Before it is given up. */
  maxAttempts: number;
  /** The event without what somebody wrote; null: it is not there any more. */
  body: string | null;
}

export interface AskedReplay {
  /** When they were given up (ms); `until` null: until now. */
  since: number;
  until: number | null;
  /** null: any. */
  events: readonly EventType[] | null;
}

/** `begun`: those of `total` that were put on their way again. */
export interface ReplayProgress {
  total: number;
  begun: number;
  isRunning: boolean;
  askedAt: number;
}

/** What the endpoint said to a test; never its body. */
export interface WebhookTestResult {
  deliveryId: string;
  status: number | null;
  /** null: it answered 2xx in time. */
  failure: string | null;
  durationMs: number;
}
