/** Files that people sent. */
import type { MediaFile } from '../ports/media.ts';

export interface OpenMedia {
  file: MediaFile;
  /** Not begun: nothing is read before the first piece is asked for. */
  bytes: AsyncIterable<Uint8Array>;
}
