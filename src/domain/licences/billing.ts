import { idFrom } from '../../kernel/ids.ts';
import type { BilledMark, BillingChange, Subscription, SubscriptionStatus, Tier } from './subscription.ts';

/** [operator-interface §3, Billing] What was signed longer ago is a replay. */
export const signedWithinSeconds = 300;

/** What the payment provider says of one subscription; times in ms. [operator-interface §3, Billing] */
export interface BillingEvent {
  eventId: string;
  /** When the provider made the event, to the second. */
  at: number;
  change: BillingChange;
  externalId: string;
  /** The account it names; null: none. */
  accountId: string | null;
  status: SubscriptionStatus;
  /** null: no tier of ours. */
  tier: Tier | null;
  startsAt: number;
  /** End of the paid period; null: not said. */
  expiresAt: number | null;
  /** No end is scheduled. */
  renews: boolean;
  /** It ends when the paid period does, not before. */
  endsWithPeriod: boolean;
}

/** `seen`: this very event was applied before. The others have changed nothing either, each for the reason it names. */
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

/** The subscription after the event. A store calls it and writes what comes out in one step. */
export function billed(known: Subscription | null, event: BillingEvent, now: number): Billed {
  const accountId = event.accountId ?? known?.accountId ?? null;
  if (accountId === null) return { outcome: 'unknown_account', subscription: null };
  // A channel bound to it would otherwise run on the licence of another tenant.
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

/** More events of one type in one second than this are none of a payment provider's. */
const maxRemembered = 32;

/**
 * Events are ordered by their second. Of one second `created` comes before `updated` before `deleted`, so that an end is never
 * undone; of one second and type each applies once, in the order of arrival. null: the event is news.
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
 * An end needs no tier and no period: what is not said stays as it was. null: a licence that is to begin or go on without a
 * tier of ours, or without an end.
 */
function settleTerms(known: Subscription | null, event: BillingEvent, now: number): Terms | null {
  const status = settleStatus(event, now);
  const isEnd = status !== 'active';
  const tier = event.tier ?? (isEnd ? (known?.tier ?? null) : null);
  const expiresAt = event.expiresAt ?? (isEnd ? (known?.expiresAt ?? event.at) : null);
  if (tier === null || expiresAt === null) return null;
  return { status, tier, expiresAt, autoRenew: status === 'active' && event.renews };
}

/** [operator-interface §4 canceled] At once, unless the period's end lies ahead and the provider says "at period end". */
function settleStatus({ status, endsWithPeriod, expiresAt }: BillingEvent, now: number): SubscriptionStatus {
  const goesOn = status === 'canceled' && endsWithPeriod && (expiresAt ?? 0) > now;
  return goesOn ? 'active' : status;
}

/** Its id is made of the provider's: two nodes that hear of it at once make one licence. */
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
