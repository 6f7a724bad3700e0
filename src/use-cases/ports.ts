/**
 * What the use-cases need. Storage ports are fulfilled twice (SQLite, MongoDB) and held to one conformance suite; every
 * query carries the account it is for, so that a foreign id behaves exactly like an absent one. [faults: I6]
 *
 * Errors of every store call: `StoreUnavailable` when the store can't be reached within its budget.
 */
import type { Account, ApiKey, Redirect } from '../domain/accounts/account.ts';
import type { SealedBytes, SealedText } from '../domain/accounts/sealed.ts';
import type { Channel, ChannelType } from '../domain/channels/channel.ts';
import type { Subscription } from '../domain/licences/subscription.ts';
import type { ParsedPost } from '../domain/messages/facts.ts';
import type { OutboundMessage } from '../domain/messages/message.ts';
import type { ChannelAsk, ChannelReplies, ChannelTell } from '../../actors/channel/messages.ts';

/** Where an item stands in a list that is ordered by time (ms) and id; it says so even when the item is gone. */
export interface Place {
  createdAt: number;
  id: string;
}

/** A page of a list; it starts after `cursor`. null limit: everything. [operator-interface §4] */
export interface PageRequest {
  limit: number | null;
  cursor: Place | null;
}

export interface Page<T> {
  items: T[];
  /** null: no more. */
  nextCursor: Place | null;
}

export interface AccountStore {
  /** Account, first key and trial in one step. False when the e-mail is taken. */
  create(account: Account, key: ApiKey, trial: Subscription): Promise<boolean>;
  byId(accountId: string): Promise<Account | null>;
}

export interface KeyStore {
  insert(key: ApiKey): Promise<void>;
  /** The key with this hash unless it is revoked. */
  activeByHash(hash: string): Promise<ApiKey | null>;
  list(accountId: string): Promise<ApiKey[]>;
  /** False when there is no such unrevoked key. */
  revoke(keyId: string, now: number): Promise<boolean>;
}

export interface RedirectStore {
  list(apiKeyId: string, page: PageRequest): Promise<Page<Redirect>>;
  /** False when the key already holds `most` patterns. */
  insert(redirect: Redirect, most: number): Promise<boolean>;
  remove(redirectId: string, apiKeyId: string): Promise<boolean>;
}

export interface SubscriptionStore {
  insert(subscription: Subscription): Promise<void>;
  byId(subscriptionId: string): Promise<Subscription | null>;
  /** All of the account, newest first; by `externalId` for billing. */
  list(accountId: string): Promise<Subscription[]>;
  byExternalId(externalId: string): Promise<Subscription | null>;
  /** null when there is none. */
  update(
    subscriptionId: string,
    patch: Partial<Pick<Subscription, 'status' | 'tier' | 'expiresAt' | 'autoRenew'>>,
  ): Promise<Subscription | null>;
}

/** Webhook settings as PATCH and exchange-code write them; undefined leaves a field as it is. */
export interface WebhookSettings {
  webhookUrl?: string | null;
  webhookSecret?: SealedText | null;
  webhookEvents?: string[] | null;
  echoStatuses?: boolean;
}

/**
 * What a finished setup flow puts on a channel until its code is exchanged. One document holds claim, slot and code, so
 * exchange is one atomic step and a crash never loses a slot. [faults: 77-80]
 */
export interface Reservation {
  /** A new id, or the id of the account's inactive channel that is to be revived. */
  channelId: string;
  accountId: string;
  apiKeyId: string;
  channelType: ChannelType;
  identity: string;
  subscriptionId: string;
  codeHash: string;
  codeExpiresAt: number;
  createdAt: number;
  /** Becomes the channel's own fields at exchange. */
  profile: ChannelProfile;
}

export type ChannelProfile = Pick<
  Channel,
  | 'name'
  | 'phoneNumberId'
  | 'phoneNumber'
  | 'businessAccountId'
  | 'qualityRating'
  | 'photoappAccountId'
  | 'photoappUsername'
  | 'pageId'
  | 'isDualUse'
> & { token: SealedText };

export type ReserveResult = 'reserved' | 'identity_taken' | 'slot_taken';

/** An exchange code by its hash, with who asks for it. */
export interface CodeOfKey {
  hash: string;
  accountId: string;
  apiKeyId: string;
}

