/** The log of an account's deliveries and their attempts. */
import type { SealedText } from '../../domain/accounts/sealed.ts';
import type { DeliveryEvent } from '../../domain/events/table.ts';
import type { Delivery } from '../../domain/webhooks/delivery.ts';
import type { Page, PagePosition, TurnRequest } from './paging.ts';

/** A delivery as the log shows it. A webhook test exists in the log only. */
export type LoggedDelivery = Omit<Delivery, 'event' | 'payload' | 'keptBytes' | 'epoch' | 'claims'> & {
  event: DeliveryEvent;
};

export interface DeliveryLogQuery {
  accountId: string;
  channelId: string;
  /** Earliest `createdAt` (ms). */
  since: number;
  /** `createdAt` must be before this (ms); null: no bound. */
  until?: number | null;
  /** null: any. */
  event: DeliveryEvent | null;
  state: Delivery['state'] | null;
  /** With `isBack` items come oldest first. */
  page: Pick<TurnRequest, 'limit' | 'cursor'> & Partial<Pick<TurnRequest, 'isBack'>>;
  /** Most deliveries that one call examines; default 5,000. */
  lookAt?: number;
}

/** With the payload; null once the delivery has ended. */
export type WaitingDelivery = LoggedDelivery & Pick<Delivery, 'payload'>;

export interface DeliveryLogStore {
  /**
   * Reads in the page's direction. Each call examines a bounded number of deliveries: if few of them match, a page may be short
   * or empty, and its cursor says where to go on.
   */
  list(query: DeliveryLogQuery): Promise<Page<LoggedDelivery>>;
  /** Deliveries created after `place`, oldest first. */
  after(query: {
    accountId: string;
    channelId: string;
    place: PagePosition;
    limit: number;
  }): Promise<WaitingDelivery[]>;
  /** Number of pending deliveries of these channels; at most `limit`. */
  countPending(query: { channelIds: readonly string[]; limit: number }): Promise<number>;
  /** Adds a webhook test, whose outcome is known already. */
  addTest(test: LoggedDelivery): Promise<void>;
  find(delivery: { accountId: string; channelId: string; id: string }): Promise<LoggedDelivery | null>;
  whole(delivery: { accountId: string; channelId: string; id: string }): Promise<WaitingDelivery | null>;
  /** The existing ones among a few ids, oldest first. */
  among(few: { accountId: string; channelId: string; ids: string[] }): Promise<LoggedDelivery[]>;
}

/** Makes one POST to a receiver, signed and with the address guard of every delivery. Never throws. */
export interface WebhookTestPoster {
  post(post: {
    channelId: string;
    url: string;
    secret: SealedText | null;
    /** Signs beside `secret`; omitted or null: none. */
    previousSecret?: SealedText | null;
    deliveryId: string;
    attempt: number;
    body: Uint8Array;
    requestId?: string | null;
    /** Keeps a transcript of the attempt, as of every delivery. */
    logged?: { accountId: string; startedAt: number; keepAnswers: boolean };
  }): Promise<{ ok: true; status: number } | { ok: false; status: number | null; reason: string }>;
}
