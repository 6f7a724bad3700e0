/**
 * Cookies, none readable by scripts. `session`: the secret of the person who is signed in. `live`: the same secret for the address of the
 * live feed, set by the page that watches it. `visit`: a random text of a browser without a session, by which forms before sign-in prove
 * that they are ours; it never becomes a session. `once`: what the next page shows. `operator` and `operatorVisit`: session and visit of
 * the operators' console.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostIn } from '../../domain/urls/parse-url.ts';
import { hashSecret, newSecret } from '../../kernel/ids.ts';

const names = {
  session: 'trunkline_session',
  visit: 'trunkline_visit',
  live: 'trunkline_live',
  once: 'trunkline_once',
  operator: 'trunkline_operator',
  operatorVisit: 'trunkline_operator_visit',
} as const;

export type CookieName = keyof typeof names;

const paths: Record<CookieName, string> = {
  session: '/portal',
  visit: '/portal',
  live: '/live',
  once: '/portal',
  operator: '/operators',
  operatorVisit: '/operators',
};

/** No link from elsewhere leads an operator into the console. */
const strict: ReadonlySet<CookieName> = new Set(['operator', 'operatorVisit']);

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:');

/**
 * On https a browser takes such a name from this very host alone: no neighbour under the same domain, and no http, sets or shadows it.
 * [faults: 138]
 */
function prefixName(name: CookieName, baseUrl: string): string {
  return isSecure(baseUrl) ? `__Host-${names[name]}` : names[name];
}

/** '' when it is not there, there twice, or none of ours. */
export function readCookie(request: IncomingMessage, baseUrl: string, name: CookieName): string {
  const wanted = prefixName(name, baseUrl);
  const pairs = (request.headers.cookie ?? '').slice(0, 8_192).split(';');
  const found = pairs.map((pair) => pair.trim().split('=')).filter(([key]) => key === wanted);
  const value = found[0]?.[1] ?? '';
  const shape = name === 'once' ? /^[\w-]{1,1000}$/ : /^[\w-]{43}$/;
  return found.length === 1 && shape.test(value) ? value : '';
}

/** null: forgets it. `baseUrl` says whether people come by https. */
export function setCookie(
  response: ServerResponse,
  baseUrl: string,
  name: CookieName,
  value: { text: string; maxAgeSeconds: number } | null,
): void {
  const { text, maxAgeSeconds } = value ?? { text: '', maxAgeSeconds: 0 };
  // The prefix wants the whole site as its path.
  const [path, secure] = isSecure(baseUrl) ? ['/', '; Secure'] : [paths[name], ''];
  response.appendHeader(
    'Set-Cookie',
    `${prefixName(name, baseUrl)}=${text}; Path=${path}; HttpOnly; SameSite=${strict.has(name) ? 'Strict' : 'Lax'}; Max-Age=${Math.floor(maxAgeSeconds)}${secure}`,
  );
}

/**
 * The session that a connection of our own page to the live feed carries; null: none. A page of another origin could connect with the
 * person's cookie in browsers that keep no SameSite: the origin that they all name must be ours.
 */
export function liveSessionIn(request: IncomingMessage, baseUrl: string): string | null {
  const { origin = '', host = '' } = request.headers;
  const from = hostIn(origin) ?? '';
  const isOurs = from !== '' && [host, new URL(baseUrl).host].includes(from);
  const secret = isOurs ? readCookie(request, baseUrl, 'live') : '';
  return secret === '' ? null : secret;
}

/** What the forms of a person carry: made of the cookie's secret, which no other origin can read. */
export function makeCsrfToken(secret: string): string {
  return secret === '' ? '' : hashSecret(`csrf:${secret}`);
}

/** The browser's visit, begun now if it has none. */
export function beginVisit(request: IncomingMessage, response: ServerResponse, baseUrl: string): string {
  const known = readCookie(request, baseUrl, 'visit');
  if (known !== '') return known;
  const text = newSecret();
  setCookie(response, baseUrl, 'visit', { text, maxAgeSeconds: 86_400 });
  return text;
}
