/** What became of an account's webhooks, attempt by attempt. */
import type { SealedText } from '../../domain/accounts/sealed.ts';
import type { EventType } from '../../domain/events/table.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import type { Page, PageRequest, PagePosition } from './paging.ts';

export type LoggedDelivery = Omit<Delivery, 'payload' | 'keptBytes' | 'epoch' | 'claims'>;

export interface DeliveryLogQuery {
  accountId: string;
  channelId: string;
  /** Nothing that was made before it (ms) is shown. */
  since: number;
  /** null: any. */
  event: EventType | null;
  state: Delivery['state'] | null;
  page: PageRequest & { limit: number };
}

/** With what is still to be delivered; null once it has ended. */
export type WaitingDelivery = LoggedDelivery & Pick<Delivery, 'payload'>;

export interface DeliveryLogStore {
  /**
   * Newest first. It looks at a bounded number of deliveries: where few of them are asked for, a page may be short, or empty, and
   * the cursor says where to go on.
   */
  list(query: DeliveryLogQuery): Promise<Page<LoggedDelivery>>;
  /** Oldest first, those behind `place` in the order of their making. */
  after(query: {
    accountId: string;
    channelId: string;
    place: PagePosition;
    limit: number;
  }): Promise<WaitingDelivery[]>;
  /** How many of these channels' are still to be delivered; `limit` where there are more. */
  countPending(query: { channelIds: readonly string[]; limit: number }): Promise<number>;
  find(delivery: { accountId: string; channelId: string; id: string }): Promise<LoggedDelivery | null>;
  /** Those that there are of a few ids, the oldest first. */
  among(few: { accountId: string; channelId: string; ids: string[] }): Promise<LoggedDelivery[]>;
}

/** One POST to a receiver, signed and guarded as every delivery. Never throws. */
export interface WebhookTestPoster {
  post(post: {
    channelId: string;
    url: string;
    secret: SealedText | null;
    deliveryId: string;
    attempt: number;
    body: Uint8Array;
    requestId?: string | null;
  }): Promise<{ ok: true; status: number } | { ok: false; status: number | null; reason: string }>;
}
