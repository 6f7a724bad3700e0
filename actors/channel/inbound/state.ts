import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import type { NodeFull } from '../limits.ts';
import type { InboundBacklog, FileFetch, OpenInbound } from './pending.ts';

/** The batch of facts that messages arrive in. */
export interface InboundJob {
  facts: readonly ChannelFact[];
  /** Messages that have reserved a place among the pending ones and lose it if they are not stored. */
  reserved: string[];
  /** Messages that must wait but found no room: each waits behind the messages before this `dueAt`. null: none. */
  noRoom: Map<string, number> | null;
  /** `dueAt` of the latest message that waited before this job. */
  since: number;
}

/** Messages that are stored and not emitted yet. */
export interface InboundState {
  /** Messages that wait for their files, or behind such a message, in order of arrival. */
  open: SparseMap<string, OpenInbound>;
  /** Running fetches. */
  fetches: FileFetch[];
  backlog: InboundBacklog;
  nodeFull: NodeFull;
}

export function newInbound(nodeFull: NodeFull): InboundState {
  return {
    open: new SparseMap(),
    fetches: [],
    backlog: { storeHasMore: false, after: 0, loading: false, lastDueAt: 0 },
    nodeFull,
  };
}
