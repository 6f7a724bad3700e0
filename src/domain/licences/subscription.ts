export const tiers = ['starter', 'pro'] as const;
export type Tier = (typeof tiers)[number];
export const sources = ['trial', 'billing_provider', 'enterprise'] as const;
export type Source = (typeof sources)[number];
export type SubscriptionStatus = 'active' | 'expired' | 'canceled';

/**
 * A licence as stored; times in ms. `status` is what was last set: `statusAt` tells what it is now, because a licence
 * lapses by itself. One subscription grants one slot per channel type. [spec: Subscription]
 */
export interface Subscription {
  id: string;
  accountId: string;
  status: SubscriptionStatus;
  source: Source;
  tier: Tier;
  startsAt: number;
  /** null: perpetual (enterprise). */
  expiresAt: number | null;
  autoRenew: boolean;
  /** The billing provider's own id, where there is one. */
  externalId: string | null;
  createdAt: number;
}
