import { dayMs } from '../../kernel/clock.ts';

export const tiers = ['starter', 'pro'] as const;
export type Tier = (typeof tiers)[number];
export const sources = ['trial', 'billing_provider', 'enterprise'] as const;
export type Source = (typeof sources)[number];
/** `none`: on hold at the provider (`incomplete`, `paused`); not operable. [operator-interface §3, Billing] */
export type SubscriptionStatus = 'active' | 'expired' | 'canceled' | 'none';

export type BillingChange = 'created' | 'updated' | 'deleted';

/** The last applied provider event: its second (ms) and type, and the ids of all applied events with the same second and type. */
export interface BilledMark {
  at: number;
  change: BillingChange;
  eventIds: string[];
}

/**
 * A stored licence; times in ms. `status` is the last written one; `statusAt` gives the present one, because a licence
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
  /** The payment provider's id; null without a provider. */
  externalId: string | null;
  /** null: no event of the provider was applied. */
  billed: BilledMark | null;
  createdAt: number;
}

/** Fields that decide what the licence permits. */
export type Standing = Pick<Subscription, 'status' | 'source' | 'tier' | 'expiresAt'>;

/** In whole ms: the days may be a fraction, and the store takes no fraction of a ms. */
export const trialEnd = (now: number, days: number): number => now + Math.round(days * dayMs);

/** The first licence of every account: `days` from `now` (ms), without renewal and grace period. [operator-interface §4] */
export function trial(start: {
  id: string;
  accountId: string;
  tier: Tier;
  days: number;
  now: number;
}): Subscription {
  return {
    id: start.id,
    accountId: start.accountId,
    status: 'active',
    source: 'trial',
    tier: start.tier,
    startsAt: start.now,
    expiresAt: trialEnd(start.now, start.days),
    autoRenew: false,
    externalId: null,
    billed: null,
    createdAt: start.now,
  };
}
