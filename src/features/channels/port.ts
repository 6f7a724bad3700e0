/** Connected channels, and the claims on upstream identities and slots. */
import type { SealedText } from '../../kernel/sealed.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelProfile } from '../../rules/channels/profile.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { PageRequest, Page } from '../../kernel/paging.ts';
import type {
  Reservation,
  ReserveResult,
  ReservedSlot,
  CodeOfAccount,
} from '../../upstream/connecting-port.ts';

/** Webhook settings as PATCH and exchange-code write them; undefined leaves a field unchanged. */
export interface WebhookSettings {
  webhookUrl?: string | null;
  webhookSecret?: SealedText | null;
  previousSecret?: SealedText | null;
  previousSecretUntil?: number | null;
  webhookEvents?: string[] | null;
  echoStatuses?: boolean;
  failedRetentionDays?: number;
  keepAnswers?: boolean;
}

/** A channel before and after one write. */
export interface ChangedChannel {
  before: Channel;
  after: Channel;
}

/** Fields of a channel that stay sealed for its whole life. */
export type ChannelSecrets = Pick<Channel, 'id' | 'token' | 'webhookSecret' | 'previousSecret'>;

export interface ChannelRecords {
  /** Connected channels only (active and inactive); null if absent or of another account. */
  inAccount(channelId: string, accountId: string): Promise<Channel | null>;
  byId(channelId: string): Promise<Channel | null>;
  /** Connected channels, oldest first. */
  list(accountId: string, page: PageRequest): Promise<Page<Channel>>;
  /** Connected channels that hold these upstream identities. */
  byIdentity(channelType: ChannelType, identities: readonly string[]): Promise<Channel[]>;
  /** The channel that holds the claim on the identity, connected or reserved. */
  findClaimant(channelType: ChannelType, identity: string): Promise<Channel | null>;
  /** `firstSecret` is written only if the channel has no secret at that moment, so that one of two concurrent calls wins. */
  updateWebhook(
    channelId: string,
    accountId: string,
    settings: WebhookSettings,
    firstSecret?: SealedText,
  ): Promise<ChangedChannel | null>;
  /**
   * Claims identity and slot and stores the code. Unique: (type, identity), (subscription, type), code hash. A reservation of
   * the same account for the same identity replaces its unexchanged predecessor; an inactive channel keeps its own fields until
   * exchange. `slot_taken` if another channel holds the slot.
   */
  reserve(reservation: Reservation, now: number): Promise<ReserveResult>;
  /**
   * The channel as the exchange of this code would make it, with the reserved profile, token, identity and slot; its activity, its
   * settings and `connectedAt` are those it has now. null if the code is not valid for this account. Does not consume the code.
   */
  reservedBy(code: CodeOfAccount, now: number): Promise<Channel | null>;
  /**
   * Consumes a code that matches, is unexpired and belongs to the account; of concurrent callers exactly one wins. The channel
   * takes the reserved profile and slot and becomes active and connected. `settings` gets the channel as it was before;
   * if it throws, `exchange` throws the same and the code stays valid.
   */
  exchange(
    code: CodeOfAccount,
    now: number,
    settings: (channel: Channel) => WebhookSettings,
  ): Promise<Channel | null>;
  /** Sets the channel inactive; it keeps id, history, claim and slot. null if absent. */
  deactivate(channelId: string, accountId: string): Promise<ChangedChannel | null>;
  /** Active, connected channels of any account by id, the first `limit` after `after`. */
  activeAfter(after: string, limit: number): Promise<Channel[]>;
  /**
   * Replaces the profile by the one that upstream shows. False if the channel is gone or belongs to another asset meanwhile:
   * then the profile is out of date.
   */
  renewProfile(of: Pick<Channel, 'id' | 'subscribedAsset'>, profile: ChannelProfile): Promise<boolean>;
  /** Active channels with this `subscribedAsset`, of this account or of any, at most `limit`. */
  activeOn(asset: string, limit: number, accountId?: string): Promise<Channel[]>;
  /** Number of active channels of any account with this `subscribedAsset`. */
  countActiveOn(asset: string): Promise<number>;
  /** Whether the exchange of a valid code would connect a channel of any account with this `subscribedAsset`. */
  isReservedOn(asset: string, now: number): Promise<boolean>;
  /** Ids of the accounts of these channels. */
  accountsOn(asset: string): Promise<string[]>;
  /** Secrets of all channels, connected or not, by channel id, the first `limit` after `after`. */
  secretsAfter(after: string, limit: number): Promise<ChannelSecrets[]>;
  /** Writes the same secrets, sealed under another key. False, and nothing is written, if one of them was changed meanwhile. */
  replaceSecrets(before: ChannelSecrets, after: ChannelSecrets): Promise<boolean>;
  /**
   * Writes a token and its end if the channel still has the token `before`. False, and nothing is written, if it has another: it was
   * connected again meanwhile.
   */
  replaceToken(
    before: Pick<Channel, 'id' | 'token'>,
    after: Pick<Channel, 'token' | 'tokenExpiresAt'>,
  ): Promise<boolean>;
  /** Records when upstream paused the number or took it back: the latest time stands. null if the channel is gone. */
  noteSendPause(
    channelId: string,
    times: Partial<Pick<Channel, 'sendsPausedAt' | 'sendsResumedAt'>>,
  ): Promise<Channel | null>;
  /** Slots held by unexchanged codes of the account, with the identities that hold them. */
  reservedSlots(accountId: string, now: number): Promise<ReservedSlot[]>;
  /** Drops reservations with an expired code: a channel that was never connected is deleted, with claim and slot. Returns their number. */
  dropExpiredReservations(now: number): Promise<number>;
  /** Frees the upstream identity and the slot of an inactive channel. null if absent or active. */
  releaseClaim(channelId: string): Promise<ChangedChannel | null>;
  /** Binds the channel to a licence of the same account (null unbinds). */
  bind(channelId: string, subscriptionId: string | null): Promise<ChangedChannel | 'slot_taken' | 'absent'>;
}
