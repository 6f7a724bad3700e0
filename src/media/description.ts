/**
 * Type and duration of a file: its type is the Content-Type of the download, otherwise its first bytes decide. [spec: message.received
 * data, rule 3; operator-interface §4: `mime_type`] A crafted file can keep a parser busy for long, so only the describing thread calls
 * `describe`.
 */
import type { FileType } from '../rules/events/content-blocks.ts';

/** Contains the signature of every type that is recognised. */
const signatureBytes = 65_536;
/** Contains the duration of a container, and the whole of a voice message of a minute or two. */
const timedBytes = 262_144;

const unknownType = 'application/octet-stream';
/** Container formats that say less than upstream's content type may say. */
const wrappings = new Set(['application/zip', 'application/x-cfb', 'application/xml']);
/** Types whose first bytes state the total duration. */
const statesDuration = new Set([
  'audio/mp4',
  'audio/x-m4a',
  'audio/mpeg',
  'audio/wav',
  'audio/flac',
  'audio/x-flac',
  'video/mp4',
  'video/quicktime',
  'video/webm',
  'video/matroska',
  'video/x-matroska',
]);
/** One type per parser. */
const parsed = [
  ...['mpeg', 'mp4', 'flac', 'ogg', 'wav', 'ape', 'ms-asf', 'aiff', 'wavpack', 'musepack', 'dsf', 'dsd'].map(
    (name) => `audio/${name}`,
  ),
  'video/webm',
];
const maxDurationMs = 2 ** 31;
const maxTypeLength = 255;
/** [RFC 9110 §8.3.1]: tokens, and quoted strings without escapes. */
const withParameters = /^[^\s;]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\\r\n]*"))*$/;

/** The first bytes of a file, as many as are needed to describe it. */
export class Beginning {
  readonly #pieces: Uint8Array[] = [];
  readonly #max: number;
  #bytes = 0;

  constructor(type: FileType) {
    this.#max = isTimed(type) ? timedBytes : signatureBytes;
  }

  add(piece: Uint8Array): void {
    const room = this.#max - this.#bytes;
    if (room <= 0) return;
    // A copy, because the piece may be a view of a larger buffer, which it would keep in memory.
    const taken = Buffer.from(piece.subarray(0, room));
    this.#pieces.push(taken);
    this.#bytes += taken.length;
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#pieces, this.#bytes);
  }
}

export interface Description {
  mimeType: string;
  /** null: unknown, or the type has no duration. */
  durationMs: number | null;
}

/**
 * `said`: upstream's content types, first the one of the download; the others serve if the bytes have no signature (text, for example). The
 * parser for audio and video is chosen by the bytes, whatever the content type is.
 */
export async function describe(
  type: FileType,
  beginning: Uint8Array,
  size: number,
  said: readonly (string | null)[],
): Promise<Description> {
  const [answered = null] = said;
  const served = nameIn([answered]);
  const sniffed = served === null || isTimed(type) ? await sniff(beginning) : null;
  const mimeType = served ?? byBytes(sniffed, nameIn(said)) ?? unknownType;
  const parser = sniffed ?? readEssence(mimeType) ?? unknownType;
  return { mimeType, durationMs: isTimed(type) ? await measureDuration(beginning, size, parser) : null };
}

function byBytes(sniffed: string | null, named: string | null): string | null {
  return sniffed === null || (wrappings.has(sniffed) && named !== null) ? named : sniffed;
}

/** The description of a file that was not parsed. */
export function asSaid(said: readonly (string | null)[]): Description {
  return { mimeType: nameIn(said) ?? unknownType, durationMs: null };
}

/** Runs each parser once, because each loads its own module with the first file of its type. */
export async function loadParsers(): Promise<void> {
  for (const type of parsed) await measureDuration(new Uint8Array(64), 64, type);
  await sniff(new Uint8Array(64));
}

/** The first valid and specific MIME type, with its parameters. */
function nameIn(said: readonly (string | null)[]): string | null {
  return said.map(readType).find((name) => name !== null && readEssence(name) !== unknownType) ?? null;
}

function isTimed(type: FileType): boolean {
  return type === 'audio' || type === 'video';
}

async function sniff(bytes: Uint8Array): Promise<string | null> {
  const { fileTypeFromBuffer } = await import('file-type');
  try {
    return readEssence((await fileTypeFromBuffer(bytes))?.mime ?? null);
  } catch {
    return null; // a truncated or crafted signature: the type is unknown
  }
}

/** Returns null for anything but a MIME type, so that nothing else gets into a header. Invalid parameters are dropped. */
function readType(said: string | null): string | null {
  const essence = readEssence(said);
  const text = said?.trim() ?? '';
  return essence !== null && text.length <= maxTypeLength && withParameters.test(text) ? text : essence;
}

/** The type without parameters: `audio/ogg; codecs=opus` becomes `audio/ogg`. Null if it is no MIME type. */
function readEssence(said: string | null): string | null {
  const essence = /^\s*([a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100})\s*(?:;|$)/i.exec(said ?? '')?.[1];
  return essence?.toLowerCase() ?? null;
}

async function measureDuration(bytes: Uint8Array, size: number, mimeType: string): Promise<number | null> {
  const isWhole = bytes.length === size;
  if (!isWhole && !statesDuration.has(mimeType)) return null;
  const { parseBuffer } = await import('music-metadata');
  try {
    const { format } = await parseBuffer(bytes, { mimeType, size }, { duration: isWhole, skipCovers: true });
    const ms = Math.round((format.duration ?? 0) * 1_000);
    return ms > 0 && ms < maxDurationMs ? ms : null;
  } catch {
    return null; // not such a container, or its duration is further on
  }
}
