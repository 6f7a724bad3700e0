/** The nodes as operators and readiness see them. */

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
