/** The webhooks of a channel: what became of them, another attempt, a test. */
import type { EventType } from '../../domain/vocabulary.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import type { Caller } from '../caller.ts';
import type { LoggedDelivery } from '../ports/delivery-log.ts';
import type { MissedEvent } from '../ports/live.ts';
import type { Page, PageRequest } from '../ports/paging.ts';

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

export interface DeliveryUseCases {
  listDeliveries(
    caller: Caller,
    channelId: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<LoggedDelivery>>;
  /** What the live feed has to say again; page by page. Throws StoreUnavailable. */
  missedEvents(accountId: string, since: number): AsyncIterable<readonly MissedEvent[]>;
  retryDelivery(caller: Caller, channelId: string, deliveryId: string): Promise<void>;
  testWebhook(caller: Caller, channelId: string): Promise<WebhookTestResult>;
}
