/**
 * Ids as a file holds them: a UUID is sixteen bytes there, in rows and in every index, where its text would be 36. The order is the same.
 * What is no UUID, or not written as ours are, stays the text that it is.
 */
import type { Value } from './sqlite.ts';

/** Where in the text the digits of each byte begin. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const dashes = [8, 13, 18, 23] as const;
const textLength = 36;
const digits = '0123456789abcdef';
/** By the code of a character; -1: no digit. */
const values = Int8Array.from({ length: 128 }, (_, code) => digits.indexOf(String.fromCharCode(code)));

export function packId(id: string): string | Uint8Array {
  if (id.length !== textLength) return id;
  for (const at of dashes) if (id[at] !== '-') return id;
  const packed = new Uint8Array(places.length);
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

/** `packId` in SQL, of an expression. */
export function packIdSql(text: string): string {
  const hex = `replace(${text}, '-', '')`;
  const isOurs = `${text} glob '????????-????-????-????-????????????' and length(${hex}) = 32 and ${text} = lower(${text})`;
  return `iif(${isOurs}, coalesce(unhex(${hex}), ${text}), ${text})`;
}
