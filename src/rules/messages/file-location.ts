/** Where upstream keeps a received file. */
import type { Channel } from '../channels/channel.ts';
import type { UpstreamFile } from './facts.ts';

/** A file's address upstream, with upstream's description of it. */
export type FileLocation =
  | {
      found: true;
      url: string;
      /** Authorization header, a secret: send it only to hosts that may see it. null: the URL needs none. */
      authorization: string | null;
      /** Digest in hex or base64. */
      sha256: string | null;
      fileSize: number | null;
      mimeType: string | null;
    }
  /** `mayPass`: a retry may succeed. */
  | { found: false; mayPass: boolean; isTokenRefused?: boolean };

export interface FileLocator {
  /** Resolves a file id anew for each call, because its address is valid for minutes only. Never rejects. [upstream §5.1, §5.3] */
  locate(channel: Channel, file: UpstreamFile, requestId?: string): Promise<FileLocation>;
}
