/** What differs between one node alone and a node of a cluster: who owns a channel, and how others hear of it. */
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { ActorKind } from '../../actors/runtime/actor.ts';
import type { Jobs } from '../adapters/jobs/ports.ts';
import type { LiveAdapter } from '../adapters/realtime/index.ts';
import type { ChannelHost } from '../cluster/local.ts';
import type { RateLimiter } from '../use-cases/ports/accounts.ts';
import type { ChannelRouter } from '../use-cases/ports/messages.ts';
import type { ClusterView } from '../use-cases/ports/operating.ts';
import type { SharedProfiles } from '../use-cases/ports/profiles.ts';

export type ChannelKindOfActor = ActorKind<unknown, ChannelMessage, unknown>;

export interface Routing {
  router: ChannelRouter;
  cluster: ClusterView;
  /** The channels that are live on this node. */
  host: ChannelHost;
  /** Jobs of which the whole cluster does each once. */
  sharedJobs: Jobs;
  /** For the live feed, so that any node reaches any subscriber; null on one node. */
  liveAdapter: LiveAdapter | null;
  /** Null on one node. */
  sharedProfiles: SharedProfiles | null;
  /** Of each API key, over all nodes. */
  rateLimiter: RateLimiter;
  /** Every part by name with its state in a word; `ready` when it can serve. */
  readiness(): Record<string, string>;
  /** Said before clients are cut off: answers that other nodes owe them are waited for no longer. */
  endAsks: () => void;
  /** Nodes that this one sees, itself included. */
  nodesLive(): number;
  /** Whether this node may own channels now. */
  leaseIsValid(): boolean;
  /** Whether the lock service has said so a moment ago. */
  leaseIsSure(): boolean;
}

/** How a node holds its channels. */
export const hostLimits = {
  mailboxCapacity: 20_000,
  idleAfterMs: 60_000,
} as const;
