/** What an operator asks of the nodes. */
import type { ChannelInsight } from '../../../actors/channel/asks.ts';
import type { NodeInsight } from '../ports/operating.ts';
import type { Account, ApiKey } from '../../domain/accounts/account.ts';
import type { ChannelWithLicence, FaringChannel } from '../channels/types.ts';
import type { SubscriptionWithChannels } from '../licences/types.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelHealth } from '../../domain/channels/health.ts';

export type { NodeInsight };

/** As the channel's owner sees it. */
export type InspectedChannel = ChannelInsight & { channelId: string; nodeId: string };

export interface ExaminedChannel extends FaringChannel {
  queue: InspectedChannel | null;
}

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

/** `since`: the hour before this one began. `worst`: some of the accounts, those with most events first. */
export interface GivenUpLately {
  since: number;
  events: number;
  accounts: number;
  worst: { account: Account; events: number }[];
  isCut: boolean;
}
