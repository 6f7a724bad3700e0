/** What differs between a single node and a node of a cluster: who owns a channel, and how messages reach the owner. */
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { ActorKind } from '../../actors/runtime/actor.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { LiveAdapter } from '../features/live/feed.ts';
import type { ChannelHost } from '../ownership/local.ts';
import type { RateLimiter } from '../http/limits/callers.ts';
import type { ClusterView } from '../ownership/cluster-view.ts';
import type { SharedProfiles } from '../features/profiles/shared-profiles.ts';
import type { ChannelRouter } from '../../actors/channel/asks.ts';

export type ChannelActorKind = ActorKind<unknown, ChannelMessage, unknown>;

export interface Routing {
  router: ChannelRouter;
  cluster: ClusterView;
  /** The channels that are active on this node. */
  host: ChannelHost;
  /** Each of these jobs runs once in the whole cluster. */
  sharedJobs: Jobs;
  /** Carries the live feed's events between nodes; null on a single node. */
  liveAdapter: LiveAdapter | null;
  /** null on a single node. */
  sharedProfiles: SharedProfiles | null;
  /** Limits each API key, over all nodes. */
  rateLimiter: RateLimiter;
  /** Each part by name with its state in one word; `ready` if it can serve. */
  readiness(): Record<string, string>;
  /** Called before clients are cut off: stops waiting for the answers of other nodes. */
  endAsks: () => void;
  /** Number of live nodes that this node sees, itself included. */
  nodesLive(): number;
  /** Live nodes that this node has had no link to for longer than a lease. */
  peersWithoutLink(): number;
  /** Whether this node may own channels now. */
  leaseIsValid(): boolean;
  /** Whether the lock service confirmed the lease a moment ago. */
  leaseIsSure(): boolean;
}

/** Limits of a node's channel host. */
export const hostLimits = {
  mailboxCapacity: 20_000,
  idleAfterMs: 60_000,
} as const;
