/** What an operator asks of the nodes. */
import type { Page, PageRequest } from '../ports/paging.ts';
import type { NodeInsight, QuarantinedItem, StoredMail } from '../ports/operating.ts';
import type { ChannelInsight } from '../../../actors/channel/messages.ts';

export type { NodeInsight };

export interface OperatingUseCases {
  listMails(accountId: string | null, page: PageRequest): Promise<Page<StoredMail>>;
  listQuarantine(page: PageRequest): Promise<Page<QuarantinedItem>>;
  listNodes(): Promise<NodeInsight[]>;
  inspectChannel(channelId: string): Promise<ChannelInsight & { channelId: string; nodeId: string }>;
  drain(): Promise<void>;
}
