/** Files that people sent. */
import type { Caller } from '../caller.ts';
import type { MediaFile } from '../ports/media.ts';

export interface OpenMedia {
  file: MediaFile;
  /** Not begun: nothing is read before the first piece is asked for. */
  bytes: AsyncIterable<Uint8Array>;
}

export interface MediaUseCases {
  openMedia(caller: Caller, mediaId: string): Promise<OpenMedia>;
}
