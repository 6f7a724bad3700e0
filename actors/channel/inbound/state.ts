/** Messages that are stored and not emitted yet: the state of their files, and what only the store holds. */
import type { FileType, MediaResult } from '../../../src/rules/events/content-blocks.ts';
import type { Part, UpstreamFile, ChannelFact } from '../../../src/rules/messages/facts.ts';
import { limits } from '../limits.ts';
import type { NodeFull } from '../limits.ts';
import type { PendingInbound } from '../../../src/storage/journal/channel-journal.ts';
import { makeStages } from '../stages.ts';
import { SparseMap } from '../../../src/kernel/sparse-map.ts';

type FileStage = 'waiting' | 'fetching' | 'ended';
type InboundStage = 'keeping' | 'open' | 'emitting' | 'left';

export const moveFile = makeStages<FileStage>('file', {
  waiting: ['fetching'],
  fetching: ['waiting', 'ended'],
  ended: [],
});

export const moveInbound = makeStages<InboundStage>('pending message', {
  keeping: ['open'],
  open: ['emitting', 'left'],
  emitting: [],
  left: [],
});

export interface OpenFile {
  /** Index among the message's parts. */
  part: number;
  type: FileType;
  file: UpstreamFile;
  /** `waiting` for a slot or its next try, `fetching`, `ended` with either result. */
  readonly stage: FileStage;
  tries: number;
  nextTryAt: number;
  result: MediaResult | null;
}

/** A running fetch. */
interface FileFetch {
  inboundId: string;
  part: number;
  isRetry: boolean;
  startedAt: number;
}

export interface OpenInbound {
  pending: PendingInbound;
  files: OpenFile[];
  /** `keeping` until it is stored, then `open`; `emitting` while its events are being written; `left` to the next owner. */
  readonly stage: InboundStage;
  /** Until then later messages of the same person wait for this one; afterwards they overtake it, in order. */
  holdsUntil: number;
  /** Fetches that earlier owners began and that did not end. */
  triesBefore: number;
  /** The stored record counts a fetch by this owner. */
  isCounted: boolean;
}

/** Pending messages beyond the bound of memory, which only the store has. */
export interface InboundBacklog {
  /** The store holds messages with a `dueAt` later than `after` that are not remembered. */
  storeHasMore: boolean;
  /** While a page is being read: the earliest `dueAt` of the messages left in the store meanwhile. */
  after: number;
  loading: boolean;
  /** `dueAt` of the latest message that waits. */
  lastDueAt: number;
}

export function openInbound(pending: PendingInbound, now: number, stage: InboundStage): OpenInbound {
  const files = pending.fact.parts.flatMap((part, at): OpenFile[] =>
    isFile(part)
      ? [
          {
            part: at,
            type: part.type,
            file: part.file,
            stage: 'waiting',
            tries: 0,
            nextTryAt: 0,
            result: null,
          },
        ]
      : [],
  );
  const isOwn = stage === 'keeping';
  return {
    pending,
    files,
    stage,
    holdsUntil: now + limits.fileOrderMs,
    triesBefore: isOwn ? 0 : pending.tries,
    isCounted: isOwn && pending.tries > 0,
  };
}

export function isFile(part: Part): part is Extract<Part, { file: UpstreamFile }> {
  return 'file' in part;
}

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
