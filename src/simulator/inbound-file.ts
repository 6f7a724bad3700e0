import { numberOf, textOf, type Bag } from './bag.ts';
import type { NewMedia } from './media-api.ts';
import { sampleFor } from './samples.ts';

const biggestFile = 200 * 1_048_576;

/** The file of a message: bytes given, filler of a size, or a small real file of the type. Throws an Error for a size out of bounds. */
export function fileOf(type: string, ask: Bag): Omit<NewMedia, 'ownerPhone'> {
  const sample = sampleFor(type);
  const content = textOf(ask.content_base64);
  const size = numberOf(ask.size_bytes);
  if (size !== undefined && (size < 0 || size > biggestFile))
    throw new Error(`size_bytes must lie between 0 and ${biggestFile}`);
  const bytes =
    content !== undefined
      ? Buffer.from(content, 'base64')
      : size !== undefined
        ? Buffer.alloc(size, 0x2e)
        : sample.bytes;
  return {
    bytes,
    mimeType: textOf(ask.mime_type) ?? sample.mimeType,
    filename: textOf(ask.filename) ?? sample.filename,
    status: numberOf(ask.media_status),
    delayMs: numberOf(ask.media_delay_ms),
  };
}
