/** What an account has paid for, and which channel uses it. */
import type { Page } from '../ports/paging.ts';
import type { Source, Subscription, SubscriptionStatus, Tier } from '../../domain/licences/subscription.ts';
import type { AvailableSlots } from '../../domain/licences/slots.ts';
import type { Channel } from '../../domain/channels/channel.ts';

export interface SubscriptionWithChannels {
  subscription: Subscription;
  channels: Channel[];
}

/** A page of the account's licences; the numbers are those of the whole account. */
export type SubscriptionList = Page<SubscriptionWithChannels> & {
  activeTotal: number;
  availableSlots: AvailableSlots;
  /** ms; the moment that both are of. A status that is shown beside them is of the same. */
  asOf: number;
};

export interface SubscriptionRequest {
  tier: Tier;
  source: Source;
  /** ms; null: perpetual. */
  expiresAt: number | null;
  autoRenew: boolean;
}

/** undefined: leave as it is. */
export interface SubscriptionPatch {
  status?: SubscriptionStatus;
  tier?: Tier;
  /** ms. */
  expiresAt?: number | null;
  autoRenew?: boolean;
}
