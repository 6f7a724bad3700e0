/** Seals a new secret into a cookie that carries it from the form's response to the page that shows it. */
import { sealContext } from '../../kernel/sealed.ts';
import type { SealedBytes } from '../../kernel/sealed.ts';
import type { Caller } from '../../rules/caller.ts';
import type { UseCaseDeps } from '../world.ts';
import type { Flash } from './types.ts';

/** Returns text that is valid in a cookie. */
export function sealFlash({ sealer }: UseCaseDeps, { accountId }: Caller, shown: Flash): string {
  const { path, text, expiresAt } = shown;
  const plain = Buffer.from(JSON.stringify([expiresAt, text]));
  return Buffer.from(sealer.seal(plain, sealContext.once(accountId, path))).toString('base64url');
}

/** null: of another account or page, expired, or invalid. */
export function openFlash(
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
