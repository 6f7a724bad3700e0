/** The store of a node: embedded on disk, or MongoDB. */
import type { ChannelJournal } from '../storage/journal/channel-journal.ts';
import type { OwnerStore } from '../storage/owners.ts';
import { entities } from '../features/entities.ts';
import { asError } from '../kernel/faults.ts';
import { withStores } from '../features/stores.ts';
import type { Stores } from '../features/stores.ts';
import type { Node } from './node.ts';
import { takeOwnDirectory } from './take-directory.ts';

export interface Storage {
  stores: Stores;
  channelState: ChannelJournal;
  /** Makes this node the owner of a channel and returns the new epoch; only for a node without a cluster. */
  mintEpoch(channelId: string): Promise<number>;
  /** Ownership of channels in a cluster; null: no other node uses this store. */
  owners: OwnerStore | null;
  isReachable(): boolean;
}

export function openStorage(node: Node): Promise<Storage> {
  const { mongodbUri } = node.settings;
  return mongodbUri === null ? openEmbedded(node) : openMongo(node, mongodbUri);
}

async function openEmbedded(node: Node): Promise<Storage> {
  const { stages, directory, settings, log } = node;
  const store = withStores(await (directory ?? (await takeOwnDirectory(node))).open());
  stages.started('store', () => store.close());
  const { keepReserve } = await import('../storage/sqlite/index.ts');
  void keepReserve(settings.dataDir).catch((error: unknown) =>
    log.warn({ error: asError(error) }, 'store.no_reserve'),
  );
  return {
    stores: store.stores,
    channelState: store.channelState,
    mintEpoch: (channelId) => store.ownership.mintEpoch(channelId),
    owners: null,
    isReachable: () => store.isReachable(),
  };
}

async function openMongo({ settings, clock, log, stages }: Node, uri: string): Promise<Storage> {
  const { openMongoStore } = await import('../storage/mongo/index.ts');
  const store = withStores(await openMongoStore({ uri, clock, log, entities }));
  stages.started('store', () => store.close());
  const alone = { nodeId: settings.nodeId, incarnation: settings.nodeId };
  return {
    stores: store.stores,
    channelState: store.channelState,
    mintEpoch: async (channelId) => (await store.owners.mint(channelId, alone, clock.now())).epoch,
    owners: store.owners,
    isReachable: () => store.isReachable(),
  };
}
