import { fault } from '../../kernel/faults.ts';
import type { ChannelType } from '../vocabulary.ts';

/**
 * With the `u` flag only a surrogate without its other half is a character of category Cs. Made once: the bundle has no literal for it, and
 * builds it where it stands.
 */
const halfPair = /\p{Cs}/u;

/**
 * Why a text can't be stored and sent as it is, or null. NUL ends strings in some of the programs it would pass, and half a
 * surrogate pair has no UTF-8 form: both would arrive as something else. Emptiness and length are checked elsewhere.
 * [faults: 71]
 */
export function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'text must not contain NUL characters';
  if (halfPair.test(text)) return 'text must be well-formed Unicode: it contains half a surrogate pair';
  return null;
}

/**
 * Returns the text unless it has more code points than the kind takes. Throws fault `text_too_long` with `{limit, length, channel_type}`.
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

/** Length in Unicode code points, as every `maxLength` of the contract counts. [operator-interface §4] */
export function countCharacters(text: string): number {
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g);
  return text.length - (pairs?.length ?? 0);
}

/** A text has at least half as many code points as code units: only ones near the limit are counted. */
export function isLongerThan(max: number, text: string): boolean {
  return text.length > max * 2 || countCharacters(text) > max;
}
