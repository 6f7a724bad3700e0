/** What nodes do without a request: due work, jobs, the ownership of channels; and the view of all nodes. */

/** Due work, which exists even if no request waits for it. [architecture §6.6] */
export interface DueWorkStore {
  /** Channels with a pending delivery or an unfinished send due at or before `now`. */
  channelsWithDueWork(now: number, limit: number): Promise<string[]>;
  /** Channels with an unfinished send that no owner has loaded yet (`SendStore.insertUnlessTaken`). Cheap if there are none. */
  channelsWithUntakenSends(limit: number): Promise<string[]>;
  /**
   * Erases older deliveries that have ended, and the bookkeeping of older finished messages, in slices. Takes no further slice once the
   * signal has aborted. Returns the number of erased records.
   */
  dropFinished(before: number, stopping?: AbortSignal): Promise<number>;
}

/** Who may act for a channel: one document per channel whose epoch only ever grows. [architecture §4] */
export interface OwnerStore {
  /**
   * Makes `owner` the owner under an epoch higher than every earlier one, even if Redis has lost its data. `previous`: the incarnation
   * of the last owner; null for the first.
   */
  mint(
    channelId: string,
    owner: { nodeId: string; incarnation: string },
    now: number,
    /** Increase of the epoch; default 1. */
    step?: number,
  ): Promise<{ epoch: number; previous: string | null }>;
  /** Last owner of each of these channels; channels that never had an owner are missing. */
  lastOwners(channelIds: readonly string[]): Promise<ReadonlyMap<string, LastOwner>>;
}

interface LastOwner {
  epoch: number;
  incarnation: string;
}

/** `alone`: single node. `unsure`: the lock service does not answer; the node keeps its channels. `lost`: the node owns nothing. */
export type LeaseState = 'alone' | 'held' | 'unsure' | 'lost';

/** Version and load of a node. */
export interface NodeRun {
  version: string;
  /** Of the sources that were built; `unknown` if the build did not know. */
  commit: string;
  /** Utilisation of the event loop in the last seconds: 0 to 1. */
  busy: number;
  memoryBytes: number;
}

/** A node's report about itself. */
export interface NodeStatus extends NodeRun {
  lease: LeaseState;
  /** Sums over the channels that the node owns. */
  sendsOpen: number;
  sendsWaiting: number;
  /** Age of the oldest open send. */
  oldestSendMs: number;
  deliveriesPending: number;
  oldestDeliveryMs: number;
  receiversFailing: number;
  /** Live nodes that it has had no link to for longer than a lease. */
  peersWithoutLink: number;
}

export interface NodeInsight {
  nodeId: string;
  channelsOwned: number;
  startedAt: number;
  draining: boolean;
  /** Whether the node that answers is this node or has a link to it. */
  isLinked: boolean;
  /** null: the node did not answer in time. */
  status: NodeStatus | null;
}

/** View of the nodes for operators and readiness; implemented by the cluster and by a single node. */
export interface ClusterView {
  nodes(): Promise<NodeInsight[]>;
  /** Id of the node that owns the channel. */
  whereIs(channelId: string): Promise<string>;
  /**
   * Lets a node (null: this node) hand over its channels and acquire none until its next start. Resolves when it owns none. Throws 404
   * `not_found` if no such node is alive, 503 `unavailable` if it can't be asked: then the drain may not have begun.
   */
  drain(nodeId: string | null): Promise<void>;
  /** Tells the other nodes to evict their cached copies. */
  changed(change: { channelId?: string; apiKeyId?: string }): void;
}

// Background jobs: each is run by one node of the cluster, at least once, and retried if it fails.

/** Payload of each job, with the id of the request that caused it. Ids only, because Redis may store it unsealed. [faults: I10] */
export interface JobPayloads {
  /** An inactive channel; its asset's webhook subscription may be unnecessary. */
  'unsubscribe-asset': { channelId: string; requestId?: string };
  /** A channel that changed according to upstream. */
  'look-at-channel': { channelId: string; requestId?: string };
  /** The app's own webhook subscriptions may lack something. */
  'check-app-webhooks': { requestId?: string };
}

type JobName = keyof JobPayloads;

export interface JobQueue {
  /** Throws Fault `overloaded` or `unavailable`: then the job will not run. */
  enqueue<N extends JobName>(name: N, data: JobPayloads[N]): Promise<void>;
}

/** Worker of each job; a job whose worker rejects is retried. */
export type JobWorkers = { [N in JobName]: (data: JobPayloads[N]) => Promise<void> };
