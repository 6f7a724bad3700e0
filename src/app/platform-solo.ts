/** One node: the embedded store (or MongoDB), every channel owned here. */
import { Host } from '../../actors/runtime/host.ts';
import { makeInProcessJobs } from '../adapters/jobs/index.ts';
import { makeTokenBuckets } from '../adapters/limits/token-bucket.ts';
import { soloOwnership, soloRouter } from '../cluster/solo.ts';
import { hosting } from './platform.ts';
import type { Platform, PlatformOptions } from './platform.ts';

export async function soloPlatform(options: PlatformOptions): Promise<Platform> {
  const { settings, clock, log, stages } = options;
  const store = await openStore(options);
  return {
    stores: store.stores,
    channelState: store.channelState,
    startActors(kind) {
      const startedAt = clock.now();
      const host = new Host({
        ...hosting,
        kind,
        ownership: soloOwnership((channelId) => store.mintEpoch(channelId)),
        clock,
        onFailure: (channel, error) => log.error({ channel, error }, 'channel.activation-failed'),
      });
      const drain = (): Promise<void> => host.drain(hosting.drainBudgetMs);
      stages.started('channels', drain);
      const sharedJobs = makeInProcessJobs({ clock, log });
      stages.started('shared jobs', () => sharedJobs.stop());
      const self = (): { nodeId: string; channelsOwned: number; startedAt: number; draining: boolean } => ({
        nodeId: settings.nodeId,
        channelsOwned: host.size,
        startedAt,
        draining: host.isDraining,
      });
      return Promise.resolve({
        router: soloRouter(host),
        cluster: {
          nodes: () => Promise.resolve([self()]),
          whereIs: () => Promise.resolve(settings.nodeId),
          drain,
        },
        sharedJobs,
        liveAdapter: null,
        rateLimiter: makeTokenBuckets(settings.rateLimitPerSecond, settings.rateLimitBurst, clock),
        channelsOwned: () => host.size,
        isDraining: () => host.isDraining,
        readiness: () => ({ store: store.isReachable() ? 'ready' : 'unreachable' }),
      });
    },
  };
}

interface SoloStore extends Pick<Platform, 'stores' | 'channelState'> {
  mintEpoch(channelId: string): Promise<number>;
  isReachable(): boolean;
}

async function openStore({ settings, clock, log, stages }: PlatformOptions): Promise<SoloStore> {
  if (settings.mongodbUri === null) {
    const { openEmbeddedStore } = await import('../adapters/storage/embedded/index.ts');
    const store = await openEmbeddedStore({ dataDir: settings.dataDir, log });
    stages.started('store', () => store.close());
    return {
      ...store,
      mintEpoch: (channelId) => store.ownership.mintEpoch(channelId),
      isReachable: () => true,
    };
  }
  const { openMongoStore } = await import('../adapters/storage/mongo/index.ts');
  const store = await openMongoStore({ uri: settings.mongodbUri, clock, log });
  stages.started('store', () => store.close());
  const self = { nodeId: settings.nodeId, incarnation: settings.nodeId };
  return {
    ...store,
    mintEpoch: async (channelId) => (await store.owners.mint(channelId, self, clock.now())).epoch,
    isReachable: () => store.isReachable(),
  };
}
