/** Licences of an account, and the channels that use them. */
import type { Page } from '../../kernel/paging.ts';
import type { Source, Subscription, SubscriptionStatus, Tier } from '../../rules/licences/subscription.ts';
import type { AvailableSlots } from './slots.ts';
import type { Channel } from '../../rules/channels/channel.ts';

export interface SubscriptionWithChannels {
  subscription: Subscription;
  channels: Channel[];
}

/** A page of the account's licences; the totals cover the whole account. */
export type SubscriptionList = Page<SubscriptionWithChannels> & {
  activeTotal: number;
  availableSlots: AvailableSlots;
  /** Time (ms) of both totals; compute a status shown beside them for the same time. */
  asOf: number;
};

export interface SubscriptionRequest {
  tier: Tier;
  source: Source;
  /** ms; null: perpetual. */
  expiresAt: number | null;
  autoRenew: boolean;
}

/** undefined leaves a field unchanged. */
export interface SubscriptionPatch {
  status?: SubscriptionStatus;
  tier?: Tier;
  /** ms. */
  expiresAt?: number | null;
  autoRenew?: boolean;
}
