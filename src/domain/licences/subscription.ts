export const tiers = ['starter', 'pro'] as const;
export type Tier = (typeof tiers)[number];
export const sources = ['trial', 'billing_provider', 'enterprise'] as const;
export type Source = (typeof sources)[number];
/** `none`: the provider holds it back (`incomplete`, `paused`); nothing works with it. [operator-interface §3, Billing] */
export type SubscriptionStatus = 'active' | 'expired' | 'canceled' | 'none';

export type BillingChange = 'created' | 'updated' | 'deleted';

/** The last moment of the provider that was applied: its second (ms), its type, and the events of both that were applied. */
export interface BilledMark {
  at: number;
  change: BillingChange;
  eventIds: string[];
}

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
  /** null: no event of the provider has touched it. */
  billed: BilledMark | null;
  createdAt: number;
}

/** What decides what may be done under it. */
export type Standing = Pick<Subscription, 'status' | 'source' | 'tier' | 'expiresAt'>;
