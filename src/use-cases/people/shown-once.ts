/** What a person's browser carries from the form that made a secret to the page that shows it. */
import { sealContext } from '../../domain/accounts/sealed.ts';
import type { SealedBytes } from '../../domain/accounts/sealed.ts';
import type { Caller } from '../caller.ts';
import type { UseCaseDeps } from '../deps.ts';
import type { OnceShown } from './types.ts';

/** Letters that a cookie may hold. */
export function sealOnce({ sealer }: UseCaseDeps, { accountId }: Caller, shown: OnceShown): string {
  const { path, text, expiresAt } = shown;
  const plain = Buffer.from(JSON.stringify([expiresAt, text]));
  return Buffer.from(sealer.seal(plain, sealContext.once(accountId, path))).toString('base64url');
}

/** null: of another account or page, too old, or none of ours. */
export function openOnce(
  { sealer, clock }: UseCaseDeps,
  { accountId }: Caller,
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
