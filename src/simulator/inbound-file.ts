import { asFlag, asNumber, asText, type Bag } from './bag.ts';
import { answerStatus, headerText, oneOf } from './control-ask.ts';
import type { NewMedia } from './media-api.ts';
import { mediaFaults, type Content } from './media-bytes.ts';
import { sampleFor } from './samples.ts';

const biggestFile = 2 * 1024 * 1_048_576;

/**
 * The file of a message: the given bytes, filler of a given size, or a small real file of the type; with the fault of its download. Throws
 * an Error for a size out of bounds, an unknown fault, and what the download could not answer.
 */
export function fileOf(type: string, ask: Bag): Omit<NewMedia, 'ownerPhone'> {
  const sample = sampleFor(type);
  const fault = ask.media_fault === undefined ? null : oneOf(ask, 'media_fault', mediaFaults, 'cut');
  return {
    content: contentOf(sample.bytes, ask),
    mimeType: headerText(ask, 'mime_type') ?? sample.mimeType,
    servedType: headerText(ask, 'served_type') ?? null,
    filename: asText(ask.filename) ?? sample.filename,
    status: answerStatus(ask, 'media_status') ?? 200,
    delayMs: asNumber(ask.media_delay_ms) ?? 0,
    fault,
    faultTimes: asNumber(ask.media_times) ?? 0,
    redirectTo: headerText(ask, 'media_redirect') ?? null,
    isChunked: asFlag(ask.media_chunked) ?? false,
  };
}

function contentOf(sample: Buffer, ask: Bag): Content {
  const given = asText(ask.content_base64);
  if (given !== undefined) return { is: 'kept', bytes: Buffer.from(given, 'base64') };
  const size = asNumber(ask.size_bytes);
  if (size === undefined) return { is: 'kept', bytes: sample };
  if (size < 0 || size > biggestFile) throw new Error(`size_bytes must lie between 0 and ${biggestFile}`);
  return { is: 'filler', size };
}
