/** Files that people sent: where upstream has them, and where their bytes are kept for a while. [spec: Media download] */
import type { Channel } from '../../domain/channels/channel.ts';
import type { UpstreamFile } from '../../domain/messages/facts.ts';

/** A file that is kept, or was. Times in ms, sizes in bytes. */
export interface MediaFile {
  id: string;
  accountId: string;
  channelId: string;
  mimeType: string;
  fileSize: number;
  filename: string | null;
  createdAt: number;
  /** The bytes are given out before this, and erased after it. */
  expiresAt: number;
}

/** What is known before the first byte. `expiresAt` is for what becomes of it when nobody finishes it. */
export type MediaDraft = Pick<MediaFile, 'id' | 'accountId' | 'channelId' | 'createdAt' | 'expiresAt'>;

/** What is known after the last. */
export type MediaFacts = Pick<MediaFile, 'mimeType' | 'fileSize' | 'filename' | 'expiresAt'>;

/** The way of one file's bytes into the store: writes one after another, then one end. */
export interface MediaSink {
  /** Resolves when the store wants more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when bytes and facts are durable: from now on the file is found. */
  finish(facts: MediaFacts): Promise<void>;
  /** Takes back what was written. Never rejects: what stays is erased when the draft expires. */
  abort(): Promise<void>;
}

/**
 * Bytes go in and out in pieces; no whole file is ever in memory. Besides StoreUnavailable a write may reject with what the disk
 * says (ENOSPC). Whatever node wrote a file, every node of the cluster reads it.
 */
export interface MediaStore {
  /** The draft is on record before the first byte, so that clean-up finds whatever becomes of it. */
  create(draft: MediaDraft): Promise<MediaSink>;
  /** Finished files only, also ones that have expired; null when absent, forgotten or of another account. */
  find(mediaId: string, accountId: string): Promise<MediaFile | null>;
  /** The bytes in order, at most 1 MiB at a time. Throws when they are erased meanwhile. */
  read(file: MediaFile): AsyncIterable<Uint8Array>;
  /** Erases the bytes of what expired by `now`, and forgets what expired by `forgetBefore`. How many were erased. */
  dropExpired(now: number, forgetBefore: number): Promise<number>;
}

/** Where upstream has a file, and what it says of it. */
export type FileLocation =
  | {
      found: true;
      url: string;
      /** Only for hosts that may see it; null: the address alone is enough. A secret. */
      authorization: string | null;
      /** Hex or base64 of the digest. */
      sha256: string | null;
      fileSize: number | null;
      mimeType: string | null;
    }
  /** `mayPass`: another try may do. */
  | { found: false; mayPass: boolean; isTokenRefused?: boolean };

export interface FileLocator {
  /** An id is asked for its address each time, because that is good for minutes only. Never rejects. [upstream §5.1, §5.3] */
  locate(channel: Channel, file: UpstreamFile, requestId?: string): Promise<FileLocation>;
}
