/**
 * How untrusted JSON of this wire is read: each reader answers what it was asked for or null, and none throws. Ids and times
 * have rules of their own here. [upstream §0, §1.6]
 */
export { asList, asRecord, asText } from '../../../kernel/json.ts';
export type { Json } from '../../../kernel/json.ts';

/** Something stands where a list may stand or nothing. */
export function isNoList(given: unknown): boolean {
  return given !== undefined && !Array.isArray(given);
}

/** Longest id we keep: photoapp's are 150–250 characters, ours in a tag 36. */
const maxId = 1_024;

/** Past this, ISO 8601 needs a sign and `Date` soon throws: such a time is no time. */
const latestMs = 253_402_300_799_999;

/** A number below it counts seconds. [upstream §1.6] */
const firstMs = 1e12;

/**
 * An id, as text. `scan.ts` has put quotes around integers too long for a double, so a number that is still a number
 * and unsafe was written as a float: no id. Half a surrogate pair is none either: no path or store could name it. [upstream §0.1]
 */
export function asId(value: unknown): string | null {
  if (typeof value === 'string')
    return value !== '' && value.length <= maxId && value.isWellFormed() ? value : null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? String(value) : null;
}

/** Ms since the epoch, from seconds or ms, number or digits. [upstream §1.6] */
export function asTime(value: unknown): number | null {
  const given = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof given !== 'number' || !(given > 0)) return null;
  const ms = Math.trunc(given >= firstMs ? given : given * 1_000);
  return ms <= latestMs ? ms : null;
}

/** An error code: upstream's are integers, sometimes written as text. */
export function asCode(value: unknown): number | null {
  const code = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof code === 'number' && Number.isSafeInteger(code) ? code : null;
}
