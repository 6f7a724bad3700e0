/**
 * The product's own durable writes, on either store: what is above the floor is then never the store's price. Loaded when it is
 * needed, as the service does: the other store's driver is not in the floor's memory.
 */
import type { ChannelJournal } from '../../actors/channel/ports/store.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { setting } from './serve.ts';

interface FloorStore {
  channelState: ChannelJournal;
  epoch: number;
  close(): Promise<void>;
}

export async function openFloorStore(channelId: string): Promise<FloorStore> {
  const uri = process.env['FLOOR_MONGODB_URI'];
  return uri === undefined ? openEmbedded() : openMongo(uri, channelId);
}

async function openEmbedded(): Promise<FloorStore> {
  const { openEmbeddedStore } = await import('../../src/adapters/storage/sqlite/index.ts');
  const store = await openEmbeddedStore({ dataDir: setting('DATA_DIR'), log: silentLog });
  const epoch = await store.ownership.mintEpoch('floor');
  return { channelState: store.channelState, epoch, close: () => store.close() };
}

async function openMongo(uri: string, channelId: string): Promise<FloorStore> {
  const { openMongoStore } = await import('../../src/adapters/storage/mongo/index.ts');
  const store = await openMongoStore({ uri, log: silentLog, clock: systemClock });
  const owner = { nodeId: 'floor', incarnation: 'floor' };
  const { epoch } = await store.owners.mint(channelId, owner, Date.now());
  return { channelState: store.channelState, epoch, close: () => store.close() };
}
