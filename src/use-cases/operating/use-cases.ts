/** What an operator asks of the nodes. */
import type { Page, PageRequest } from '../ports/paging.ts';
import type { NodeInsight, QuarantinedItem, StoredMail } from '../ports/operating.ts';
import type { Account, ApiKey } from '../../domain/accounts/account.ts';
import type { ChannelWithLicence } from '../channels/use-cases.ts';
import type { SubscriptionWithChannels } from '../licences/use-cases.ts';
import type { ChannelInsight } from '../../../actors/channel/messages.ts';
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

export interface OperatingUseCases {
  /** Newest first, a bounded page; `email`: the one with this address, however it is spelt. */
  listAccounts(email: string | null, page: PageRequest): Promise<Page<Account>>;
  inspectAccount(accountId: string): Promise<AccountInsight>;
  listMails(accountId: string | null, page: PageRequest): Promise<Page<StoredMail>>;
  listQuarantine(page: PageRequest): Promise<Page<QuarantinedItem>>;
  listNodes(): Promise<NodeInsight[]>;
  inspectChannel(channelId: string): Promise<ChannelInsight & { channelId: string; nodeId: string }>;
  /** Channels whose endpoint takes nothing, those that have failed longest first; at most 1,000. */
  listFailing(): Promise<FailingChannel[]>;
  drain(): Promise<void>;
}
