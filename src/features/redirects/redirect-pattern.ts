import { getDomain } from 'tldts';
import { parseRedirect } from './redirect-uri.ts';

/**
 * Redirect patterns, compared part by part with the parsed URL and never compiled to a regular expression. `*` matches
 * any characters within one non-empty host label or path segment, once in each; a trailing `/*` matches any path. The
 * registrable domain can't contain one. Scheme and port are compared literally, the query is ignored.
 * [operator-interface §4; faults: 75]
 */

/** Domains of hosting platforms count as public suffixes: `*.github.io` would match other people's sites. */
const suffixes = { allowPrivateDomains: true, extractHostname: false };

const minLabels = 2;

/** Why a pattern can't be whitelisted, as a sentence for fault `redirect_pattern`; null if it can. */
export function patternProblem(pattern: string, options: { allowInsecure: boolean }): string | null {
  const parsed = parseRedirect(pattern, options);
  if ('problem' in parsed) return parsed.problem;
  if (pattern.includes('?')) return 'it has a query';
  return hostProblem(parsed.url.hostname, options.allowInsecure) ?? pathProblem(parsed.url.pathname);
}

function hostProblem(hostname: string, allowInsecure: boolean): string | null {
  const labels = hostname.split('.');
  if (!hostname.includes('*')) {
    const isBare = labels.length < minLabels && !allowInsecure;
    return isBare ? 'its host needs at least two labels' : null;
  }
  if (labels.some(hasSeveral)) return tooManyWildcards;
  // A punycode label does not show the position of its wildcard.
  if (labels.some((label) => label.includes('*') && label.startsWith('xn--')))
    return 'a host label with a wildcard must be plain ASCII';
  const standIn = hostname.replaceAll('*', 'x');
  return registrableLabels(standIn) > fixedLabels(labels)
    ? 'the registrable domain must not contain a wildcard'
    : null;
}

function pathProblem(path: string): string | null {
  return path.split('/').some(hasSeveral) ? tooManyWildcards : null;
}

const tooManyWildcards = 'a host label or path segment can contain only one wildcard';

function hasSeveral(part: string): boolean {
  return part.indexOf('*') !== part.lastIndexOf('*');
}

/** Number of labels of the registrable domain; Infinity if the host has none. */
function registrableLabels(hostname: string): number {
  return getDomain(hostname, suffixes)?.split('.').length ?? Infinity;
}

/** Number of labels after the last one with a wildcard. */
function fixedLabels(labels: readonly string[]): number {
  return labels.length - 1 - labels.findLastIndex((label) => label.includes('*'));
}

/**
 * Whether the pattern allows the redirect URI. Linear in both, and false for every form that `patternProblem` or
 * `redirectUriProblem` refuses. [spec: setup-url]
 */
export function matchesPattern(pattern: string, uri: string): boolean {
  // Both schemes are accepted here: they are compared below, and the pattern was checked when it was added.
  const options = { allowInsecure: true };
  if (patternProblem(pattern, options) !== null) return false;
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
  if (!pattern.includes('*')) return pattern === host;
  const labels = pattern.split('.');
  // The wildcard may match part of a public suffix (`s3` of amazonaws.com): then the host is somebody else's.
  return areMatches(labels, host.split('.')) && registrableLabels(host) <= fixedLabels(labels);
}

function isPathMatch(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const segments = path.split('/');
  if (wanted.at(-1) !== '*') return areMatches(wanted, segments);
  const fixed = wanted.slice(0, -1);
  return segments.length > fixed.length && areMatches(fixed, segments.slice(0, fixed.length));
}

function areMatches(patterns: readonly string[], parts: readonly string[]): boolean {
  return (
    patterns.length === parts.length &&
    patterns.every((pattern, index) => isPartMatch(pattern, parts[index] ?? ''))
  );
}

function isPartMatch(pattern: string, part: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === part;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits = part.length >= before.length + after.length && part !== '';
  return fits && part.startsWith(before) && part.endsWith(after);
}
