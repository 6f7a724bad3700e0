import type { SealedText } from '../../kernel/sealed.ts';
import type { ChannelType } from '../vocabulary.ts';
import type { ChannelProfile } from './profile.ts';
import type { Settings } from './settings.ts';

/**
 * A connected channel. Times are ms since the epoch. `identity` is upstream's id of the channel on the wire
 * (one of the ids in its profile): unique per type over all accounts, kept after deactivation and
 * null only after an operator has released the claim. [spec: States, Channel activity]
 */
export interface Channel extends Settings {
  id: string;
  accountId: string;
  channelType: ChannelType;
  identity: string | null;
  name: string | null;
  isActive: boolean;
  /** null: only reserved, profile unknown. */
  profile: ChannelProfile | null;
  /** Upstream asset that carries the webhook subscription (see `ChannelKind`); several channels may share one. */
  subscribedAsset: string | null;
  /** Upstream access token. */
  token: SealedText | null;
  /** End of the token; 0: it has none; null: not asked yet. */
  tokenExpiresAt: number | null;
  /** When upstream last paused the number, and last took it back; null: never. See `isPaused`. */
  sendsPausedAt: number | null;
  sendsResumedAt: number | null;
  /** The secret before `webhookSecret` also signs until `previousSecretUntil`. */
  previousSecret: SealedText | null;
  previousSecretUntil: number | null;
  /** It has, or had, further endpoints: only then are they looked for. */
  hasEndpoints: boolean;
  /** The licence whose slot this channel holds. */
  subscriptionId: string | null;
  /** null: reserved by a setup flow whose code is unexchanged; such a channel does not exist for clients. */
  connectedAt: number | null;
  createdAt: number;
}

/**
 * Whether upstream has paused the number: it was registered anew on its phone. Both times only grow, so a repeated or late event changes
 * nothing.
 */
export function isPaused({
  sendsPausedAt,
  sendsResumedAt,
}: Pick<Channel, 'sendsPausedAt' | 'sendsResumedAt'>): boolean {
  return sendsPausedAt !== null && sendsPausedAt > (sendsResumedAt ?? 0);
}

/** End of the channel's token; null: it has none, or it is not known. */
export function tokenEnd({ tokenExpiresAt }: Pick<Channel, 'tokenExpiresAt'>): number | null {
  return tokenExpiresAt === 0 ? null : tokenExpiresAt;
}

/** [operator-interface §4: content of given-up events] */
export const maxFailedRetentionDays = 30;

/** The previous secret that still signs beside the channel's own; null: none. */
export function previousSecretAt(
  { previousSecret, previousSecretUntil }: Pick<Channel, 'previousSecret' | 'previousSecretUntil'>,
  now: number,
): SealedText | null {
  return previousSecretUntil !== null && now < previousSecretUntil ? previousSecret : null;
}
