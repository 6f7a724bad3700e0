/** What an account has paid for. */
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
}
