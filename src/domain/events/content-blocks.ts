/** What an event says of a file, and of what is no file. */
import { toIso } from '../../kernel/clock.ts';
import type { Part, UpstreamFile } from '../messages/facts.ts';
import type { MediaType } from '../messages/message.ts';

export interface FetchedMedia {
  result: 'fetched';
  mediaId: string;
  /** Of the downloaded bytes; the service does not transcode. [spec: message.received 3] */
  mimeType: string;
  fileSize: number;
  filename: string | null;
  /** As upstream writes them in its events: base64 of the digest. */
  sha256: string;
  /** null: unknown. */
  durationMs: number | null;
  downloadUrl: string;
  expiresAt: number;
}

/** How the download of one inbound file ended. Times in ms, sizes in bytes. */
export type MediaResult =
  | FetchedMedia
  /** `error` is shown to the client. */
  | { result: 'failed'; mediaId: string; error: string; failedAt: number };

export type FileType = MediaType | 'sticker';

const unknownMimeType = 'application/octet-stream';

/**
 * `data.media` of a received file, every field in the type the specification gives it. `describesFiles`: the kind marks voice
 * clips and knows SHA-256s. [spec: data.media fields]
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
    // Nothing was stored, so nothing has a size and the file is gone from the moment it failed.
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

/** What is no file: upstream's name of it, and what a person chose. [spec: message.received 5; operator-interface §4] */
export function unsupportedBlock({
  unsupportedType,
  text,
}: Extract<Part, { type: 'unsupported' }>): Record<string, unknown> {
  const chosen = text === undefined ? {} : { text };
  return { type: 'unsupported', unsupported_type: unsupportedType, ...chosen };
}
