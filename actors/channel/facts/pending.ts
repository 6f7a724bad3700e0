/** A message that is on record and not told yet: what is known of its files. */
import type { FileType, MediaResult } from '../../../src/domain/events/media-block.ts';
import type { Part, UpstreamFile } from '../../../src/domain/messages/facts.ts';
import { limits } from '../limits.ts';
import type { PendingInbound } from '../ports.ts';

export interface OpenFile {
  /** Place among the message's parts. */
  part: number;
  type: FileType;
  file: UpstreamFile;
  /** `waiting` for a place or its next try, `fetching`, `ended` one way or the other. */
  stage: 'waiting' | 'fetching' | 'ended';
  tries: number;
  nextTryAt: number;
  result: MediaResult | null;
}

export interface OpenInbound {
  pending: PendingInbound;
  files: OpenFile[];
  /** `keeping` until it is on record, `open`, then `telling`: its events are being written. */
  stage: 'keeping' | 'open' | 'telling';
  /** From then on it overtakes what came before it from the same person. */
  overtakesAt: number;
}

export function openInbound(pending: PendingInbound, now: number, stage: OpenInbound['stage']): OpenInbound {
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
  return { pending, files, stage, overtakesAt: now + limits.fileOrderMs };
}

export function isFile(part: Part): part is Extract<Part, { file: UpstreamFile }> {
  return 'file' in part;
}
