/** What an account has paid for. */
import type { Billed, BillingEvent } from '../../domain/licences/billing.ts';
import type { Source, Subscription } from '../../domain/licences/subscription.ts';

/** By end, then by id. */
export type EndingPlace = { expiresAt: number; id: string };

export interface SubscriptionStore {
  insert(subscription: Subscription): Promise<void>;
  byId(subscriptionId: string): Promise<Subscription | null>;
  /** All of the account, newest first. */
  list(accountId: string): Promise<Subscription[]>;
  byExternalId(externalId: string): Promise<Subscription | null>;
  /** null when there is none. */
  update(
    subscriptionId: string,
    patch: Partial<Pick<Subscription, 'status' | 'tier' | 'expiresAt' | 'autoRenew'>>,
  ): Promise<Subscription | null>;
  /** Those stored as active that end at `until` or before, the first to end first; `after` goes on behind one. */
  ending(of: { source: Source; after: EndingPlace; until: number; limit: number }): Promise<Subscription[]>;
  /** Active becomes expired, unless it ends at another time by now: then false. */
  lapse(subscriptionId: string, expiresAt: number): Promise<boolean>;
  /**
   * What `billed` makes of the subscription with the event's external id, decided and written in one step: however many events of
   * it come at once, on however many nodes, the outcome is that of some order of them.
   */
  bill(event: BillingEvent, now: number): Promise<Billed>;
}
