/** Content of events: files and unsupported parts. */
import { toIso } from '../../kernel/clock.ts';
import type { Part, UnsupportedPart, UpstreamFile } from '../messages/facts.ts';
import type { MediaType } from '../messages/message.ts';

export interface FetchedMedia {
  result: 'fetched';
  mediaId: string;
  /** Type of the downloaded bytes; the service does not transcode. [spec: message.received 3] */
  mimeType: string;
  fileSize: number;
  filename: string | null;
  /** Base64 of the digest, as in upstream's events. */
  sha256: string;
  /** null: unknown. */
  durationMs: number | null;
  downloadUrl: string;
  expiresAt: number;
}

/** Outcome of the download of one inbound file. Times in ms, sizes in bytes. */
export type MediaResult =
  | FetchedMedia
  /** `error` is shown to the client. */
  | { result: 'failed'; mediaId: string; error: string; failedAt: number };

export type FileType = MediaType | 'sticker';

const unknownMimeType = 'application/octet-stream';

/**
 * `data.media` of a received file, with every field in its specified type. `describesFiles`: upstream marks voice
 * clips and gives SHA-256s for this kind. [spec: data.media fields]
 */
export function mediaBlock(
  type: FileType,
  file: UpstreamFile,
  media: MediaResult,
  describesFiles: boolean,
): Record<string, unknown> {
  const hasDuration = type === 'audio' || type === 'video';
  const shared = {
    media_id: media.mediaId,
    ...(describesFiles && file.voice ? { voice: true } : {}),
    filename: type === 'document' ? chooseFilename(file, media) : null,
  };
  if (media.result === 'failed')
    // Nothing is stored: size 0, expired since the failure.
    return {
      ...shared,
      mime_type: file.mimeType ?? unknownMimeType,
      file_size: 0,
      sha256: describesFiles ? file.sha256 : null,
      duration_ms: null,
      download_url: null,
      error: media.error,
      expires_at: toIso(media.failedAt),
    };
  return {
    ...shared,
    mime_type: media.mimeType,
    file_size: media.fileSize,
    sha256: describesFiles ? (file.sha256 ?? media.sha256) : null,
    duration_ms: hasDuration ? media.durationMs : null,
    download_url: media.downloadUrl,
    expires_at: toIso(media.expiresAt),
  };
}

function chooseFilename(file: UpstreamFile, media: MediaResult): string | null {
  return file.filename ?? (media.result === 'fetched' ? media.filename : null);
}

/** `data.media` of an echoed file: no file is delivered. [spec: message.echo data] */
export function echoMediaBlock(type: FileType): Record<string, unknown> {
  return { media_id: null, download_url: null, unavailable: 'echo_media_not_supported', kind: type };
}

/**
 * An unsupported part: upstream's name of its type, the text of a choice, and what it holds. [spec: message.received 5; Additions;
 * operator-interface §4]
 */
export function unsupportedBlock(part: UnsupportedPart): Record<string, unknown> {
  const block: Record<string, unknown> = { type: 'unsupported', unsupported_type: part.unsupportedType };
  if (part.text !== undefined) block['text'] = part.text;
  if (part.button !== undefined) block['button'] = part.button;
  if (part.content !== undefined) block['content'] = part.content;
  if (part.reason !== undefined) block['unsupported_reason'] = part.reason;
  return block;
}

export function textBlock({ text, button }: Extract<Part, { type: 'text' }>): Record<string, unknown> {
  return button === undefined ? { type: 'text', text } : { type: 'text', text, button };
}
