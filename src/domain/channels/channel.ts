import type { SealedText } from '../accounts/sealed.ts';
import type { ChannelType } from '../vocabulary.ts';
import type { ChannelProfile } from './profile.ts';

/**
 * A connected channel. Times are ms since the epoch. `identity` is what upstream calls the channel on the wire
 * (its profile says which of its ids): unique per type over all accounts, kept after deactivation and
 * null only once an operator has released the claim. [spec: States, Channel activity]
 */
export interface Channel {
  id: string;
  accountId: string;
  channelType: ChannelType;
  identity: string | null;
  name: string | null;
  isActive: boolean;
  /** null: reserved, and nothing known of it yet. */
  profile: ChannelProfile | null;
  /** What webhook subscriptions hang on upstream, as its kind says; several channels may share one. */
  subscribedAsset: string | null;
  /** Upstream access token. */
  token: SealedText | null;
  webhookUrl: string | null;
  webhookSecret: SealedText | null;
  /** The secret before it, which signs too until that time. */
  previousSecret: SealedText | null;
  previousSecretUntil: number | null;
  /** null: never configured; then no event is delivered. [spec: Events] */
  webhookEvents: string[] | null;
  echoStatuses: boolean;
  /** Days that the content of an event is kept once it was given up; 0: erased at once. [operator-interface §4] */
  failedRetentionDays: number;
  /** What a receiver answers is kept of 2xx too. */
  keepAnswers: boolean;
  /** The licence whose slot this channel holds. */
  subscriptionId: string | null;
  /** null: reserved by a setup flow whose code was not exchanged yet; such a channel does not exist for clients. */
  connectedAt: number | null;
  createdAt: number;
}

/** [operator-interface §4: content of given-up events] */
export const maxFailedRetentionDays = 30;

/** The secret that signs beside the channel's own at that time; null: none. */
export function previousSecretAt(
  { previousSecret, previousSecretUntil }: Pick<Channel, 'previousSecret' | 'previousSecretUntil'>,
  now: number,
): SealedText | null {
  return previousSecretUntil !== null && now < previousSecretUntil ? previousSecret : null;
}
