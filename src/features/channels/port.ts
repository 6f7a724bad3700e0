/** Connected channels, and the claims on upstream identities and slots. */
import type { SealedText } from '../../kernel/sealed.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelProfile } from '../../rules/channels/profile.ts';
import type { PageRequest, Page } from '../../kernel/paging.ts';
import type { ChangedChannel, ChannelHoldings, WebhookSettings } from '../../storage/channel-holdings.ts';

/** Fields of a channel that stay sealed for its whole life. */
export type ChannelSecrets = Pick<Channel, 'id' | 'token' | 'webhookSecret' | 'previousSecret'>;

export interface ChannelRecords extends ChannelHoldings {
  /** Connected channels only (active and inactive); null if absent or of another account. */
  inAccount(channelId: string, accountId: string): Promise<Channel | null>;
  byId(channelId: string): Promise<Channel | null>;
  /** Connected channels, oldest first. */
  list(accountId: string, page: PageRequest): Promise<Page<Channel>>;
  /** `firstSecret` is written only if the channel has no secret at that moment, so that one of two concurrent calls wins. */
  updateWebhook(
    channelId: string,
    accountId: string,
    settings: WebhookSettings,
    firstSecret?: SealedText,
  ): Promise<ChangedChannel | null>;
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
}
