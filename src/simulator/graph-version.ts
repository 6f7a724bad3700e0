import type { IncomingMessage } from 'node:http';

const usual = 'v25.0';
const leading = /^\/(v\d+\.\d+)(?=[/?]|$)/;

/** The version in front of the original path, before routes changed it; without one, the default. */
export function versionOf(req: IncomingMessage & { readonly originalUrl?: string }): string {
  return leading.exec(req.originalUrl ?? req.url ?? '')?.[1] ?? usual;
}

/** The path without the version in front. */
export function withoutVersion(url: string): string {
  const rest = url.replace(leading, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

type Versions = readonly [oldest: string, newest: string] | null;

/** Whether a version is newer than any that exists. */
export function isUnknownVersion(req: IncomingMessage, versions: Versions): boolean {
  return versions !== null && numberOf(versionOf(req)) > numberOf(versions[1]);
}

const served = new WeakMap<IncomingMessage, string>();

/** An ended version is answered as the oldest that lives; the answer's header tells which [Graph changelog]. */
export function noteServed(req: IncomingMessage, versions: Versions): void {
  if (versions !== null && numberOf(versionOf(req)) < numberOf(versions[0])) served.set(req, versions[0]);
}

/** The version in which a call is answered. */
export function servedVersion(req: IncomingMessage): string {
  return served.get(req) ?? versionOf(req);
}

function numberOf(version: string): number {
  return Number(version.slice(1));
}
