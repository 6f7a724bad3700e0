/**
 * Two cookies, neither readable by scripts. `session` is the secret of who is signed in. `visit` is a random text of a browser that
 * is not: forms before sign-in prove by it that they were ours. A visit never becomes a session.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hashOf, newSecret } from '../../kernel/ids.ts';

const names = { session: 'trunkline_session', visit: 'trunkline_visit' } as const;

export type CookieName = keyof typeof names;

/** '' when it is not there, there twice, or none of ours. */
export function readCookie(request: IncomingMessage, name: CookieName): string {
  const pairs = (request.headers.cookie ?? '').slice(0, 8_192).split(';');
  const found = pairs.map((pair) => pair.trim().split('=')).filter(([key]) => key === names[name]);
  const value = found[0]?.[1] ?? '';
  return found.length === 1 && /^[\w-]{43}$/.test(value) ? value : '';
}

/** null: forgets it. `baseUrl` says whether people come by https. */
export function setCookie(
  response: ServerResponse,
  baseUrl: string,
  name: CookieName,
  value: { text: string; maxAgeSeconds: number } | null,
): void {
  const { text, maxAgeSeconds } = value ?? { text: '', maxAgeSeconds: 0 };
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  response.appendHeader(
    'Set-Cookie',
    `${names[name]}=${text}; Path=/portal; HttpOnly; SameSite=Lax; Max-Age=${Math.floor(maxAgeSeconds)}${secure}`,
  );
}

/** What the forms of a person carry: made of the cookie's secret, which no other origin can read. */
export function csrfOf(secret: string): string {
  return secret === '' ? '' : hashOf(`csrf:${secret}`);
}

/** The browser's visit, begun now if it has none. */
export function visitOf(request: IncomingMessage, response: ServerResponse, baseUrl: string): string {
  const known = readCookie(request, 'visit');
  if (known !== '') return known;
  const text = newSecret();
  setCookie(response, baseUrl, 'visit', { text, maxAgeSeconds: 86_400 });
  return text;
}
