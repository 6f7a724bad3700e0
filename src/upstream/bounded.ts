/**
 * Readers of what is passed on to clients beside texts and files: each value is checked and bounded, because it is stored and POSTed with its
 * event. What does not fit is left out; a text is cut. [faults: 365]
 */
import { asList, asRecord, asText } from './read.ts';
import type { Json } from './read.ts';

/** Titles, ids, names and words: upstream's own bounds are lower. */
const maxWords = 1_024;
const maxUrl = 2_048;
/** Contacts of a message, items of an order. */
const maxItems = 50;

/** A text, cut to 1,024 characters. */
export function asWords(value: unknown): string | undefined {
  const text = asText(typeof value === 'number' && Number.isFinite(value) ? String(value) : value);
  if (text === null) return undefined;
  return (text.length <= maxWords ? text : text.slice(0, maxWords)).toWellFormed();
}

/** An address that begins with http; a longer one than 2,048 characters would lead elsewhere if it were cut. */
export function asLink(value: unknown): string | undefined {
  const text = asText(value);
  const isLink = text !== null && text.length <= maxUrl && /^https?:\/\/\S+$/i.test(text);
  return isLink && text.isWellFormed() ? text : undefined;
}

export function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Degrees within their range. */
export function asDegrees(value: unknown, most: 90 | 180): number | undefined {
  const degrees = asNumber(value);
  return degrees !== undefined && Math.abs(degrees) <= most ? degrees : undefined;
}

/** The first fifty items, read; those of which nothing is left are dropped. */
export function readItems<T>(value: unknown, read: (item: Json) => T | undefined): T[] | undefined {
  const found: T[] = [];
  for (const item of asList(value).slice(0, maxItems)) {
    const record = asRecord(item);
    const one = record === null ? undefined : read(record);
    if (one !== undefined) found.push(one);
  }
  return found.length === 0 ? undefined : found;
}

/** A value without absent members. */
type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that are there; undefined if there is none. */
export function present<T extends object>(members: T): Present<T> | undefined {
  const found: Present<T> = {};
  let isEmpty = true;
  for (const name in members) {
    const value = members[name];
    if (!isThere(value)) continue;
    found[name] = value;
    isEmpty = false;
  }
  return isEmpty ? undefined : found;
}

function isThere<V>(value: V): value is Exclude<V, undefined> {
  return value !== undefined;
}
