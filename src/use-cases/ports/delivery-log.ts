/** What became of an account's webhooks, attempt by attempt. */
import type { SealedText } from '../../domain/accounts/sealed.ts';
import type { DeliveryEvent } from '../../domain/events/table.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import type { Page, PagePosition, TurnRequest } from './paging.ts';

/** A test is in the log too, and nowhere else. */
export type LoggedDelivery = Omit<Delivery, 'event' | 'payload' | 'keptBytes' | 'epoch' | 'claims'> & {
  event: DeliveryEvent;
};

export interface DeliveryLogQuery {
  accountId: string;
  channelId: string;
  /** Nothing that was made before it (ms) is shown. */
  since: number;
  /** Nor what was made then (ms) or later; null: up to now. */
  until?: number | null;
  /** null: any. */
  event: DeliveryEvent | null;
  state: Delivery['state'] | null;
  /** What it turns back to is read from its end: the oldest first. */
  page: Pick<TurnRequest, 'limit' | 'cursor'> & Partial<Pick<TurnRequest, 'isBack'>>;
  /** Deliveries that are looked at, at most; 5,000 unless said. */
  lookAt?: number;
}

/** With what is still to be delivered; null once it has ended. */
export type WaitingDelivery = LoggedDelivery & Pick<Delivery, 'payload'>;

export interface DeliveryLogStore {
  /**
   * In the direction of the page. It looks at a bounded number of deliveries: where few of them are asked for, a page may be short,
   * or empty, and the cursor says where to go on.
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
  /** A test, which has ended when it is made. */
  addTest(test: LoggedDelivery): Promise<void>;
  find(delivery: { accountId: string; channelId: string; id: string }): Promise<LoggedDelivery | null>;
  whole(delivery: { accountId: string; channelId: string; id: string }): Promise<WaitingDelivery | null>;
  /** Those that there are of a few ids, the oldest first. */
  among(few: { accountId: string; channelId: string; ids: string[] }): Promise<LoggedDelivery[]>;
}

/** One POST to a receiver, signed and guarded as every delivery. Never throws. */
export interface WebhookTestPoster {
  post(post: {
    channelId: string;
    url: string;
    secret: SealedText | null;
    /** In force beside it. */
    previousSecret?: SealedText | null;
    deliveryId: string;
    attempt: number;
    body: Uint8Array;
    requestId?: string | null;
    /** As of every attempt. */
    logged?: { accountId: string; startedAt: number; keepAnswers: boolean };
  }): Promise<{ ok: true; status: number } | { ok: false; status: number | null; reason: string }>;
}
