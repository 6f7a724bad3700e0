/** Messages that are on record and not emitted yet: what is known of their files, and what the store alone holds. */
import type { FileType, MediaResult } from '../../../src/domain/events/content-blocks.ts';
import type { Part, UpstreamFile } from '../../../src/domain/messages/facts.ts';
import { limits } from '../limits.ts';
import type { PendingInbound } from '../ports/store.ts';
import { makeStages } from '../stages.ts';

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
  /** Place among the message's parts. */
  part: number;
  type: FileType;
  file: UpstreamFile;
  /** `waiting` for a place or its next try, `fetching`, `ended` one way or the other. */
  readonly stage: FileStage;
  tries: number;
  nextTryAt: number;
  result: MediaResult | null;
}

/** A file on its way. */
export interface FileFetch {
  inboundId: string;
  part: number;
  isRetry: boolean;
  startedAt: number;
}

export interface OpenInbound {
  pending: PendingInbound;
  files: OpenFile[];
  /** `keeping` until it is on record, `open`, then `emitting`: its events are being written. `left` to the next owner. */
  readonly stage: InboundStage;
  /** From then on it overtakes what came before it from the same person. */
  overtakesAt: number;
  /** Fetches that were begun by earlier owners and did not end. */
  triesBefore: number;
  /** A fetch by this owner is on record. */
  isCounted: boolean;
}

/** Pending messages beyond the bound of memory, which only the store has. */
export interface InboundBacklog {
  /** The store holds messages with a later `dueAt` than `after` that are not remembered. */
  storeHasMore: boolean;
  /** While the store is asked: the soonest of what was left there meanwhile. */
  after: number;
  loading: boolean;
  /** `dueAt` of the last message that came to wait. */
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
    overtakesAt: now + limits.fileOrderMs,
    triesBefore: isOwn ? 0 : pending.tries,
    isCounted: isOwn && pending.tries > 0,
  };
}

export function isFile(part: Part): part is Extract<Part, { file: UpstreamFile }> {
  return 'file' in part;
}
