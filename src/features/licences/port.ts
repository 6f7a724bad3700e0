/** Licences (subscriptions) of accounts, and the payment provider's events that change them. */
import type { Billed, BillingEvent } from './billing.ts';
import type { Source, Subscription } from '../../rules/licences/subscription.ts';

/** Position in the order of `ending`: by end (ms), then by id. */
export type EndingPlace = { expiresAt: number; id: string };

export interface SubscriptionStore {
  insert(subscription: Subscription): Promise<void>;
  byId(subscriptionId: string): Promise<Subscription | null>;
  /** All licences of the account, newest first. */
  list(accountId: string): Promise<Subscription[]>;
  byExternalId(externalId: string): Promise<Subscription | null>;
  /** The licence before and after this very write; null if there is no such licence. */
  update(
    subscriptionId: string,
    patch: Partial<Pick<Subscription, 'status' | 'tier' | 'expiresAt' | 'autoRenew'>>,
  ): Promise<{ before: Subscription; after: Subscription } | null>;
  /** Licences stored as active that end at `until` (ms) or before, earliest end first, the first `limit` after `after`. */
  ending(of: { source: Source; after: EndingPlace; until: number; limit: number }): Promise<Subscription[]>;
  /** Sets an active licence to expired. False, and nothing changes, if its end is no longer `expiresAt`. */
  lapse(subscriptionId: string, expiresAt: number): Promise<boolean>;
  /**
   * Applies `billed` to the subscription with the event's external id, atomically: concurrent events, also on several nodes, are
   * serialised in some order.
   */
  bill(event: BillingEvent, now: number): Promise<Billed>;
}

/** Content of one POST of the provider. */
export type BillingNews =
  | { kind: 'subscription'; event: BillingEvent }
  /** An event of a type that changes no subscription. */
  | { kind: 'other' }
  /** An event that should change a subscription, but in an unknown shape. */
  | { kind: 'unreadable'; eventId: string };

export interface BillingReader {
  /** Throws fault `bad_request` if the signature is missing, wrong or older than 300 s, or if the body is no event. */
  read(raw: Uint8Array, signature: string): Promise<BillingNews>;
}
