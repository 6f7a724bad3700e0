import { fault } from '../../kernel/faults.ts';
import type { Standing, Subscription, SubscriptionStatus, Tier } from './subscription.ts';

/**
 * A licence's status at `now`: a stored `active` lapses at `expiresAt`, a paid licence `graceMs` later; trials and
 * enterprise licences have no grace period. Times in ms. [operator-interface §2 SUBSCRIPTION_GRACE_MS, §4]
 */
export function statusAt(subscription: Standing, now: number, graceMs: number): SubscriptionStatus {
  const end = lapsesAt(subscription, graceMs);
  if (end === null) return subscription.status;
  return now < end ? 'active' : 'expired';
}

/** When a stored `active` ends by the clock; null: it does not, or another status is stored. */
export function lapsesAt({ status, expiresAt, source }: Standing, graceMs: number): number | null {
  if (status !== 'active' || expiresAt === null) return null;
  return source === 'billing_provider' ? expiresAt + graceMs : expiresAt;
}

/** Whether a channel bound to this licence can send and receive. [spec: Channel, `subscription`] */
export function isOperable(subscription: Standing | null, now: number, graceMs: number): boolean {
  return subscription !== null && statusAt(subscription, now, graceMs) === 'active';
}

/** Returns the active licence. Throws fault `licence_inactive` with its status, `none` if there is no licence. [spec: 402] */
export function requireOperable(
  subscription: Subscription | null,
  now: number,
  graceMs: number,
): Subscription {
  if (subscription === null) throw fault('licence_inactive', { status: 'none' });
  const status = statusAt(subscription, now, graceMs);
  if (status !== 'active') throw fault('licence_inactive', { status });
  return subscription;
}

/** Whether the licence's tier includes `needed`. */
export function hasTier({ tier }: Standing, needed: Tier): boolean {
  return needed === 'starter' || tier === 'pro';
}

/** Throws fault `tier_too_low` for a `pro` operation with a `starter` licence. [operator-interface §4] */
export function requireTier(subscription: Subscription, needed: Tier): void {
  if (!hasTier(subscription, needed)) throw fault('tier_too_low', { needed, tier: subscription.tier });
}
