/** Work that may wait: done by one node of the cluster, tried again when it fails, at least once. */

/** What each carries, and the request that it follows from. Ids only: it may stand in Redis unsealed. [faults: I10] */
export interface JobPayloads {
  /** An inactive channel whose asset may need no webhook subscription any more. */
  'unsubscribe-asset': { channelId: string; requestId?: string };
  /** A channel of which upstream says that something changed. */
  'look-at-channel': { channelId: string; requestId?: string };
}

type JobName = keyof JobPayloads;

export interface JobQueue {
  /** Throws Fault `overloaded` or `unavailable`: then nobody will do it. */
  enqueue<N extends JobName>(name: N, data: JobPayloads[N]): Promise<void>;
}

/** Who does each; one that rejects is tried again. */
export type JobWorkers = { [N in JobName]: (data: JobPayloads[N]) => Promise<void> };
