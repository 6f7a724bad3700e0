/**
 * What a file is: as the answer that brought its bytes says, else by its first bytes. [spec: message.received data, rule 3;
 * operator-interface §4: `mime_type`] The parsers take as long as the file wants: `describe` is called in the describing thread alone.
 */
import type { FileType } from '../../domain/events/content-blocks.ts';

/** Enough for the signature of every type that is told apart. */
const signatureBytes = 65_536;
/** Where containers say how long they are; a voice message of a minute or two is all of it. */
const timedBytes = 262_144;

const unknownType = 'application/octet-stream';
/** Wrappings that say less than what upstream may say. */
const wrappings = new Set(['application/zip', 'application/x-cfb', 'application/xml']);
/** Containers whose beginning states the duration of the whole. */
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
/** One type of each parser. */
const parsed = [
  ...['mpeg', 'mp4', 'flac', 'ogg', 'wav', 'ape', 'ms-asf', 'aiff', 'wavpack', 'musepack', 'dsf', 'dsd'].map(
    (name) => `audio/${name}`,
  ),
  'video/webm',
];
const maxDurationMs = 2 ** 31;
const maxTypeLength = 255;
/** [RFC 9110 §8.3.1]: tokens, and quoted texts without escapes. */
const withParameters = /^[^\s;]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\\r\n]*"))*$/;

/** The beginning of a file, as much of it as is looked at. */
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
    // Copied: the piece may be a view of a larger buffer, which it would keep in memory.
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
  /** null: unknown, or a type without one. */
  durationMs: number | null;
}

/**
 * `said`: what upstream calls it, first the answer that brought the bytes; the others name what has no signature (texts, say). Of audio
 * and video the bytes choose the parser, whatever they are called.
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

/** The description of a file that could not be read. */
export function asSaid(said: readonly (string | null)[]): Description {
  return { mimeType: nameIn(said) ?? unknownType, durationMs: null };
}

/** Each is a module of its own, which is read when the first file of its type comes. */
export async function loadParsers(): Promise<void> {
  for (const type of parsed) await measureDuration(new Uint8Array(64), 64, type);
  await sniff(new Uint8Array(64));
}

/** The first that is a MIME type and says something, with its parameters. */
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
    return null; // cut off within a signature, or made to look like one: a file of unknown type
  }
}

/** Parameters that are none are left out; whatever is no MIME type never gets into a header. */
function readType(said: string | null): string | null {
  const essence = readEssence(said);
  const text = said?.trim() ?? '';
  return essence !== null && text.length <= maxTypeLength && withParameters.test(text) ? text : essence;
}

/** `audio/ogg; codecs=opus` is `audio/ogg`. null: no MIME type. */
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
    return null; // no such container after all, or one that says it further on
  }
}