export interface ChannelStore {
  /** Connected channels only (active and inactive); null when absent or of another account. */
  inAccount(channelId: string, accountId: string): Promise<Channel | null>;
  byId(channelId: string): Promise<Channel | null>;
  list(accountId: string, page: PageRequest): Promise<Page<Channel>>;
  /** The channels that hold these upstream identities, connected ones only. */
  byIdentity(channelType: ChannelType, identities: readonly string[]): Promise<Channel[]>;
  /** Whoever holds the claim on the identity, connected or reserved. */
  claimOf(channelType: ChannelType, identity: string): Promise<Channel | null>;
  updateWebhook(channelId: string, accountId: string, settings: WebhookSettings): Promise<Channel | null>;
  /**
   * Claims identity and slot and stores the code. Unique: (type, identity), (subscription, type), code hash. A reservation of
   * the same account for the same identity replaces its unexchanged predecessor; an inactive channel keeps its own fields until
   * exchange. `slot_taken` when another channel holds the slot.
   */
  reserve(reservation: Reservation, now: number): Promise<ReserveResult>;
  /** What the code stands for, while it is valid for this account and key; null otherwise. Uses nothing up. */
  reservedBy(code: CodeOfKey, now: number): Promise<{ channelId: string; subscriptionId: string } | null>;
  /**
   * Exactly one caller wins: the code matches, is unexpired and belongs to the account and key. The channel takes the reserved
   * profile and slot, becomes active and connected, and the code is gone. Settings are made for the
   * channel as it is before; when `settings` throws, that is what exchange throws, and the code stays valid.
   */
  exchange(
    code: CodeOfKey,
    now: number,
    settings: (channel: Channel) => WebhookSettings,
  ): Promise<Channel | null>;
  /** Sets inactive; id, history, claim and slot are kept. null when absent. */
  deactivate(channelId: string, accountId: string): Promise<Channel | null>;
  /** Active channels of any account and type that hang on this business account or page. */
  countActiveOn(asset: { businessAccountId: string } | { pageId: string }): Promise<number>;
  /** Drops reservations whose code expired: a channel that was never connected goes, with claim and slot. */
  dropExpiredReservations(now: number): Promise<number>;
  /** Frees the upstream identity of an inactive channel. False when absent or active. */
  releaseClaim(channelId: string): Promise<boolean>;
  /** Binds to a licence of the same account (null: unbinds). */
  bind(channelId: string, subscriptionId: string | null): Promise<'bound' | 'slot_taken' | 'absent'>;
  setQualityRating(channelId: string, rating: string): Promise<void>;
}

/** A started setup flow. Times in ms. */
export interface SetupSession {
  id: string;
  accountId: string;
  apiKeyId: string;
  channelType: ChannelType;
  redirectUri: string;
  /** SHA-256 of the unguessable token that the setup URL and `state` carry. */
  tokenHash: string;
  expiresAt: number;
  finishedAt: number | null;
}

export interface SetupSessionStore {
  insert(session: SetupSession): Promise<void>;
  /** The unexpired, unfinished session with this id and token; null otherwise. */
  open(sessionId: string, tokenHash: string, now: number): Promise<SetupSession | null>;
  /** As `open`, and finishes it: exactly one caller gets it. */
  finish(sessionId: string, tokenHash: string, now: number): Promise<SetupSession | null>;
  dropExpired(before: number): Promise<number>;
}

/** First answer of a send that carried an `Idempotency-Key`. [operator-interface §4] */
export interface IdempotencyRecord {
  accountId: string;
  key: string;
  bodyHash: string;
  messageId: string;
  /** null: the first call has not answered yet. */
  answer: unknown;
  createdAt: number;
}

export type RecordId = Pick<IdempotencyRecord, 'accountId' | 'key' | 'messageId'>;

export interface IdempotencyStore {
  /** Inserts unless the account has used the key since `notBefore`; answers the record that stands. */
  begin(record: IdempotencyRecord, notBefore: number): Promise<IdempotencyRecord>;
  /** Only on the record of this message id, and only when it has no answer yet: the first answer stands. */
  answered(record: RecordId, answer: unknown): Promise<void>;
  /** After a refusal: nothing was sent, the key may be used again. A record of another message id stays. */
  forget(record: RecordId): Promise<void>;
  dropOlder(than: number): Promise<number>;
}

export interface StoredMail {
  id: string;
  accountId: string;
  kind: string;
  subject: string;
  lines: string[];
  sendAfter: number;
  sentAt: number | null;
  createdAt: number;
}

export interface MailStore {
  list(accountId: string | null, page: PageRequest): Promise<Page<StoredMail>>;
  /** Unsent mails whose time has come. */
  due(now: number, limit: number): Promise<StoredMail[]>;
  markSent(mailId: string, now: number): Promise<void>;
}

