/** Of a host name. [RFC 1035 §2.3.4] Written in other letters than ASCII it is longer there, never shorter. */
const maxHost = 253;
/** With the dot at its end, and a port. */
const maxAuthority = maxHost + ':65535.'.length;

/** What the parser takes for the authority, however it is introduced: it passes over slashes, and over spaces that it drops. */
const authority = /^[^:]*:[/\\\s]*([^/\\?#]*)/;

/**
 * A URL of somebody else's, parsed; null: it is none, or names a host that can't be. The length first: the parser's time grows with the
 * square of a host in other letters than ASCII, 43 ms for 2,000 of them, and one check parses a URL several times. [faults: I9, 75]
 */
export function parseUrl(text: string): URL | null {
  if (isHostTooLong(text)) return null;
  try {
    return new URL(text);
  } catch {
    // Not URL.canParse: on Node 20 it starts to refuse Latin-1 hosts (`bücher.example`) once it has become hot, because the
    // optimised call reads their bytes as UTF-8. Shown in test/domain/urls.test.ts.
    return null;
  }
}

/** The host alone: path and query may hold a secret of whose address it is. null: there is none. */
export function hostIn(url: string | null): string | null {
  return url === null ? null : (parseUrl(url)?.host ?? null);
}

export function isHostTooLong(text: string): boolean {
  return (authority.exec(text)?.[1] ?? '').length > maxAuthority;
}
