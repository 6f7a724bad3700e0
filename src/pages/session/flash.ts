/**
 * A text that is shown once, on the page after the form that created it: sealed in a cookie of this browser, for this page and this
 * account, and deleted by the page. Reloading the page creates nothing and shows nothing.
 */
import { sendRedirect } from '../../http/answers.ts';
import { sealContext } from '../../kernel/sealed.ts';
import type { SealedBytes, Sealer } from '../../kernel/sealed.ts';
import type { Clock } from '../../kernel/clock.ts';
import { readCookie, setCookie } from './cookies.ts';
import type { SignedInContext } from './context.ts';

const maxAgeSeconds = 120;

interface Flash {
  path: string;
  text: string;
  /** ms. */
  expiresAt: number;
}

/** Returns text that is valid in a cookie. */
export function sealFlash(sealer: Sealer, accountId: string, { path, text, expiresAt }: Flash): string {
  const plain = Buffer.from(JSON.stringify([expiresAt, text]));
  return Buffer.from(sealer.seal(plain, sealContext.once(accountId, path))).toString('base64url');
}

/** null: of another account or page, expired, or invalid. */
export function openFlash(
  { sealer, clock }: { sealer: Sealer; clock: Clock },
  accountId: string,
  path: string,
  sealed: string,
): string | null {
  try {
    const bytes: SealedBytes = Buffer.from(sealed, 'base64url');
    const plain = sealer.open(bytes, sealContext.once(accountId, path));
    const [expiresAt, text]: [number, string] = JSON.parse(Buffer.from(plain).toString());
    return clock.now() < expiresAt ? text : null;
  } catch {
    return null;
  }
}

export function redirectWithFlash(context: SignedInContext, path: string, text: string): void {
  const { response, baseUrl, sealer, clock, caller } = context;
  const expiresAt = clock.now() + maxAgeSeconds * 1_000;
  const sealed = sealFlash(sealer, caller.accountId, { path, text, expiresAt });
  setCookie(response, baseUrl, 'once', { text: sealed, maxAgeSeconds });
  sendRedirect(response, path);
}

/** null: it was shown already, or never created. */
export function readFlash(context: SignedInContext, path: string): string | null {
  const { request, response, baseUrl, caller } = context;
  const sealed = readCookie(request, baseUrl, 'once');
  if (sealed === '') return null;
  setCookie(response, baseUrl, 'once', null);
  return openFlash(context, caller.accountId, path, sealed);
}
