import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import type { ChannelJournal } from '../../src/storage/journal/channel-journal.ts';
import type { Sealer } from '../../src/kernel/sealed.ts';
import { newSealer } from '../../test/support/sealing.ts';
import { openFloorStore } from './floor-store.ts';
import { setting } from './serve.ts';

export interface FloorChannel {
  id: string;
  /** Of its owner, the floor. */
  epoch: number;
  upstreamPath: string;
}

export interface FloorWorld<C extends FloorChannel = FloorChannel> {
  /** As loads name them: by its id in a send, by its phone number id in a POST of upstream. */
  channels: ReadonlyMap<string, C>;
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
  close(): Promise<void>;
}

/** One of FLOOR_CHANNELS_FILE. */
export interface ListedChannel {
  id: string;
  phone: string;
}

/** `complete`: makes of each channel what a baseline needs of it. */
export async function openFloorWorld<C extends FloorChannel>(
  complete: (channel: FloorChannel, phone: string, world: Omit<FloorWorld, 'channels'>) => C,
): Promise<FloorWorld<C>> {
  const store = await openFloorStore();
  const pool = (url: string): Pool =>
    new Pool(new URL(url).origin, { connections: 256, keepAliveTimeout: 30_000 });
  const [upstream, receiver] = [pool(setting('UPSTREAM_URL')), pool(setting('RECEIVER_URL'))];
  const world = {
    accountId: '5c2f6f0e-0000-4000-8000-000000000001',
    store: store.channelState,
    sealer: newSealer(),
    upstream,
    receiver,
    receiverPath: new URL(setting('RECEIVER_URL')).pathname,
    appSecret: setting('UPSTREAM_APP_SECRET'),
    webhookSecret: 'example-webhook-secret',
    apiKeyHash: setting('FLOOR_API_KEY_HASH'),
    async close() {
      await Promise.all([upstream.destroy(), receiver.destroy()]);
      await store.close();
    },
  };
  const listed: ListedChannel[] = JSON.parse(readFileSync(setting('FLOOR_CHANNELS_FILE'), 'utf8'));
  const channels = new Map<string, C>();
  for (const { id, phone } of listed) {
    const own = { id, epoch: await store.own(id), upstreamPath: `/v25.0/${phone}/messages` };
    const channel = complete(own, phone, world);
    channels.set(id, channel).set(phone, channel);
  }
  return { ...world, channels };
}

/** `name`: as a load names the channel. */
export function channelOf<C extends FloorChannel>({ channels }: FloorWorld<C>, name: string): C {
  const channel = channels.get(name);
  if (channel === undefined) throw new Error(`no channel ${name}`);
  return channel;
}
