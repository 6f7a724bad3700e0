import { isLongerThan } from './messages/text.ts';

/** Longest host name. [RFC 1035 §2.3.4] The ASCII form of a non-ASCII host is longer, never shorter. */
const maxHost = 253;
/** With a final dot and a port. */
const maxAuthority = maxHost + ':65535.'.length;

/** The authority as the URL parser sees it: the parser skips any slashes before it, and drops spaces. */
const authority = /^[^:]*:[/\\\s]*([^/\\?#]*)/;

/**
 * Parses an untrusted URL; null if it is invalid or its host is too long. The host's length is checked first: for a non-ASCII host the
 * parser takes quadratic time, 43 ms for 2,000 characters, and one check parses a URL several times. [faults: I9, 75]
 */
export function parseUrl(text: string): URL | null {
  if (isHostTooLong(text)) return null;
  try {
    return new URL(text);
  } catch {
    // Not URL.canParse: on Node 20 it refuses Latin-1 hosts (`bücher.example`) once the JIT has optimised it, because the
    // optimised call reads their bytes as UTF-8. Shown in test/rules/urls.test.ts.
    return null;
  }
}

/** The host only, because path and query may contain secrets of the receiver; null without a valid URL. */
export function hostIn(url: string | null): string | null {
  return url === null ? null : (parseUrl(url)?.host ?? null);
}

function isHostTooLong(text: string): boolean {
  return (authority.exec(text)?.[1] ?? '').length > maxAuthority;
}

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
  const named = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (named === undefined) return { problem: 'must be a valid absolute URL' };
  // Checked in the text: an empty user info (`@`) leaves no trace in the parsed URL.
  return named.includes('@') ? { problem: 'must not have a user name or password' } : { url };
}
