import type { ChannelFact } from '../../../src/domain/messages/facts.ts';
import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import type { NodeFull } from '../limits.ts';
import type { InboundBacklog, FileFetch, OpenInbound } from './pending.ts';

/** The batch of facts that messages come in. */
export interface InboundJob {
  facts: readonly ChannelFact[];
  /** Messages that have their place among the pending ones from the beginning, and lose it if they are not put on record. */
  reserved: string[];
  /** Those that are to wait and found no room: each goes behind what came before this `dueAt`. null: none. */
  noRoom: Map<string, number> | null;
  /** `dueAt` of the last message that came to wait before this job. */
  since: number;
}

/** What is remembered of messages that are on record and not emitted yet. */
export interface InboundState {
  /** Messages that wait for their files, or behind one that does; in the order they came. */
  open: SparseMap<string, OpenInbound>;
  /** Files on their way. */
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
