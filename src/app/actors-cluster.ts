/** A node of a cluster: MongoDB is the source of truth, Redis holds the leases, links between nodes carry messages to channel owners. */
import { limitCallers } from '../http/limits/callers.ts';
import { Cluster } from '../ownership/cluster.ts';
import type { ClusterOptions } from '../ownership/options.ts';
import { openRedis } from '../ownership/redis.ts';
import type { Sealer } from '../kernel/sealed.ts';
import { newId } from '../kernel/ids.ts';
import { Outage } from '../kernel/outage.ts';
import { redisHosts } from '../kernel/redis-url.ts';
import type { OwnerStore } from '../storage/owners.ts';
import { instrumentJobs } from './metrics/instrument.ts';
import { makeNodeRun } from './node-run.ts';
import { sharePlaces } from './connection-places.ts';
import type { Node } from './node.ts';
import type { Storage } from './open-storage.ts';
import { checkRedis } from './redis-checks.ts';
import { hostLimits } from './routing.ts';
import type { ChannelActorKind, Routing } from './routing.ts';
import { StartError } from './listener.ts';

/** An owner answers `queued` at the latest; the deadline of a forwarded ask is this much later. */
const answerRoomMs = 30_000;

type Connections = Pick<ClusterOptions, 'redis' | 'leaseRedis'>;

export async function startCluster(
  node: Node,
  storage: Storage & { owners: OwnerStore },
  { kind, sealer, redisUrl }: { kind: ChannelActorKind; sealer: Sealer; redisUrl: string },
): Promise<Routing> {
  const { settings, clock, log, stages } = node;
  const outage = new Outage('redis', redisHosts(redisUrl), log);
  const redis = await openRedis(redisUrl, outage);
  stages.started('redis', () => redis.close());
  const lookAgain = await checkRedis(redis.main, log);
  node.events.on('leased', () => lookAgain()); // a lease that was lost may have been evicted
  const { makeBeeQueueJobs } = await import('../jobs/bee-queue.ts');
  const { makeSharedBuckets } = await import('../http/limits/shared.ts');
  const { makeSharedProfiles } = await import('../features/profiles/shared-profiles.ts');
  const { redisAdapter } = await import('../features/live/redis-adapter.ts');

  const connections: Connections = { redis: redis.main, leaseRedis: redis.lease };
  const cluster = await startMember(makeOptions(node, storage.owners, kind, connections), node);
  const sharedJobs = instrumentJobs(
    makeBeeQueueJobs({ redisUrl, redis: redis.main, clock, log, outage }),
    node,
  );
  stages.started('shared jobs', () => sharedJobs.stop());
  const liveAdapter = await redisAdapter({ redisUrl, sealer, outage, links: cluster.feed });
  stages.started('live adapter', () => liveAdapter.close());
  return {
    router: cluster.router,
    cluster,
    host: cluster.host,
    sharedJobs,
    liveAdapter,
    sharedProfiles: makeSharedProfiles({
      redis: redis.main,
      secret: settings.clusterSecret ?? '',
      sealer,
      clock,
      log,
    }),
    rateLimiter: limitCallers(
      { perSecond: settings.rateLimitPerSecond, burst: settings.rateLimitBurst },
      (perSecond, burst) =>
        makeSharedBuckets(perSecond, burst, {
          redis: redis.main,
          clock,
          log,
          liveNodes: () => cluster.insight().members,
        }),
    ),
    endAsks: () => cluster.endAsks(),
    nodesLive: () => cluster.insight().members,
    peersWithoutLink: () => cluster.insight().peersWithoutLink,
    leaseIsValid: () => cluster.leaseIsValid,
    leaseIsSure: () => cluster.leaseIsSure,
    readiness: () => ({
      store: storage.isReachable() ? 'ready' : 'unreachable',
      lease: cluster.leaseIsValid ? 'ready' : 'lost',
    }),
  };
}

async function startMember(options: ClusterOptions, { stages }: Node): Promise<Cluster> {
  const cluster = new Cluster(options);
  await cluster.start();
  stages.started('cluster', () => cluster.stop());
  refuseUnreachable(cluster);
  return cluster;
}

function makeOptions(
  node: Node,
  owners: OwnerStore,
  kind: ChannelActorKind,
  connections: Connections,
): ClusterOptions {
  const { settings, clock, log, metrics, events } = node;
  return {
    ...hostLimits,
    drainBudgetMs: settings.drainTimeoutMs,
    ...connections,
    nodeId: settings.nodeId,
    incarnation: `${settings.nodeId}:${newId()}`,
    secret: settings.clusterSecret ?? '',
    connections: sharePlaces(node, 'internal'),
    internalHost: settings.internalHost,
    internalPort: settings.internalPort ?? 0,
    internalUrl: settings.internalUrl,
    leaseTtlMs: settings.leaseTtlMs,
    channelsFollowSends: settings.channelsFollowSends,
    askDeadlineMs: settings.sendQueuedAfterMs + answerRoomMs,
    owners,
    kind,
    clock,
    log,
    counters: metrics,
    onChanged: (change) => events.emit('changed', change),
    onOrphans: () => events.emit('orphans'),
    onLease: () => events.emit('leased'),
    run: makeNodeRun(clock),
  };
}

/** Peers that dial this node's address reach themselves, or nobody: every ask between the nodes would wait for nothing. Throws StartError. */
function refuseUnreachable(cluster: Cluster): void {
  const unreachable = cluster.unreachable();
  if (unreachable === null) return;
  const { setting, peer } = unreachable;
  const must = {
    INTERNAL_HOST: 'INTERNAL_HOST must be an address of this machine that the other nodes reach, or 0.0.0.0',
    INTERNAL_URL: 'INTERNAL_URL must be the address at which the other nodes reach this one',
  };
  throw new StartError(
    `${must[setting]}: it is a loopback address, and node ${peer.nodeId} is at ${peer.url}`,
  );
}
