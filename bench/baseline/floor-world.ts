import type { Pool } from 'undici';
import type { ChannelJournal } from '../../src/storage/journal/channel-journal.ts';
import type { Sealer } from '../../src/kernel/sealed.ts';

export interface FloorWorld {
  channelId: string;
  epoch: number;
  store: ChannelJournal;
  sealer: Sealer;
  upstream: Pool;
  receiver: Pool;
  receiverPath: string;
  upstreamPath: string;
  appSecret: string;
  webhookSecret: string;
  apiKeyHash: string;
}
