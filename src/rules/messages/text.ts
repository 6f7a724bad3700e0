import { fault } from '../../kernel/faults.ts';
import type { ChannelType } from '../vocabulary.ts';

const firstHalf = /[\ud800-\udbff]/;

/**
 * Why a text can't be stored and sent unchanged, or null. NUL ends strings in some programs on the way, and half a
 * surrogate pair has no UTF-8 form: both would arrive changed. Emptiness and length are checked elsewhere.
 * [faults: 71]
 */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'text must not contain NUL characters';
  if (!text.isWellFormed()) return 'text must be well-formed Unicode: it contains half a surrogate pair';
  return null;
}

/**
 * Returns the text if it is within the kind's limit of code points. Throws fault `text_too_long` with `{limit, length, channel_type}`.
 * [spec: Limits; faults: 71]
 */
export function checkTextLength(
  text: string,
  { textLimit: limit, type }: { textLimit: number; type: ChannelType },
): string {
  const length = countCharacters(text);
  if (length <= limit) return text;
  throw fault('text_too_long', { limit, length, channel_type: type });
}

/**
 * Length in Unicode code points, as every `maxLength` of the contract counts. Counts surrogate pairs instead of building an array of
 * code points, which takes 50 ms for a megabyte. [operator-interface §4; faults: I9]
 */
export function countCharacters(text: string): number {
  if (!firstHalf.test(text)) return text.length;
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (!isHalf(text, at, 0xd800) || !isHalf(text, at + 1, 0xdc00)) continue;
    pairs += 1;
    at += 1;
  }
  return text.length - pairs;
}

/** First halves start at 0xd800, second halves at 0xdc00, 1,024 of each. */
function isHalf(text: string, at: number, from: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === from;
}

/** A text has at least half as many code points as code units, so only texts near the limit are counted. */
export function isLongerThan(max: number, text: string): boolean {
  return text.length > max * 2 || countCharacters(text) > max;
}
