/** A node of a cluster: MongoDB is the truth, Redis decides who tries, links carry what is said to channels. */
import type http from 'node:http';
import { Cluster } from '../cluster/cluster.ts';
import { openRedis } from '../cluster/redis.ts';
import { newId } from '../kernel/ids.ts';
import { hosting } from './platform.ts';
import type { Platform, PlatformOptions } from './platform.ts';

/** An owner answers `queued` at the latest; a forwarded ask waits a little longer than that. */
const answerRoomMs = 30_000;

export async function clusterPlatform(
  options: PlatformOptions,
  redisUrl: string,
  mongodbUri: string,
): Promise<Platform> {
  const { settings, clock, log, stages, metrics } = options;
  const { openMongoStore } = await import('../adapters/storage/mongo/index.ts');
  const store = await openMongoStore({ uri: mongodbUri, clock, log });
  stages.started('store', () => store.close());
  const redis = await openRedis(redisUrl, log);
  stages.started('redis', () => redis.close());
  const { makeBeeQueueJobs } = await import('../adapters/jobs/bee-queue.ts');
  const { makeSharedBuckets } = await import('../adapters/limits/shared.ts');
  const { redisAdapter } = await import('../adapters/realtime/redis-adapter.ts');

  return {
    stores: store.stores,
    channelState: store.channelState,
    async startActors(kind) {
      const cluster = new Cluster({
        ...hosting,
        nodeId: settings.nodeId,
        incarnation: `${settings.nodeId}:${newId()}`,
        secret: settings.clusterSecret ?? '',
        internalHost: settings.internalHost ?? settings.host,
        internalPort: settings.internalPort ?? 0,
        internalUrl: settings.internalUrl,
        leaseTtlMs: settings.leaseTtlMs,
        askDeadlineMs: settings.sendQueuedAfterMs + answerRoomMs,
        redis: redis.main,
        leaseRedis: redis.lease,
        owners: store.owners,
        kind,
        clock,
        log,
        counters: metrics,
        onInternalRequest: internalDoor(options),
        onChanged: ({ channelId, apiKeyId }) => {
          if (channelId !== null) options.forget()?.invalidateChannel(channelId);
          if (apiKeyId !== null) options.forget()?.invalidateKey(apiKeyId);
        },
        onOrphans: () => options.onOrphans(),
      });
      await cluster.start();
      stages.started('cluster', () => cluster.stop());
      const sharedJobs = makeBeeQueueJobs({ redisUrl, redis: redis.main, clock, log });
      stages.started('shared jobs', () => sharedJobs.stop());
      const live = await redisAdapter(redisUrl, log);
      stages.started('live adapter', () => live.close());
      return {
        router: cluster.router,
        cluster: {
          nodes: () => cluster.nodes(),
          whereIs: (channelId) => cluster.whereIs(channelId),
          drain: () => cluster.drain(),
          changed: (change) => cluster.changed(change),
        },
        sharedJobs,
        liveAdapter: live,
        rateLimiter: makeSharedBuckets(settings.rateLimitPerSecond, settings.rateLimitBurst, {
          redis: redis.main,
          clock,
          log,
          liveNodes: () => cluster.insight().members,
        }),
        channelsOwned: () => cluster.host.size,
        isDraining: () => cluster.host.isDraining,
        readiness: () => ({
          store: store.isReachable() ? 'ready' : 'unreachable',
          lease: cluster.leaseIsValid ? 'ready' : 'lost',
        }),
      };
    },
  };
}

/** The internal listener also answers Prometheus; nothing else is to be had there without the cluster secret. */
function internalDoor({ settings, metrics }: PlatformOptions): http.RequestListener {
  return (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics' || !settings.metrics) {
      response.writeHead(404).end();
      return;
    }
    metrics.text().then(
      ({ contentType, body }) => response.writeHead(200, { 'content-type': contentType }).end(body),
      () => response.writeHead(500).end(),
    );
  };
}
