/** Received files. */
import type { MediaFile } from '../ports/media.ts';

export interface OpenMedia {
  file: MediaFile;
  /** Lazy: reads nothing before the first chunk is requested. */
  bytes: AsyncIterable<Uint8Array>;
}
