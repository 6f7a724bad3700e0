/**
 * The path of BASE_URL: behind a proxy that strips it, requests arrive without it, and whatever a browser is told to open next must
 * begin with it. Pages and redirects are written with paths of ours; the path is put in front where they leave. [operator-interface §2]
 */
import type { ServerResponse } from 'node:http';

const under = new WeakMap<ServerResponse, string>();

/** The path of a base address, without a trailing slash; '' if it has none. */
export function pathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

/** Notes that the client of this answer sees our paths below `path`. */
export function noteBasePath(response: ServerResponse, path: string): void {
  under.set(response, path);
}

export function basePathOf(response: ServerResponse): string {
  return under.get(response) ?? '';
}

/** A path of ours as the client sees it; an address of somebody else stays as it is. */
export function publicLocation(response: ServerResponse, location: string): string {
  return /^\/(?!\/)/.test(location) ? `${basePathOf(response)}${location}` : location;
}

/** The renderer writes each attribute so, and escapes every quote of a text: only attributes can match. */
const ownLinks = / (href|src|action|formaction)="(?=\/(?!\/))/g;

/** The page with each path of ours as the client sees it. */
export function publicPage(response: ServerResponse, html: string): string {
  const path = basePathOf(response);
  return path === '' ? html : html.replaceAll(ownLinks, (_, name: string) => ` ${name}="${path}`);
}