/** Work whose time has come although nobody may be waiting for it. [architecture §6.6] */
export interface DueWorkStore {
  /** Channels with a pending delivery or an unfinished send due at or before `now`. */
  channelsWithDueWork(now: number, limit: number): Promise<string[]>;
  /** Erases delivered and failed deliveries and finished messages' bookkeeping older than this. */
  dropFinished(before: number): Promise<number>;
}

/** Facts of upstream, answered 200, that the channel's owner could not be given. [architecture §6.1, §7] */
export interface ParkedFacts {
  /** Made from the facts: the same ones parked again change nothing. */
  id: string;
  channelId: string;
  /** JSON of `ChannelFact[]`, under `sealContext.parked`. */
  facts: SealedBytes;
  /** When they came, ms: a channel's are given to its owner in this order. */
  at: number;
}

export interface ParkedFactsStore {
  /** All of them durably, or it rejects; one whose id exists is left as it is. */
  park(parked: readonly ParkedFacts[]): Promise<void>;
  /** Channels that have some, by id, the first `limit` after `after`. Looked at every second: cheap when there are none. */
  channels(after: string, limit: number): Promise<string[]>;
  /** The oldest first. */
  ofChannel(channelId: string, limit: number): Promise<ParkedFacts[]>;
  drop(parkedIds: readonly string[]): Promise<void>;
}

/** What stands for a message id whose owner vanished with the send in its hands. */
export type SettledSend = Pick<OutboundMessage, 'state' | 'error' | 'errorCode'>;

export interface SendStore {
  /**
   * Takes the id with this marker (state `abandoned`) unless the channel's owner has: the first insert wins. Answers what stands
   * then, durably: `abandoned` means that nothing was sent under this id and never will be. Repeating it changes nothing.
   * [architecture §5]
   */
  abandonUnlessInserted(marker: OutboundMessage): Promise<SettledSend>;
}

export interface Stores {
  accounts: AccountStore;
  keys: KeyStore;
  redirects: RedirectStore;
  subscriptions: SubscriptionStore;
  channels: ChannelStore;
  setupSessions: SetupSessionStore;
  idempotency: IdempotencyStore;
  mails: MailStore;
  dueWork: DueWorkStore;
  parked: ParkedFactsStore;
  sends: SendStore;
}

/** The way to a channel's owner, wherever it runs. Throws Fault `overloaded` or `unavailable`: then nothing was done. */
export interface ChannelRouter {
  ask<A extends ChannelAsk>(channelId: string, ask: A): Promise<ChannelReplies[A['type']]>;
  tell(channelId: string, message: ChannelTell): void;
}

/** An asset a person picked in the upstream dialog: one channel could come of it. */
export interface UpstreamAsset {
  channelType: ChannelType;
  identity: string;
  profile: Omit<ChannelProfile, 'token'>;
  /** Token to work with this asset, in clear: seal it at once. */
  token: string;
}

/** Connecting and account calls upstream. Throws Fault `upstream_failed` on a refusal or no usable answer. */
export interface UpstreamAdmin {
  dialogUrl(request: { channelType: ChannelType; redirectUri: string; state: string }): string;
  /** Swaps the dialog's code for a token and lists what the person picked, in upstream's order. */
  assetsOf(request: {
    channelType: ChannelType;
    code: string;
    redirectUri: string;
  }): Promise<UpstreamAsset[]>;
  /** Subscribes the asset's webhooks; registers a chatapp number that is not dual-use. */
  subscribe(channel: Channel): Promise<void>;
  /** Removes the webhook subscription; upstream's refusal is ignored. [upstream §9.17] */
  unsubscribe(channel: Channel): Promise<void>;
}

/** Understands a POST of upstream whose signature was checked. Throws Fault `bad_request` when it is no JSON of theirs. */
export interface UpstreamParser {
  parse(body: Uint8Array): ParsedPost;
}

export interface RateLimiter {
  /** Seconds to wait; 0: go on. */
  take(apiKeyId: string): number;
}

/** Who may act for a channel: one document per channel whose epoch only ever grows. [architecture §4] */
export interface OwnerStore {
  /**
   * Makes `owner` the owner under an epoch higher than every one before, whatever Redis has forgotten. `previous`: the incarnation
   * that owned it last, null for the first.
   */
  mint(
    channelId: string,
    owner: { nodeId: string; incarnation: string },
    now: number,
  ): Promise<{ epoch: number; previous: string | null }>;
}
