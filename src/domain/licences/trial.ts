import type { Subscription, Tier } from './subscription.ts';

const dayMs = 86_400_000;

export const trialEnd = (now: number, days: number): number => now + days * dayMs;

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
