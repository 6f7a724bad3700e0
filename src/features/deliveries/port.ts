/**
 * Deliveries of an account: their log, hourly counts and transcripts; kept payloads of given-up ones, and replays that clients asked
 * for. [operator-interface §3, §4]
 */
import type { SealedText } from '../../kernel/sealed.ts';
import type { DeliveryEvent, EventType } from '../../rules/events/table.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import type { Signatures } from '../../rules/webhooks/signature.ts';
import type { Page, PagePosition, TwoWayPageRequest } from '../../kernel/paging.ts';
import type { DeliveryHour } from './delivery-hour.ts';
import type { Envelope } from '../../rules/events/built.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { KeptTranscript, Replay } from './entity.ts';

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
  page: Pick<TwoWayPageRequest, 'limit' | 'cursor'> & Partial<Pick<TwoWayPageRequest, 'isBack'>>;
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

/** Hourly counts of an account's finished deliveries, by outcome. */
export interface DeliveryHourStore {
  /** Adds each count to the stored one of its hour. A retry after a lost answer may count twice: the figures are only shown. */
  add(hours: readonly DeliveryHour[]): Promise<void>;
  /** Hours of an account from `from` (ms) on, oldest first, without empty hours. */
  since(accountId: string, from: number): Promise<DeliveryHour[]>;
  /** Hours of all accounts from `from` (ms) on, at most `limit`. */
  ofAll(from: number, limit: number): Promise<DeliveryHour[]>;
  /** Erases older hours. Returns their number. */
  dropOlder(before: number, stopping?: AbortSignal): Promise<number>;
}

export interface TranscriptStore {
  /** Skips transcripts that are stored already. */
  add(all: readonly KeptTranscript[]): Promise<void>;
  /** Transcripts of one delivery, newest first. */
  ofDelivery(
    which: Pick<KeptTranscript, 'accountId' | 'channelId' | 'deliveryId'>,
    limit: number,
  ): Promise<KeptTranscript[]>;
  /** Keeps each channel's newest `most` successful and `most` failed ones, none older than `since` (ms). Returns the number dropped. */
  trim(most: number, since: number, stopping?: AbortSignal): Promise<number>;
}

/** A delivery that was created while a subscriber of the live feed was disconnected: the feed replays it. */
export interface MissedEvent {
  deliveryId: string;
  channelId: string;
  channelType: ChannelType;
  event: EventType;
  messageId: string;
  state: Delivery['state'];
  createdAt: number;
  /** The event, while its delivery is pending; null: erased with the outcome. [spec: Payload storage] */
  content: { envelope: Envelope; signatures: Signatures | null } | null;
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
  dropOlder(before: number, stopping?: AbortSignal): Promise<number>;
}
