import type { SealedText } from '../accounts/sealed.ts';
import type { ChannelType } from '../vocabulary.ts';

/**
 * A connected channel. Times are ms since the epoch. `identity` is what upstream calls the channel on the wire
 * (phone number id, photoapp account id or page id): unique per type over all accounts, kept after deactivation and
 * null only once an operator has released the claim. [spec: States, Channel activity]
 */
export interface Channel {
  id: string;
  accountId: string;
  channelType: ChannelType;
  identity: string | null;
  name: string | null;
  isActive: boolean;
  phoneNumberId: string | null;
  phoneNumber: string | null;
  businessAccountId: string | null;
  qualityRating: string | null;
  photoappAccountId: string | null;
  photoappUsername: string | null;
  pageId: string | null;
  /** chatapp numbers that also live in the phone's business app: only they have echoes. */
  isDualUse: boolean;
  /** Upstream access token. */
  token: SealedText | null;
  webhookUrl: string | null;
  webhookSecret: SealedText | null;
  /** null: never configured; then no event is delivered. [spec: Events] */
  webhookEvents: string[] | null;
  echoStatuses: boolean;
  /** The licence whose slot this channel holds. */
  subscriptionId: string | null;
  /** null: reserved by a setup flow whose code was not exchanged yet; such a channel does not exist for clients. */
  connectedAt: number | null;
  createdAt: number;
}

/** The upstream asset that webhook subscriptions hang on: business account for chatapp, page for the others. */
export function subscribedAssetOf(channel: Channel): string | null {
  return channel.channelType === 'chatapp' ? channel.businessAccountId : channel.pageId;
}
