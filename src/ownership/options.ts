/** Options of a node in a cluster, and its figures. */
import type { Redis } from 'ioredis';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { ActorKind } from '../../actors/runtime/actor.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ConnectionShares } from '../kernel/connection-shares.ts';
import type { Log } from '../kernel/log.ts';
import type { Counters, Observers } from '../kernel/metrics.ts';
import type { NodeRun } from './cluster-view.ts';
import type { OwnerStore } from '../storage/owners.ts';

export interface ClusterOptions {
  nodeId: string;
  /** Random per run. */
  incarnation: string;
  secret: string;
  /** Places of the internal listener. */
  connections: ConnectionShares;
  internalHost: string;
  /** 0: any free port. */
  internalPort: number;
  /** How other nodes reach the internal listener; null: host and bound port. */
  internalUrl: string | null;
  leaseTtlMs: number;
  /** A channel moves to the node that its sends reach. */
  channelsFollowSends: boolean;
  /**
   * An ask sent to another node is given up after this many ms, or, if that is longer, after a drain: longer than an owner ever holds one.
   */
  askDeadlineMs: number;
  /** For everything but the lease. */
  redis: Redis;
  /** The lease's own connection, so that a busy queue can't starve the renewal. */
  leaseRedis: Redis;
  owners: OwnerStore;
  kind: ActorKind<unknown, ChannelMessage, unknown>;
  mailboxCapacity: number;
  idleAfterMs: number;
  drainBudgetMs: number;
  clock: Clock;
  log: Log;
  counters: Counters & Observers;
  /** Another node changed a channel or revoked a key: drop what is cached. */
  onChanged: (change: { channelId: string | null; apiKeyId: string | null }) => void;
  /** Status of this process, for operators. */
  run: () => NodeRun;
  /** The lease is held, for the first time or again: this node may own channels. */
  onLease: () => void;
  /** Channels may be without an owner, so the due work must be searched now. Called at most once a second. */
  onOrphans: () => void;
}

/** Figures of a node's place in its cluster. */
export interface ClusterInsight {
  /** Of the lease. */
  renewals: number;
  losses: number;
  /** Live nodes, this one included. */
  members: number;
  links: number;
  /** Live nodes without a link for longer than a lease. */
  peersWithoutLink: number;
}
