/** Connected channels, and the claims on upstream identities and slots. */
import type { SealedText } from '../../domain/accounts/sealed.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelProfile } from '../../domain/channels/profile.ts';
import type { SlotHolder } from '../../domain/licences/slots.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import type { PageRequest, Page } from './paging.ts';
import type { Reservation, ReserveResult, CodeOfAccount } from './reservations.ts';

/** Webhook settings as PATCH and exchange-code write them; undefined leaves a field as it is. */
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

/** What of a channel is sealed for as long as it lives. */
export type ChannelSecrets = Pick<Channel, 'id' | 'token' | 'webhookSecret' | 'previousSecret'>;

export interface ChannelRecords {
  /** Connected channels only (active and inactive); null when absent or of another account. */
  inAccount(channelId: string, accountId: string): Promise<Channel | null>;
  byId(channelId: string): Promise<Channel | null>;
  /** The oldest first. */
  list(accountId: string, page: PageRequest): Promise<Page<Channel>>;
  /** The channels that hold these upstream identities, connected ones only. */
  byIdentity(channelType: ChannelType, identities: readonly string[]): Promise<Channel[]>;
  /** Whoever holds the claim on the identity, connected or reserved. */
  findClaimant(channelType: ChannelType, identity: string): Promise<Channel | null>;
  /** `firstSecret`: written where the channel has none at that moment, so that of two at once one stands. */
  updateWebhook(
    channelId: string,
    accountId: string,
    settings: WebhookSettings,
    firstSecret?: SealedText,
  ): Promise<Channel | null>;
  /**
   * Claims identity and slot and stores the code. Unique: (type, identity), (subscription, type), code hash. A reservation of
   * the same account for the same identity replaces its unexchanged predecessor; an inactive channel keeps its own fields until
   * exchange. `slot_taken` when another channel holds the slot.
   */
  reserve(reservation: Reservation, now: number): Promise<ReserveResult>;
  /** What the code stands for, while it is valid for this account; null otherwise. Uses nothing up. */
  reservedBy(code: CodeOfAccount, now: number): Promise<{ channelId: string; subscriptionId: string } | null>;
  /**
   * Exactly one caller wins: the code matches, is unexpired and belongs to the account. The channel takes the reserved
   * profile and slot, becomes active and connected, and the code is gone. Settings are made for the
   * channel as it is before; when `settings` throws, that is what exchange throws, and the code stays valid.
   */
  exchange(
    code: CodeOfAccount,
    now: number,
    settings: (channel: Channel) => WebhookSettings,
  ): Promise<Channel | null>;
  /** Sets inactive; id, history, claim and slot are kept. null when absent. */
  deactivate(channelId: string, accountId: string): Promise<Channel | null>;
  /** Active, connected channels of any account by id, the first `limit` after `after`. */
  activeAfter(after: string, limit: number): Promise<Channel[]>;
  /**
   * Who the channel is by now, as upstream says. False when it is gone, or hangs on another asset meanwhile: then what was read
   * belongs to the past.
   */
  renewProfile(of: Pick<Channel, 'id' | 'subscribedAsset'>, profile: ChannelProfile): Promise<boolean>;
  /** Active channels on an asset, of any account, at most `limit`. */
  activeOn(asset: string, limit: number): Promise<Channel[]>;
  /** Active channels of any account whose `subscribedAsset` it is. */
  countActiveOn(asset: string): Promise<number>;
  /** Accounts that have such channels. */
  accountsOn(asset: string): Promise<string[]>;
  /** Of all channels, connected or not, by id, the first `limit` after `after`. */
  secretsAfter(after: string, limit: number): Promise<ChannelSecrets[]>;
  /** Writes the same secrets under another key. False when one of them is another by now: nothing is written then. */
  replaceSecrets(before: ChannelSecrets, after: ChannelSecrets): Promise<boolean>;
  /** Slots that unexchanged codes of the account hold. */
  reservedSlots(accountId: string, now: number): Promise<SlotHolder[]>;
  /** Drops reservations whose code expired: a channel that was never connected goes, with claim and slot. */
  dropExpiredReservations(now: number): Promise<number>;
  /** Frees the upstream identity and the slot of an inactive channel. False when absent or active. */
  releaseClaim(channelId: string): Promise<boolean>;
  /** Binds to a licence of the same account (null: unbinds). */
  bind(channelId: string, subscriptionId: string | null): Promise<'bound' | 'slot_taken' | 'absent'>;
}
