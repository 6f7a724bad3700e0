/** The store of a node: embedded on disk, or MongoDB. */
import type { ChannelJournal } from '../storage/journal/channel-journal.ts';
import type { TakenDirectory } from '../storage/sqlite/index.ts';
import type { OwnerStore } from '../storage/nodes-port.ts';
import type { Stores } from '../storage/stores-port.ts';
import type { Node } from './node.ts';

export interface Storage {
  stores: Stores;
  channelState: ChannelJournal;
  /** Makes this node the owner of a channel and returns the new epoch; only for a node without a cluster. */
  mintEpoch(channelId: string): Promise<number>;
  /** Ownership of channels in a cluster; null: no other node uses this store. */
  owners: OwnerStore | null;
  isReachable(): boolean;
}

/**
 * Locks DATA_DIR before anything else is loaded, so that the writer thread opens the store while the rest starts. Throws StoreUnavailable if
 * another process holds the directory.
 */
export async function takeOwnDirectory({
  settings,
  log,
}: Pick<Node, 'settings' | 'log'>): Promise<TakenDirectory> {
  const { takeDirectory } = await import('../storage/sqlite/index.ts');
  return takeDirectory({
    dataDir: settings.dataDir,
    mediaTtlMs: settings.mediaTtlMs,
    acceptsOlder: settings.acceptOlderStore,
    log,
  });
}

export function openStorage(node: Node): Promise<Storage> {
  const { mongodbUri } = node.settings;
  return mongodbUri === null ? openEmbedded(node) : openMongo(node, mongodbUri);
}

async function openEmbedded(node: Node): Promise<Storage> {
  const { stages, directory } = node;
  const store = await (directory ?? (await takeOwnDirectory(node))).open();
  stages.started('store', () => store.close());
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
  const store = await openMongoStore({ uri, clock, log });
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
