import { isLongerThan } from '../messages/text.ts';
import { isHostTooLong, parseUrl } from './parse-url.ts';

/** In Unicode code points. [operator-interface §4] */
const maxUrl = 2_048;

/**
 * Parses an untrusted URL, or returns its problem as the end of a sentence ("must be an HTTPS URL"). Refuses everything that
 * the parser would silently repair (line breaks, `\` for `/`, missing slashes), so that the checked URL is the given
 * one. `allowInsecure` also permits `http:`. [faults: 61, 75]
 */
export function readUrl(
  text: string,
  { allowInsecure }: { allowInsecure: boolean },
): { url: URL } | { problem: string } {
  // The length is checked first, so that no later check sees a megabyte.
  if (isLongerThan(maxUrl, text)) return { problem: `must have at most ${maxUrl} characters` };
  if (/[\s\p{Cc}\\]/u.test(text))
    return { problem: 'must not have spaces, control characters or backslashes' };
  if (isHostTooLong(text)) return { problem: 'must have a host name of at most 253 characters' };
  const url = parseUrl(text);
  if (url === null) return { problem: 'must be a valid absolute URL' };
  if (url.protocol !== 'https:' && !(allowInsecure && url.protocol === 'http:'))
    return { problem: 'must be an HTTPS URL' };
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) return { problem: 'must be a valid absolute URL' };
  // Checked in the text: an empty user info (`@`) leaves no trace in the parsed URL.
  return authority.includes('@') ? { problem: 'must not have a user name or password' } : { url };
}
