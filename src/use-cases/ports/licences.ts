/** What an account has paid for. */
import type { Billed, BillingEvent } from '../../domain/licences/billing.ts';
import type { Subscription } from '../../domain/licences/subscription.ts';

export interface SubscriptionStore {
  insert(subscription: Subscription): Promise<void>;
  byId(subscriptionId: string): Promise<Subscription | null>;
  /** All of the account, newest first; by `externalId` for billing. */
  list(accountId: string): Promise<Subscription[]>;
  byExternalId(externalId: string): Promise<Subscription | null>;
  /** null when there is none. */
  update(
    subscriptionId: string,
    patch: Partial<Pick<Subscription, 'status' | 'tier' | 'expiresAt' | 'autoRenew'>>,
  ): Promise<Subscription | null>;
  /**
   * What `billed` makes of the subscription with the event's external id, decided and written in one step: however many events of
   * it come at once, on however many nodes, the outcome is that of some order of them.
   */
  bill(event: BillingEvent, now: number): Promise<Billed>;
}
