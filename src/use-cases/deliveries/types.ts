/** The webhooks of a channel: what became of them, another attempt, a test. */
import type { EventType } from '../../domain/events/table.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import type { LoggedDelivery } from '../ports/delivery-log.ts';

export type { LoggedDelivery };

/** null: any. */
export interface DeliveryFilter {
  event: EventType | null;
  state: Delivery['state'] | null;
}

/** What the endpoint said to a test; never its body. */
export interface WebhookTestResult {
  deliveryId: string;
  status: number | null;
  /** null: it answered 2xx in time. */
  failure: string | null;
  durationMs: number;
}
