/** The jobs that a change queues: each is run by one node of the cluster, at least once, and retried if it fails. */

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
