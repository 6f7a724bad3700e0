/**
 * The product's own durable writes, on either store, so that the ratio to the floor never contains the store's cost. The driver is imported
 * dynamically, as in the service, so that the other store's driver does not take memory of the floor.
 */
import type { ChannelJournal } from '../../src/storage/journal/channel-journal.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../test/support/silent-log.ts';
import { setting } from './serve.ts';

interface FloorStore {
  channelState: ChannelJournal;
  /** Makes the floor the owner of a channel. */
  own(channelId: string): Promise<number>;
  close(): Promise<void>;
}

export async function openFloorStore(): Promise<FloorStore> {
  const uri = process.env['FLOOR_MONGODB_URI'];
  return uri === undefined ? openEmbedded() : openMongo(uri);
}

async function openEmbedded(): Promise<FloorStore> {
  const { openEmbeddedStore } = await import('../../test/support/stores.ts');
  const store = await openEmbeddedStore({ dataDir: setting('DATA_DIR'), log: silentLog });
  const own = (channelId: string): Promise<number> => store.ownership.mintEpoch(channelId);
  return { channelState: store.channelState, own, close: () => store.close() };
}

async function openMongo(uri: string): Promise<FloorStore> {
  const { openMongoStore } = await import('../../test/support/mongo-stores.ts');
  const store = await openMongoStore({ uri, log: silentLog, clock: systemClock });
  const owner = { nodeId: 'floor', incarnation: 'floor' };
  const own = async (channelId: string): Promise<number> =>
    (await store.owners.mint(channelId, owner, Date.now())).epoch;
  return { channelState: store.channelState, own, close: () => store.close() };
}
