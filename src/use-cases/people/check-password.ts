import type { Person } from '../../domain/accounts/person.ts';
import type { UseCaseDeps } from '../deps.ts';
import { countTry } from './password-try.ts';
import { passwordLengths } from './password.ts';

/** Counted as a sign-in is: before the password is looked at; a right one is no guess. Throws 429. */
export async function checkPassword(
  deps: UseCaseDeps,
  { email, passwordHash }: Person,
  { password, address }: { password: string; address: string },
): Promise<boolean> {
  const wasRight = countTry(deps, address, email);
  const isRight = await deps.passwords.verify(passwordHash, password.slice(0, passwordLengths.max * 2));
  if (!isRight) return false;
  wasRight();
  return true;
}
