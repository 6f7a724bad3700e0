import { readUrl } from '../../rules/url.ts';

/** Query parameters that the setup flow itself adds at its end. [operator-interface §3; faults: 76] */
const ownParams = ['code', 'error', 'error_description'];

/**
 * The parsed redirect URI or pattern, or its problem as a sentence. Common rules: HTTPS (`http:` with
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
  // Checked in the text: an empty fragment leaves no trace in the parsed URL.
  if (uri.includes('#')) return 'it has a fragment';
  if (url.hostname.split('.').includes('')) return 'its host has an empty label';
  // A server may decode these later and see other segments than we compare.
  if (/%2f|%5c|%00/i.test(url.pathname)) return 'its path has encoded slashes or NUL';
  return null;
}

/**
 * Why a setup flow can't redirect to this URI, as a sentence, or null. The whitelist is checked by
 * `matchesPattern`. [spec: setup-url; faults: 76]
 */
export function redirectUriProblem(uri: string, options: { allowInsecure: boolean }): string | null {
  const parsed = parseRedirect(uri, options);
  if ('problem' in parsed) return parsed.problem;
  return parsed.url.hostname.includes('*') ? 'its host has a wildcard' : null;
}

/** The first query parameter that collides with the setup flow's own, or null. All others, `state` included, are the client's. */
export function ownParamIn(uri: string): string | null {
  const { searchParams } = new URL(uri);
  return ownParams.find((name) => searchParams.has(name)) ?? null;
}

/**
 * The URI with encoded `params` appended to its query, which is otherwise unchanged. It ends with an empty fragment: otherwise a browser
 * keeps the fragment of the previous URL (upstream's `#_=_`). [operator-interface §4; faults: 76]
 */
export function withParams(redirectUri: string, params: Record<string, string>): string {
  const url = new URL(redirectUri);
  const added = new URLSearchParams(params).toString();
  url.search = url.search === '' ? added : `${url.search}&${added}`;
  return `${url.href}#`;
}
