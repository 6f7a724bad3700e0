import { readUrl } from '../urls/read-url.ts';

/** Parameters the end of the setup flow adds itself. [operator-interface §3; faults: 76] */
const ownParams = ['code', 'error', 'error_description'];

/**
 * The parsed form of a redirect URI or pattern, or the problem with it as a sentence. Rules of both: HTTPS (`http:` with
 * `allowInsecure`), a host without empty labels, no user info, no fragment, no encoded slashes. [faults: 75]
 */
export function parseRedirect(
  uri: string,
  options: { allowInsecure: boolean },
): { url: URL } | { problem: string } {
  const read = readUrl(uri, options);
  if ('problem' in read) return { problem: `it ${read.problem}` };
  const problem = shapeProblem(uri, read.url);
  return problem === null ? read : { problem };
}

function shapeProblem(uri: string, url: URL): string | null {
  // As written: an empty fragment leaves no trace in the parsed URL.
  if (uri.includes('#')) return 'it has a fragment';
  if (url.hostname.split('.').includes('')) return 'its host has an empty label';
  // A server may decode these after our comparison and see other segments than we did.
  if (/%2f|%5c|%00/i.test(url.pathname)) return 'its path has encoded slashes or NUL';
  return null;
}

/**
 * Why nobody may be sent to this URI at the end of a setup flow, as a sentence, or null. Whether it is whitelisted is for
 * `matchesPattern`. [spec: setup-url; faults: 76]
 */
export function redirectUriProblem(uri: string, options: { allowInsecure: boolean }): string | null {
  const parsed = parseRedirect(uri, options);
  if ('problem' in parsed) return parsed.problem;
  return parsed.url.hostname.includes('*') ? 'its host has a wildcard' : null;
}

/** The parameter of its query that the setup flow adds itself, or null. Any other is the client's, its `state` too. */
export function ownParamIn(uri: string): string | null {
  const { searchParams } = new URL(uri);
  return ownParams.find((name) => searchParams.has(name)) ?? null;
}

/**
 * The URI with `params` added to its query, encoded; what was there stays byte for byte. It ends with an empty fragment: a browser
 * carries the fragment of the URL it comes from (upstream's `#_=_`) to one that has none. [operator-interface §4; faults: 76]
 */
export function withParams(redirectUri: string, params: Record<string, string>): string {
  const url = new URL(redirectUri);
  const added = new URLSearchParams(params).toString();
  url.search = url.search === '' ? added : `${url.search}&${added}`;
  return `${url.href}#`;
}
