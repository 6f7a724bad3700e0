/** Files that upstream gets before the messages that show them. */
import type { Channel } from '../rules/channels/channel.ts';
import type { MediaType } from '../rules/messages/message.ts';

export interface FileToUpload {
  mediaType: MediaType;
  mimeType: string;
  filename: string | null;
  /** Bytes that it has at most; it may have two or four fewer. */
  most: number;
  /** Read once. What it throws is thrown on. */
  content: AsyncIterable<Uint8Array>;
  /** How long the call may last, ms. */
  timeoutMs: number;
}

export interface UploadUpstream {
  /**
   * Streams the file to upstream and returns upstream's id; it is not repeated. Throws what reading `content` threw, Fault `upstream_refused` if
   * a repetition would be refused too, `upstream_busy`, or `upstream_failed` (failure, or unknown outcome). [upstream §5.2]
   */
  upload(channel: Channel, file: FileToUpload): Promise<string>;
}
