/**
 * A text that is shown once, on the page after the form that created it: sealed in a cookie of this browser, for this page and this
 * account, and deleted by the page. Reloading the page creates nothing and shows nothing.
 */
import { sendRedirect } from '../../http/answers.ts';
import { readCookie, setCookie } from './cookies.ts';
import type { SignedInContext } from './pages.ts';

const maxAgeSeconds = 120;

export function redirectWithFlash(context: SignedInContext, path: string, text: string): void {
  const { response, baseUrl, useCases, caller } = context;
  const sealed = useCases.sealFlash(caller, {
    path,
    text,
    expiresAt: context.clock.now() + maxAgeSeconds * 1_000,
  });
  setCookie(response, baseUrl, 'once', { text: sealed, maxAgeSeconds });
  sendRedirect(response, path);
}

/** null: it was shown already, or never created. */
export function readFlash(context: SignedInContext, path: string): string | null {
  const { request, response, baseUrl, useCases, caller } = context;
  const sealed = readCookie(request, baseUrl, 'once');
  if (sealed === '') return null;
  setCookie(response, baseUrl, 'once', null);
  return useCases.openFlash(caller, path, sealed);
}
