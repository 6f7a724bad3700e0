/**
 * Readers of upstream's untrusted JSON: each returns the requested value or null and never throws. Ids and times have rules of their own.
 * [upstream §0, §1.6]
 */
import { asText } from '../kernel/json.ts';

export { asList, asRecord, asText, recordsIn, stringOrNull } from '../kernel/json.ts';
export type { Json } from '../kernel/json.ts';

/** Whether a value is present that should be a list and is none. */
export function isNoList(given: unknown): boolean {
  return given !== undefined && !Array.isArray(given);
}

/** Longest id accepted: photoapp's have 150–250 characters, our ids in a tag 36. */
const maxId = 1_024;

/** A later time needs a sign in ISO 8601, and `Date` soon throws: it is no valid time. */
const latestMs = 253_402_300_799_999;

/** A smaller number counts seconds, not ms. [upstream §1.6] */
const firstMs = 1e12;

/**
 * An id, as text. `scan.ts` has quoted the integers that a double would round, so an unsafe number was written as a float and is no id.
 * Neither is a text with half a surrogate pair: no path and no store could name it. [upstream §0.1]
 */
export function asId(value: unknown): string | null {
  if (typeof value === 'string')
    return value !== '' && value.length <= maxId && value.isWellFormed() ? value : null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
}

/** Upstream's names and written numbers have some hundred characters. */
const maxName = 512;

/**
 * A name, or a number as people write it; cut to 512 characters, because every event of its person or every page of its channel repeats
 * it: one POST can give a name of a megabyte to ten thousand messages. [faults: 211]
 */
export function asName(value: unknown): string | null {
  const name = asText(value);
  return name === null || name.length <= maxName ? name : name.slice(0, maxName).toWellFormed();
}

/** Ms since the epoch, from seconds or ms, given as a number or as digits. [upstream §1.6] */
export function asTime(value: unknown): number | null {
  const given = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof given !== 'number' || !(given > 0)) return null;
  const ms = Math.trunc(given >= firstMs ? given : given * 1_000);
  return ms <= latestMs ? ms : null;
}

/** An error code; upstream sometimes writes the integer as text. */
export function asCode(value: unknown): number | null {
  const code = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : null;
}
