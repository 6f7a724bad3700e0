/**
 * Ids in a file: a UUID takes 16 bytes instead of 36 characters, in rows and in every index, and sorts in the same order. Anything else, or
 * a UUID in another spelling than ours, stays text.
 */
import type { Value } from './sqlite.ts';

/** Index in the text of each byte's two digits. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const dashes = [8, 13, 18, 23] as const;
const textLength = 36;
const digits = '0123456789abcdef';
/** Value of a digit, by its character code; -1 for other characters. */
const values = Int8Array.from({ length: 128 }, (_, code) => digits.indexOf(String.fromCharCode(code)));

export function packId(id: string): string | Uint8Array {
  return packInto(new Uint8Array(places.length), id);
}

/** More than a statement has values. */
const ringSize = 256;
const ring = Array.from({ length: ringSize }, () => new Uint8Array(new ArrayBuffer(places.length)));
let used = 0;

/**
 * As `packId`, for an id that is bound at once: its bytes are good until `ringSize` further ids are packed, so never over an `await`. An
 * array that SQLite has not seen yet costs 0.6 µs instead of 0.2, most of it to give its bytes an address, and an event binds seven ids.
 */
export function packToBind(id: string): string | Uint8Array {
  used = (used + 1) % ringSize;
  return packInto(ring[used] ?? new Uint8Array(places.length), id);
}

/** The id itself if it is not packed. */
function packInto(packed: Uint8Array, id: string): string | Uint8Array {
  if (id.length !== textLength) return id;
  for (const at of dashes) if (id[at] !== '-') return id;
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] ?? 0;
    const byte = (digitAt(id, place) << 4) | digitAt(id, place + 1);
    if (byte < 0) return id;
    packed[at] = byte;
  }
  return packed;
}

function digitAt(text: string, place: number): number {
  return values[text.charCodeAt(place)] ?? -1;
}

const written = Buffer.alloc(textLength, '-', 'latin1');
const digitCodes = Buffer.from(digits, 'latin1');

export function unpackId(column: Value): string {
  if (!(column instanceof Uint8Array)) return String(column);
  for (let at = 0; at < places.length; at += 1) {
    const [place, byte] = [places[at] ?? 0, column[at] ?? 0];
    written[place] = digitCodes[byte >> 4] ?? 0;
    written[place + 1] = digitCodes[byte & 15] ?? 0;
  }
  return written.toString('latin1');
}

/** `packId` of an SQL expression, in SQL. */
export function packIdSql(text: string): string {
  const hex = `replace(${text}, '-', '')`;
  const isOurs = `${text} glob '????????-????-????-????-????????????' and length(${hex}) = 32 and ${text} = lower(${text})`;
  return `iif(${isOurs}, coalesce(unhex(${hex}), ${text}), ${text})`;
}
