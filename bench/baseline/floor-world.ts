import type { Pool } from 'undici';
import type { ChannelJournal } from '../../src/storage/journal/channel-journal.ts';
import type { Sealer } from '../../src/kernel/sealed.ts';

export interface FloorChannel {
  id: string;
  /** Of its owner, the floor. */
  epoch: number;
  upstreamPath: string;
}

export interface FloorWorld {
  /** As loads name them: by its id in a send, by its phone number id in a POST of upstream. */
  channels: ReadonlyMap<string, FloorChannel>;
  /** Of all channels: the service's thousand are of one account too, so that indexes by account have one place in both stores. */
  accountId: string;
  store: ChannelJournal;
  sealer: Sealer;
  upstream: Pool;
  receiver: Pool;
  receiverPath: string;
  appSecret: string;
  webhookSecret: string;
  apiKeyHash: string;
}

/** `name`: as a load names the channel. */
export function channelOf({ channels }: FloorWorld, name: string): FloorChannel {
  const channel = channels.get(name);
  if (channel === undefined) throw new Error(`no channel ${name}`);
  return channel;
}
