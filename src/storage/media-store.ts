/** Received files: their location upstream, and the store that keeps their bytes for a limited time. [spec: Media download] */

/** A stored file, or one whose bytes are erased. Times in ms, sizes in bytes. */
export interface MediaFile {
  id: string;
  accountId: string;
  channelId: string;
  mimeType: string;
  fileSize: number;
  filename: string | null;
  createdAt: number;
  /** The bytes can be downloaded until this time and are erased after it. */
  expiresAt: number;
}

/** Fields known before the first byte. `expiresAt`: when an unfinished draft is erased. */
export type MediaDraft = Pick<MediaFile, 'id' | 'accountId' | 'channelId' | 'createdAt' | 'expiresAt'>;

/** Fields known after the last byte. */
export type MediaFacts = Pick<MediaFile, 'mimeType' | 'fileSize' | 'filename' | 'expiresAt'>;

/** Writes one file into the store: sequential writes, then one `finish` or `abort`. */
export interface MediaSink {
  /** Resolves when the store accepts the next write (back-pressure). */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when bytes and facts are durable; from then on `find` returns the file. */
  finish(facts: MediaFacts): Promise<void>;
  /** Erases the written bytes. Never rejects: remaining bytes are erased when the draft expires. */
  abort(): Promise<void>;
}

/**
 * Bytes are streamed in both directions; a whole file is never in memory. Besides StoreUnavailable a write may reject with the
 * disk's error (ENOSPC). Every node of the cluster can read a file, whichever node wrote it.
 */
export interface MediaStore {
  /** The draft is stored before the first byte, so that clean-up finds an unfinished file. */
  create(draft: MediaDraft): Promise<MediaSink>;
  /** Finished files only, expired ones included; null if absent, forgotten or of another account. */
  find(mediaId: string, accountId: string): Promise<MediaFile | null>;
  /** The bytes in order, in chunks of at most 1 MiB. Throws if they are erased meanwhile. */
  read(file: MediaFile): AsyncIterable<Uint8Array>;
  /** Bytes that are kept of finished files of the channel, and of all channels of its account. */
  bytesOf(channelId: string, accountId: string): Promise<{ channel: number; account: number }>;
  /** Free bytes of the volume that holds the files; null: the store does not say. */
  freeBytes(): Promise<number | null>;
  /** Erases bytes that expired by `now`, and records that expired by `forgetBefore`. Returns the number of files with erased bytes. */
  dropExpired(now: number, forgetBefore: number, stopping?: AbortSignal): Promise<number>;
}
