/**
 * Cookies, none readable by scripts. `session`: the secret of the signed-in person. `visit`: a random text of a browser without a session,
 * with which forms before sign-in prove that they are ours; it never becomes a session. `once`: the text that the next page shows.
 * `operator` and `operatorVisit`: session and visit of the operators' console. `step`: of a browser whose person gave the password, and not
 * yet the code. `known`: shows at sign-in that the person signed in from this browser before.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathOf } from '../../http/base-path.ts';
import { hashSecret, newSecret } from '../../kernel/ids.ts';

const names = {
  session: 'trunkline_session',
  visit: 'trunkline_visit',
  once: 'trunkline_once',
  operator: 'trunkline_operator',
  operatorVisit: 'trunkline_operator_visit',
  known: 'trunkline_known',
  step: 'trunkline_step',
} as const;

export type CookieName = keyof typeof names;

const paths: Record<CookieName, string> = {
  session: '/',
  visit: '/portal',
  once: '/portal',
  operator: '/operators',
  operatorVisit: '/operators',
  known: '/portal',
  step: '/portal',
};

/** `SameSite=Strict`: a link from another site does not open the console with a session. */
const strict: ReadonlySet<CookieName> = new Set(['operator', 'operatorVisit']);

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:');
const isHostOnly = (baseUrl: string): boolean => isSecure(baseUrl) && pathOf(baseUrl) === '';

/**
 * On HTTPS a browser accepts a cookie with the prefix `__Host-` only from this very host: no other host of the domain, and no HTTP, can set
 * or shadow it. That prefix requires the path `/`, so below a path of BASE_URL, beside other programs of the host, `__Secure-` must do.
 * [faults: 138]
 */
function prefixName(name: CookieName, baseUrl: string): string {
  if (!isSecure(baseUrl)) return names[name];
  return `${isHostOnly(baseUrl) ? '__Host-' : '__Secure-'}${names[name]}`;
}

function pathFor(name: CookieName, baseUrl: string): string {
  return isHostOnly(baseUrl) ? '/' : `${pathOf(baseUrl)}${paths[name]}`;
}

/** Cookies with sealed text; the others have secrets. */
const sealed: ReadonlySet<CookieName> = new Set(['once', 'known']);

/** Returns '' if the cookie is missing, repeated or not in our format. */
export function readCookie(request: IncomingMessage, baseUrl: string, name: CookieName): string {
  const wanted = prefixName(name, baseUrl);
  const pairs = (request.headers.cookie ?? '').slice(0, 8_192).split(';');
  const found = pairs.map((pair) => pair.trim().split('=')).filter(([key]) => key === wanted);
  const value = found[0]?.[1] ?? '';
  const shape = sealed.has(name) ? /^[\w-]{1,1000}$/ : /^[\w-]{43}$/;
  return found.length === 1 && shape.test(value) ? value : '';
}

/** null deletes the cookie. `baseUrl` says whether people use HTTPS. */
export function setCookie(
  response: ServerResponse,
  baseUrl: string,
  name: CookieName,
  value: { text: string; maxAgeSeconds: number } | null,
): void {
  const { text, maxAgeSeconds } = value ?? { text: '', maxAgeSeconds: 0 };
  const secure = isSecure(baseUrl) ? '; Secure' : '';
  const path = pathFor(name, baseUrl);
  const write = (at: string, said: string, seconds: number): void => {
    response.appendHeader(
      'Set-Cookie',
      `${prefixName(name, baseUrl)}=${said}; Path=${at}; HttpOnly; SameSite=${strict.has(name) ? 'Strict' : 'Lax'}; Max-Age=${seconds}${secure}`,
    );
  };
  // A browser may have one of the release before, which was for the portal alone: two of one name would count as none.
  if (name === 'session' && !isHostOnly(baseUrl)) write(`${path}portal`, '', 0);
  write(path, text, Math.floor(maxAgeSeconds));
}

/**
 * The session of a request for a stream of events, from our own page; null: none. The page's address has a token of its session (`of`): a
 * browser that connects again after another person has signed in gets no events of theirs, and no other origin knows the token.
 */
export function streamSessionIn(request: IncomingMessage, baseUrl: string): string | null {
  const secret = readCookie(request, baseUrl, 'session');
  const given = new URLSearchParams((request.url ?? '').split('?')[1]).get('of') ?? '';
  return secret !== '' && given === makeStreamToken(secret) ? secret : null;
}

export function makeStreamToken(secret: string): string {
  return hashSecret(`stream:${secret}`);
}

/** The token in a person's forms, derived from the cookie's secret, which no other origin can read. */
export function makeCsrfToken(secret: string): string {
  return secret === '' ? '' : hashSecret(`csrf:${secret}`);
}

/** The browser's visit cookie, set if it has none. */
export function beginVisit(request: IncomingMessage, response: ServerResponse, baseUrl: string): string {
  const known = readCookie(request, baseUrl, 'visit');
  if (known !== '') return known;
  const text = newSecret();
  setCookie(response, baseUrl, 'visit', { text, maxAgeSeconds: 86_400 });
  return text;
}
