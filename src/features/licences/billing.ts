import { idFrom } from '../../kernel/ids.ts';
import type {
  BilledMark,
  BillingChange,
  Subscription,
  SubscriptionStatus,
  Tier,
} from '../../rules/licences/subscription.ts';

/** [operator-interface §3, Billing] An older signature counts as a replay. */
export const signedWithinSeconds = 300;
/** Said of every such refusal, so that it does not reveal which check failed. */
export const badSignature = 'Missing, wrong or late signature';

/** An event of the payment provider about one subscription; times in ms. [operator-interface §3, Billing] */
export interface BillingEvent {
  eventId: string;
  /** The provider's creation time, accurate to a second. */
  at: number;
  change: BillingChange;
  externalId: string;
  /** The account named in the event; null: none. */
  accountId: string | null;
  status: SubscriptionStatus;
  /** null: not one of our tiers. */
  tier: Tier | null;
  startsAt: number;
  /** End of the paid period; null: not in the event. */
  expiresAt: number | null;
  /** The subscription renews; no end is scheduled. */
  renews: boolean;
  /** The subscription ends with the paid period, not before. */
  endsWithPeriod: boolean;
}

/** `seen`: the event was applied before. All outcomes but `applied` change nothing, each for the named reason. */
export type BillingOutcome =
  | 'applied'
  | 'seen'
  | 'older'
  | 'unknown_account'
  | 'other_account'
  | 'unknown_tier';

export type Billed =
  | { outcome: 'applied'; subscription: Subscription }
  | { outcome: Exclude<BillingOutcome, 'applied'>; subscription: Subscription | null };

/** The subscription after the event. A store calls this and writes the result in one atomic step. */
export function billed(known: Subscription | null, event: BillingEvent, now: number): Billed {
  const accountId = event.accountId ?? known?.accountId ?? null;
  if (accountId === null) return { outcome: 'unknown_account', subscription: null };
  // Otherwise channels bound to the licence would use another tenant's licence.
  if (known !== null && known.accountId !== accountId)
    return { outcome: 'other_account', subscription: known };
  const mark = known?.billed ?? null;
  const past = mark === null ? null : comparePast(mark, event);
  if (past !== null) return { outcome: past, subscription: known };
  const terms = settleTerms(known, event, now);
  if (terms === null) return { outcome: 'unknown_tier', subscription: known };
  const fresh = known ?? newlyBilled(accountId, event, now);
  return { outcome: 'applied', subscription: { ...fresh, ...terms, billed: nextMark(mark, event) } };
}

const rank: Readonly<Record<BillingChange, number>> = { created: 0, updated: 1, deleted: 2 };

/** Event ids remembered: a payment provider never makes more events of one type in one second. */
const maxRemembered = 32;

/**
 * Orders events by their second. Within a second `created` comes before `updated` before `deleted`, so that an end is never
 * undone; within a second and type each event applies once, in order of arrival. null: the event is new.
 */
function comparePast(mark: BilledMark, event: BillingEvent): 'seen' | 'older' | null {
  if (mark.eventIds.includes(event.eventId)) return 'seen';
  if (event.at !== mark.at) return event.at < mark.at ? 'older' : null;
  return rank[event.change] < rank[mark.change] ? 'older' : null;
}

function nextMark(mark: BilledMark | null, { at, change, eventId }: BillingEvent): BilledMark {
  const isSameMoment = mark !== null && mark.at === at && mark.change === change;
  const before = isSameMoment ? mark.eventIds.slice(1 - maxRemembered) : [];
  return { at, change, eventIds: [...before, eventId] };
}

type Terms = Pick<Subscription, 'status' | 'tier' | 'expiresAt' | 'autoRenew'>;

/**
 * The terms after the event. An end needs no tier and no period: missing ones are kept. null if a licence would begin or continue
 * without one of our tiers, or without an end date.
 */
function settleTerms(known: Subscription | null, event: BillingEvent, now: number): Terms | null {
  const status = settleStatus(event, now);
  const isEnd = status !== 'active';
  const tier = event.tier ?? (isEnd ? (known?.tier ?? null) : null);
  const expiresAt = event.expiresAt ?? (isEnd ? (known?.expiresAt ?? event.at) : null);
  if (tier === null || expiresAt === null) return null;
  return { status, tier, expiresAt, autoRenew: status === 'active' && event.renews };
}

/** [operator-interface §4 canceled] A cancellation takes effect at once, unless the provider says "at period end" and that is in future. */
function settleStatus({ status, endsWithPeriod, expiresAt }: BillingEvent, now: number): SubscriptionStatus {
  const goesOn = status === 'canceled' && endsWithPeriod && (expiresAt ?? 0) > now;
  return goesOn ? 'active' : status;
}

/** The id is derived from the provider's, so that concurrent events on two nodes create one licence. */
function newlyBilled(accountId: string, event: BillingEvent, now: number): Omit<Subscription, keyof Terms> {
  return {
    id: idFrom('billing', event.externalId),
    accountId,
    source: 'billing_provider',
    startsAt: event.startsAt,
    externalId: event.externalId,
    billed: null,
    createdAt: now,
  };
}
