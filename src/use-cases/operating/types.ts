/** What an operator asks of the nodes. */
import type { NodeInsight } from '../ports/operating.ts';
import type { Account, ApiKey } from '../../domain/accounts/account.ts';
import type { ChannelWithLicence } from '../channels/types.ts';
import type { SubscriptionWithChannels } from '../licences/types.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelHealth } from '../../domain/channels/health.ts';

export type { NodeInsight };

export interface FailingChannel {
  channel: Channel;
  health: ChannelHealth;
}

/** `keys`: those not revoked, newest first. */
export interface AccountInsight {
  account: Account;
  keys: ApiKey[];
  subscriptions: SubscriptionWithChannels[];
  channels: ChannelWithLicence[];
}
