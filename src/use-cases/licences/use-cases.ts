/** What an account has paid for, and which channel uses it. */
import type { Page, PageRequest } from '../ports/paging.ts';
import type { Caller } from '../caller.ts';
import type { Source, Subscription, SubscriptionStatus, Tier } from '../../domain/licences/subscription.ts';
import type { AvailableSlots } from '../../domain/licences/slots.ts';
import type { Channel } from '../../domain/channels/channel.ts';

export interface SubscriptionWithChannels {
  subscription: Subscription;
  channels: Channel[];
}

export interface LicenceUseCases {
  listSubscriptions(
    caller: Caller,
    page: PageRequest,
  ): Promise<Page<SubscriptionWithChannels> & { activeTotal: number; availableSlots: AvailableSlots }>;
  createSubscription(
    accountId: string,
    request: { tier: Tier; source: Source; expiresAt: number | null; autoRenew: boolean },
  ): Promise<SubscriptionWithChannels>;
  updateSubscription(
    subscriptionId: string,
    patch: { status?: SubscriptionStatus; tier?: Tier; expiresAt?: number | null; autoRenew?: boolean },
  ): Promise<SubscriptionWithChannels>;
  receiveBillingEvent(raw: Uint8Array, signature: string): Promise<void>;
  bindChannel(channelId: string, subscriptionId: string | null): Promise<void>;
}
