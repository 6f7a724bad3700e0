import { parseRedirect } from './redirect-uri.ts';
import { isPublicSuffix } from './public-suffixes.ts';

/**
 * Redirect patterns, compared part by part with the parsed URL and never by a regular expression made of them.
 * In the host, `*` stands for exactly one label, the leftmost one, with at least two fixed labels after it. In the path, `*`
 * stands for exactly one segment, and a trailing `/*` for any path. Scheme and port are compared as they are, a query is not
 * looked at. [operator-interface §4; faults: 75]
 */

const leastFixedLabels = 2;

/** Why a pattern can't be whitelisted, as a sentence for fault `redirect_pattern`, or null. */
export function checkPattern(pattern: string, options: { allowInsecure: boolean }): string | null {
  const parsed = parseRedirect(pattern, options);
  if ('problem' in parsed) return parsed.problem;
  if (pattern.includes('?')) return 'it has a query';
  return hostProblem(parsed.url.hostname, options.allowInsecure) ?? pathProblem(parsed.url.pathname);
}

function hostProblem(hostname: string, allowInsecure: boolean): string | null {
  const [leftmost = '', ...others] = hostname.split('.');
  const isWild = leftmost === '*';
  if ((!isWild && leftmost.includes('*')) || others.some((label) => label.includes('*')))
    return 'a host wildcard must be the whole leftmost label';
  if (!isWild && allowInsecure) return null;
  const fixed = isWild ? others : [leftmost, ...others];
  if (fixed.length < leastFixedLabels) return 'its host needs at least two fixed labels';
  if (isWild && isPublicSuffix(fixed.join('.'))) return 'the registrable domain must not be a wildcard';
  return null;
}

function pathProblem(path: string): string | null {
  const isPartial = path.split('/').some((segment) => segment !== '*' && segment.includes('*'));
  return isPartial ? 'a path wildcard must be a whole segment' : null;
}

/**
 * Whether the redirect URI is allowed by the pattern. Linear in both, and false for whatever `checkPattern` or
 * `redirectUriProblem` would refuse by its form. [spec: setup-url]
 */
export function matchesPattern(pattern: string, uri: string): boolean {
  // Either scheme may stand here: they must be the same, and what was whitelisted was checked when it was.
  const options = { allowInsecure: true };
  if (checkPattern(pattern, options) !== null) return false;
  const allowed = parseRedirect(pattern, options);
  const asked = parseRedirect(uri, options);
  if ('problem' in allowed || 'problem' in asked) return false;
  return (
    allowed.url.protocol === asked.url.protocol &&
    allowed.url.port === asked.url.port &&
    isHostMatch(allowed.url.hostname, asked.url.hostname) &&
    isPathMatch(allowed.url.pathname, asked.url.pathname)
  );
}

function isHostMatch(pattern: string, host: string): boolean {
  if (host.includes('*')) return false;
  if (!pattern.startsWith('*.')) return pattern === host;
  // The dot found is the first: what stands before it is one label, and never an empty one.
  return host.indexOf('.') > 0 && host.slice(host.indexOf('.')) === pattern.slice(1);
}

function isPathMatch(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const segments = path.split('/');
  const isOpen = wanted.at(-1) === '*';
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? segments.length <= fixed.length : segments.length !== fixed.length) return false;
  return fixed.every((segment, index) => isSegmentMatch(segment, segments[index] ?? ''));
}

function isSegmentMatch(pattern: string, segment: string): boolean {
  return pattern === '*' ? segment !== '' : pattern === segment;
}
